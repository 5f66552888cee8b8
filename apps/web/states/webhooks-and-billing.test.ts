import { page } from 'vitest/browser'
import { BILLING, NEW_WEBHOOK } from './test-accounts.ts'
import { choose, click, fill, inOrder, press } from './test-actions.ts'
import { problem } from './test-api.ts'
import { apiOf, BEGINNER, VIEWER, WEBHOOK } from './test-member.ts'
import { testStates, whileLoading } from './test-states.ts'

const DIALOG = '[role="dialog"], [role="alertdialog"]'

testStates('webhooks', [
  { name: 'with webhooks', path: '/webhooks', shows: WEBHOOK.url.replace('https://', '') },
  { name: 'none', as: BEGINNER, path: '/webhooks', shows: 'No webhooks yet' },
  { name: 'as a marketer', as: apiOf('marketer'), path: '/webhooks', shows: 'You cannot view webhooks' },
  { name: 'new webhook', path: '/webhooks?create=true', has: DIALOG },
  {
    name: 'new webhook without a URL',
    path: '/webhooks?create=true',
    act: inOrder(chooseEvents, submitWebhook),
    has: '[aria-invalid="true"]',
  },
  {
    name: 'new webhook, its secret',
    path: '/webhooks?create=true',
    api: { 'POST /webhooks': NEW_WEBHOOK },
    act: inOrder(fill(/^URL/, NEW_WEBHOOK.url), submitWebhook),
    shows: 'Signing secret',
  },
  { name: 'callback secret', path: '/webhooks', act: press('Show callback secret'), has: DIALOG },
  ...whileLoading({ path: '/webhooks', route: 'GET /webhooks' }),
])

function chooseEvents() {
  return click(page.getByRole('radio', { name: 'Selected events' }))
}

function submitWebhook() {
  return click(page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }))
}

const PATH = `/webhooks/${WEBHOOK.id}`
const DELIVERY = `${PATH}?delivery=0198f3a1-0b52-7e18-9c40-6d7f21a8e395`
const FAILING = { ...WEBHOOK, failing_since_at: '2026-11-02T12:00:00.000Z' }
const DISABLED = { ...WEBHOOK, enabled: false, disabled_reason: 'failing', disabled_at: '2026-11-02T12:00:00.000Z' }

testStates('webhook', [
  { name: 'with deliveries', path: PATH, shows: 'job.completed' },
  { name: 'without deliveries', as: BEGINNER, path: PATH, shows: 'No deliveries yet' },
  {
    name: 'filters without matches',
    as: BEGINNER,
    path: `${PATH}?status=failed`,
    shows: 'No deliveries match these filters',
  },
  { name: 'failing', path: PATH, api: { 'GET /webhooks/:webhook': FAILING }, shows: 'are failing' },
  { name: 'disabled', path: PATH, api: { 'GET /webhooks/:webhook': DISABLED }, shows: 'This webhook is disabled' },
  {
    name: 'not found',
    path: PATH,
    api: { 'GET /webhooks/:webhook': problem('not_found') },
    shows: 'Webhook not found',
  },
  { name: 'as a marketer', as: apiOf('marketer'), path: PATH, shows: 'You cannot view webhooks' },
  { name: 'open delivery', path: DELIVERY, shows: 'Request body' },
  { name: 'webhook to edit', path: PATH, act: press('Edit'), has: DIALOG },
  { name: 'webhook to disable', path: PATH, act: choose('More actions', 'Disable'), has: DIALOG },
  { name: 'webhook to delete', path: PATH, act: choose('More actions', 'Delete webhook'), has: DIALOG },
  { name: 'secret to rotate', path: PATH, act: choose('More actions', 'Rotate secret'), has: DIALOG },
  ...whileLoading({ path: PATH, route: 'GET /webhooks/:webhook' }),
  ...whileLoading({ path: PATH, route: 'GET /webhooks/:webhook/deliveries' }),
  ...whileLoading({ path: DELIVERY, route: 'GET /webhooks/:webhook/deliveries/:delivery' }),
])

const PAID = '/billing?checkout=paid&session=cs_1'
const CHECKOUT = { credits: 1_000, granted: true }

testStates('billing', [
  { name: 'plans and packs', path: '/billing', shows: 'Starter' },
  { name: 'in test mode', path: '/billing?mode=test', shows: 'Starter' },
  { name: 'as a viewer', as: VIEWER, path: '/billing', shows: 'Pay as you go' },
  {
    name: 'subscribed',
    path: '/billing',
    api: { 'GET /billing': { ...BILLING, plan: 'starter', subscribed_to: 'price_starter' } },
    shows: 'Starter',
  },
  {
    name: 'with a debt',
    path: '/billing',
    api: { 'GET /billing': { ...BILLING, debt: 120 } },
    shows: '120 credits owed',
  },
  {
    name: 'nothing for sale',
    path: '/billing',
    api: { 'GET /billing': { ...BILLING, packs: [], plans: [] } },
    shows: 'No plans available yet',
  },
  {
    name: 'turned off',
    path: '/billing',
    api: { 'GET /billing': { ...BILLING, enabled: false, packs: [], plans: [] } },
    shows: 'Billing is not enabled',
  },
  { name: 'checkout canceled', path: '/billing?checkout=canceled', shows: 'Checkout canceled' },
  { name: 'checkout paid', path: PAID, api: { 'GET /billing/checkout/:session': CHECKOUT }, shows: '1,000 credits' },
  {
    name: 'checkout pending',
    path: PAID,
    api: { 'GET /billing/checkout/:session': { ...CHECKOUT, granted: false } },
    shows: 'Payment received',
  },
  {
    name: 'checkout unknown',
    path: PAID,
    api: { 'GET /billing/checkout/:session': problem('not_found') },
    shows: 'Payment status unknown',
  },
  { name: 'plan pending', path: '/billing?checkout=subscribed', shows: 'Payment received' },
  ...whileLoading({ path: '/billing', route: 'GET /billing' }),
])
