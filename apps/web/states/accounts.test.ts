import { CreatedKey } from '@probity/contract/schemas/keys'
import { page } from 'vitest/browser'
import { NEW_OVERVIEW, NO_CREDITS, OVERVIEW, PARTIAL_OVERVIEW, WITHOUT_PROBES } from './test-accounts.ts'
import { choose, click, fill, inOrder, press } from './test-actions.ts'
import { exampleOf } from './test-examples.ts'
import { apiOf, BEGINNER, VIEWER } from './test-member.ts'
import { testStates, whileLoading } from './test-states.ts'
import { sessionOf } from './test-users.ts'

const DIALOG = '[role="dialog"], [role="alertdialog"]'

testStates('dashboard', [
  { name: 'with data', path: '/', shows: 'Newsletter, November' },
  { name: 'as a viewer', as: VIEWER, path: '/?days=7', shows: 'Newsletter, November' },
  {
    name: 'in test mode',
    path: '/?mode=test',
    api: { 'GET /overview': { ...OVERVIEW, livemode: false } },
    shows: 'customers.csv',
  },
  {
    name: 'new account in test mode',
    path: '/?mode=test',
    api: { 'GET /overview': NEW_OVERVIEW },
    shows: 'No activity in this mode yet',
  },
  { name: 'new account', as: BEGINNER, path: '/', shows: '0 of 4 done' },
  { name: 'without its parts', path: '/', api: { 'GET /overview': PARTIAL_OVERVIEW }, has: 'main button svg' },
  {
    name: 'no worker and no probes',
    path: '/',
    api: { 'GET /account': WITHOUT_PROBES },
    has: 'section[aria-label="Validation is delayed"]',
  },
  {
    name: 'limited provider',
    path: '/',
    api: {
      'GET /overview': {
        ...OVERVIEW,
        providers: {
          status: 'limited',
          message: 'Microsoft limits probes.',
          providers: [{ provider: 'microsoft', name: 'Microsoft', reason: 'rate_limited', retry_at: OVERVIEW.to_on }],
        },
      },
    },
    shows: 'Microsoft',
  },
  ...whileLoading({ path: '/', route: 'GET /overview' }),
])

const MENU = /^Actions for Sign-up form/
const NEW_KEY = exampleOf(CreatedKey)

testStates('keys', [
  { name: 'with keys', path: '/keys', shows: 'Nightly job' },
  { name: 'with ended keys', path: '/keys?ended=true', shows: 'Former agency' },
  { name: 'none', as: BEGINNER, path: '/keys', shows: 'No API keys yet' },
  { name: 'as a viewer', as: VIEWER, path: '/keys', shows: 'You cannot view API keys' },
  { name: 'new key', path: '/keys?create=true', has: DIALOG },
  {
    name: 'new publishable key',
    path: '/keys?create=true',
    act: () => pick('Publishable key'),
    shows: 'Allowed origins',
  },
  { name: 'new key without a name', path: '/keys?create=true', act: submitKey, has: '[aria-invalid="true"]' },
  {
    name: 'new key, shown once',
    path: '/keys?create=true',
    api: { 'POST /keys': NEW_KEY },
    act: inOrder(fill(/^Name/, 'Sign-up form'), submitKey),
    has: 'pre',
  },
  { name: 'menu', path: '/keys', act: press(MENU), has: '[role="menu"]' },
  { name: 'name', path: '/keys', act: choose(MENU, 'Rename'), has: DIALOG },
  { name: 'limits', path: '/keys', act: choose(MENU, 'Change limits'), has: DIALOG },
  {
    name: 'limits of a publishable key',
    path: '/keys',
    act: choose(/^Actions for Embedded form/, 'Change limits'),
    has: DIALOG,
  },
  { name: 'embed code', path: '/keys', act: choose(/^Actions for Embedded form/, 'Get embed code'), has: DIALOG },
  { name: 'key to rotate', path: '/keys', act: choose(MENU, 'Rotate'), has: DIALOG },
  { name: 'key to revoke', path: '/keys', act: choose(MENU, 'Revoke'), has: DIALOG },
  ...whileLoading({ path: '/keys', route: 'GET /keys' }),
])

function pick(name: string) {
  return click(page.getByRole('radio', { name }))
}

function submitKey() {
  return click(page.getByRole('dialog').getByRole('button', { name: 'Create key' }))
}

testStates('usage', [
  { name: 'with usage', path: '/usage', shows: 'Invoice 2026-114' },
  {
    name: 'as a table',
    path: '/usage',
    act: () => click(page.getByText('Show as a table').first()),
    has: 'details[open] table',
  },
  { name: 'none', as: BEGINNER, path: '/usage', shows: 'No credit transactions yet' },
  {
    name: 'filters without matches',
    path: '/usage?kind=refund',
    api: { 'GET /ledger': [] },
    shows: 'No transactions match these filters',
  },
  { name: 'low credits', path: '/usage', api: { 'GET /account': NO_CREDITS }, shows: '40' },
  { name: 'as a viewer', as: VIEWER, path: '/usage', shows: 'Invoice 2026-114' },
  ...whileLoading({ path: '/usage', route: 'GET /usage' }),
  ...whileLoading({ path: '/usage', route: 'GET /ledger' }),
  ...whileLoading({ path: '/usage', route: 'GET /account' }),
])

const REQUEST = '/requests?request=req_0b8f2f2e-3f0c-4a55-9a37-0a1f6c9d2b71'

testStates('requests', [
  { name: 'with requests', path: '/requests', shows: '402' },
  { name: 'none', as: BEGINNER, path: '/requests', shows: 'No requests in live mode' },
  {
    name: 'filters without matches',
    as: BEGINNER,
    path: '/requests?class=server_error',
    shows: 'No requests match these filters',
  },
  {
    name: 'log turned off',
    path: '/requests',
    api: { 'GET /requests': { data: [], has_more: false, next_cursor: null, retention_days: 0 } },
    shows: 'Request log disabled',
  },
  { name: 'open request', path: REQUEST, shows: 'Repeat request' },
  ...whileLoading({ path: '/requests', route: 'GET /requests' }),
  ...whileLoading({ path: REQUEST, route: 'GET /requests/:request' }),
])

testStates('policies', [
  { name: 'with policies', path: '/policies', shows: 'partners' },
  { name: 'as a viewer', as: VIEWER, path: '/policies', shows: 'partners' },
  ...whileLoading({ path: '/policies', route: 'GET /policies' }),
  { name: 'built-in policy', path: '/policies/signup', shows: 'Use another address.' },
  { name: 'custom policy in test mode', path: '/policies/partners?mode=test', shows: 'For known partners' },
  { name: 'policy to delete', path: '/policies/partners', act: press('Delete policy'), has: DIALOG },
  { name: 'unknown policy', path: '/policies/other', shows: 'Policy not found' },
  { name: 'policy to edit', path: '/policies/partners?do=edit', has: 'main form' },
  { name: 'policy to copy', path: '/policies/newsletter?do=copy', shows: 'Default decision' },
  {
    name: 'policy to copy, as a viewer',
    as: VIEWER,
    path: '/policies/newsletter?do=copy',
    shows: 'You cannot change policies',
  },
  {
    name: 'policy without a name',
    path: '/policies/newsletter?do=copy',
    act: inOrder(fill(/^Name/, ''), press('Create policy')),
    has: '[aria-invalid="true"]',
  },
])

const ACCOUNT = '/settings/account'

testStates('account settings', [
  { name: 'as the owner', path: ACCOUNT, shows: 'Safe to send' },
  { name: 'as a viewer', as: VIEWER, path: ACCOUNT, shows: 'Safe to send' },
  {
    name: 'tolerance too high',
    path: ACCOUNT,
    act: inOrder(fill('Bounce tolerance (%)', '51'), saveSending),
    has: '[aria-invalid="true"]',
  },
  ...whileLoading({ path: ACCOUNT, route: 'GET /account' }),
  { name: 'new account', path: '/accounts/new', shows: 'Account name' },
  {
    name: 'new account by operators only',
    path: '/accounts/new',
    api: { 'GET /session': sessionOf('owner', { may_create_accounts: false }) },
    shows: 'Only operators can create accounts',
  },
])

function saveSending() {
  return click(page.getByRole('button', { name: 'Save' }).last())
}

const LISTS = '/settings/allow-and-block'

testStates('allow and block lists', [
  { name: 'with entries', path: LISTS, shows: 'example.org' },
  { name: 'as a viewer', as: VIEWER, path: LISTS, shows: 'example.org' },
  { name: 'none', as: BEGINNER, path: LISTS, shows: 'No entries yet' },
  {
    name: 'filters without matches',
    as: BEGINNER,
    path: `${LISTS}?search=other`,
    shows: 'No entries match these filters',
  },
  { name: 'entries to add', path: LISTS, act: press('Add entries'), has: DIALOG },
  ...whileLoading({ path: LISTS, route: 'GET /overrides' }),
])

const NETWORK = '/settings/network'

testStates('network', [
  { name: 'as the owner', path: NETWORK, has: 'main textarea' },
  { name: 'as a viewer', as: VIEWER, path: NETWORK, shows: 'You cannot' },
  ...whileLoading({ path: NETWORK, route: 'GET /network' }),
])

const DATA = '/settings/data'

testStates('data', [
  { name: 'as the owner', path: DATA, shows: 'Delete account' },
  { name: 'as a viewer', as: VIEWER, path: DATA, shows: 'You cannot' },
  { name: 'password before an export', path: DATA, act: press('Export all data'), has: DIALOG },
  {
    name: 'address to erase',
    path: DATA,
    act: inOrder(fill('Email address', 'ada@example.com'), press('Erase address')),
    has: DIALOG,
  },
  { name: 'account to delete', path: DATA, act: press('Delete account'), has: DIALOG },
  ...whileLoading({ path: DATA, route: 'GET /deletion' }),
])

const LOG = '/settings/audit-log'

testStates('audit log', [
  { name: 'as the owner', path: LOG, shows: 'API key changed' },
  { name: 'as a developer', as: apiOf('developer'), path: LOG, shows: 'You cannot view the audit log' },
  {
    name: 'filters without matches',
    path: `${LOG}?by=other`,
    api: { 'GET /audit-log': { entries: [], total: 0 } },
    shows: 'No entries match these filters',
  },
  ...whileLoading({ path: LOG, route: 'GET /audit-log' }),
])
