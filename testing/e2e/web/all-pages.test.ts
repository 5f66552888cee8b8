import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { openWindow, startBrowser } from '../browser/browser.ts'
import { type Case, choose, press, testCases } from '../browser/page-states.ts'
import { finishListAs, startListAs, uploadAs } from '../browser/user-jobs.ts'
import { PASSWORD, signUpUser } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'

/** Common requirements of every page, in every state. */
const instance = await startOpenInstance()
const browser = await startBrowser()

const owner = await signUpUser(browser, instance, { name: 'Ada Lovelace', organisation: 'Analytical Engines' })
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const beginner = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })
const nobodyYet = await signUpUser(browser, instance, { name: 'Mary Shelley', organisation: null })
const stranger = await openWindow(browser, instance)

const NAMES = [
  'valid',
  'invalid',
  'risky',
  'unknown',
  'role',
  'free',
  'typo',
  'disposable',
  'mailbox-full',
  'catch-all',
]
const CSV = `name,email\n${NAMES.map((name, n) => `Person ${n},${name}+${n}@example.com\n`).join('')}`

const finished = await finishListAs(owner, CSV, { filename: 'autumn-newsletter.csv' })
const draft = await uploadAs(owner, CSV, { filename: 'not-confirmed-yet.csv' })
// Its mail host is in a private network, so the address is scored without a probe.
const weighed = await finishListAs(owner, 'email\nxk7qzvw9trb4@mx-private.example\n', { mode: 'live' })
const { webhook, delivery } = await failWebhook()
await instance.worker.stop() // lists confirmed from now on stay queued
const waiting = await startListAs(owner, CSV, { filename: 'waiting.csv' })
const paused = await startListAs(owner, CSV, { filename: 'paused.csv' })
const TEST = { 'probity-mode': 'test' }
await owner.sendRequest('POST', `/bulk/jobs/${paused}/pause`, undefined, TEST)
for (const mode of ['live', 'test']) {
  await owner.sendRequest('POST', '/keys', {
    name: `Sign-up form, ${mode}`,
    livemode: mode === 'live',
    scopes: ['validations:write'],
  })
}
const invitation = await owner.sendRequest('POST', '/auth/organization/invite-member', {
  organizationId: owner.accountId,
  email: 'colleague@people.example',
  role: 'marketer',
})

/** One webhook with a failed delivery, since its host does not exist, and one that is disabled. */
async function failWebhook() {
  const off = await owner.sendRequest('POST', '/webhooks', {
    url: 'https://hooks.example.com/old',
    events: ['job.completed'],
  })
  await owner.sendRequest('PATCH', `/webhooks/${off.body['id']}`, { enabled: false })
  const on = await owner.sendRequest('POST', '/webhooks', {
    url: 'https://hooks.example.com/probity',
    description: 'Production',
  })
  const path = `/webhooks/${on.body['id']}`
  const sent = await owner.sendRequest('POST', `${path}/test`)
  await vi.waitFor(
    async () => {
      const { body } = await owner.sendRequest('GET', `${path}/deliveries/${sent.body['id']}`)
      expect(body['attempts']).toMatchObject([{ http_status: null }])
    },
    { timeout: 30_000, interval: 100 },
  )
  return { webhook: on.body['id'], delivery: sent.body['id'] }
}

const STRANGERS: Case[] = [
  { what: 'sign-in', path: '/app/sign-in' },
  { what: 'sign-in, wrong password', path: '/app/sign-in', doing: signInWrongly },
  { what: 'sign-in, nothing typed', path: '/app/sign-in', doing: press('Sign in') },
  { what: 'sign-up', path: '/app/sign-up' },
  { what: 'sign-up, nothing typed', path: '/app/sign-up', doing: press('Sign up') },
  { what: 'forgot password', path: '/app/forgot-password' },
  { what: 'reset password', path: '/app/reset-password#token=x' },
  { what: 'reset password without a token', path: '/app/reset-password' },
  { what: 'verify e-mail with a bad token', path: '/app/verify-email#token=x' },
  { what: 'a new address with a bad token', path: '/app/confirm-email#token=x' },
  { what: 'an invitation', path: `/app/accept-invitation#id=${invitation.body['id']}` },
  { what: 'an invitation that is not there', path: `/app/accept-invitation#id=${randomUUID()}` },
  { what: 'setup with a token', path: '/app/setup#token=x' },
  { what: 'setup without a token', path: '/app/setup' },
  { what: 'no such page', path: '/app/no-such-page' },
  { what: 'sign-in while the service fails', path: '/app/sign-in', broken: '**/app/api/welcome' },
].map((one) => ({ ...one, as: stranger }))

const EMPTY: Case[] = [
  { what: 'quick start', path: '/app/quick-start' },
  { what: 'validate', path: '/app/validate' },
  { what: 'lists, none', path: '/app/lists' },
  { what: 'new list', path: '/app/lists/new' },
  { what: 'keys, none', path: '/app/keys' },
  { what: 'webhooks, none', path: '/app/webhooks' },
  { what: 'usage, none', path: '/app/usage' },
  { what: 'members, one', path: '/app/settings/members' },
].map((one) => ({ ...one, as: beginner.context }))

const FILLED: Case[] = [
  { what: 'quick start in test mode', path: '/app/quick-start?mode=test' },
  { what: 'a valid address', path: '/app/validate?mode=test', doing: validate('valid@example.com') },
  { what: 'an invalid address', path: '/app/validate?mode=test', doing: validate('invalid@example.com') },
  { what: 'a risky address', path: '/app/validate?mode=test', doing: validate('risky@example.com') },
  { what: 'an unknown address', path: '/app/validate?mode=test', doing: validate('unknown@example.com') },
  { what: 'a mistyped address', path: '/app/validate?mode=test', doing: validate('typo@example.com') },
  { what: 'a refusal', path: '/app/validate?mode=test', doing: validate('error-402@example.com', 'alert') },
  { what: 'a result as JSON', path: '/app/validate?mode=test', doing: validateAnd('JSON') },
  { what: 'a result as code', path: '/app/validate?mode=test', doing: validateAnd('Code') },
  { what: 'lists', path: '/app/lists?mode=test' },
  { what: 'lists, narrowed to none', path: '/app/lists?mode=test&search=nothing' },
  { what: 'new list, column', path: `/app/lists/new?mode=test&upload=${draft}` },
  { what: 'new list, review', path: `/app/lists/new?mode=test&upload=${draft}&column=email` },
  { what: 'new list, draft gone', path: `/app/lists/new?mode=test&upload=${randomUUID()}` },
  { what: 'a finished list', path: `/app/lists/${finished}?mode=test` },
  { what: 'a result in its drawer', path: `/app/lists/${finished}?mode=test&row=2` },
  { what: 'a result that was weighed', path: `/app/lists/${weighed}?row=2`, doing: openFigures },
  { what: 'no such result', path: `/app/lists/${finished}?mode=test&row=99` },
  { what: 'a list that waits', path: `/app/lists/${waiting}?mode=test` },
  { what: 'a list that is paused', path: `/app/lists/${paused}?mode=test` },
  { what: 'no such list', path: `/app/lists/${randomUUID()}?mode=test` },
  { what: 'keys', path: '/app/keys' },
  { what: 'a new key', path: '/app/keys', doing: press('Create key') },
  { what: 'webhooks', path: '/app/webhooks' },
  { what: 'a new webhook', path: '/app/webhooks?create=true', doing: chooseEvents },
  { what: 'a webhook that fails', path: `/app/webhooks/${webhook}` },
  { what: 'a delivery in its drawer', path: `/app/webhooks/${webhook}?delivery=${delivery}` },
  { what: 'a webhook while the service fails', path: `/app/webhooks/${webhook}`, broken: '**/app/api/webhooks/*' },
  { what: 'usage', path: '/app/usage', doing: (page: Page) => page.getByText('Show as a table').click() },
  { what: 'usage while the service fails', path: '/app/usage', broken: '**/app/api/{usage,ledger}*' },
  { what: 'usage while loading', path: '/app/usage', hangs: '**/app/api/{usage,ledger}*' },
  { what: 'profile', path: '/app/settings/profile' },
  { what: 'security', path: '/app/settings/security' },
  { what: 'notices', path: '/app/settings/notices' },
  { what: 'members', path: '/app/settings/members' },
  { what: 'an invitation to make', path: '/app/settings/members', doing: press(/^invite/i) },
  { what: 'organisation', path: '/app/settings/account' },
  {
    what: 'account settings, bounce tolerance too high',
    path: '/app/settings/account',
    doing: setTolerance('51'),
  },
  { what: 'account settings, low bounce tolerance', path: '/app/settings/account', doing: setTolerance('0.1') },
  { what: 'organisation while the service fails', path: '/app/settings/account', broken: '**/app/api/account' },
  { what: 'account while loading', path: '/app/settings/account', hangs: '**/app/api/account' },
  { what: 'the account menu', path: '/app/lists', doing: press(/^account:/i) },
  { what: 'the profile menu', path: '/app/lists', doing: press(/^your profile/i) },
  { what: 'lists while the service fails', path: '/app/lists', broken: '**/app/api/bulk/jobs*' },
  {
    what: 'a list while the service fails',
    path: `/app/lists/${finished}?mode=test`,
    broken: '**/app/api/bulk/jobs/*',
  },
  { what: 'keys while the service fails', path: '/app/keys', broken: '**/app/api/keys*' },
  { what: 'the account while the service fails', path: '/app/quick-start', broken: '**/app/api/account' },
  { what: 'the session while the service fails', path: '/app/lists', broken: '**/app/api/session' },
  { what: 'lists while loading', path: '/app/lists', hangs: '**/app/api/bulk/jobs*' },
  { what: 'keys while loading', path: '/app/keys', hangs: '**/app/api/keys*' },
].map((one) => ({ ...one, as: owner.context }))

const DIALOGS: Case[] = [
  { what: 'a key, shown once', path: '/app/keys', doing: makeKey },
  { what: 'the limits of a key', path: '/app/keys', doing: choose(/^Actions for/, 'Change limits') },
  { what: 'rotating a key', path: '/app/keys', doing: choose(/^Actions for/, 'Rotate') },
  { what: 'revoking a key', path: '/app/keys', doing: choose(/^Actions for/, 'Revoke') },
  { what: 'downloading a list', path: `/app/lists/${finished}?mode=test`, doing: press('Download') },
  { what: 'pausing a list', path: `/app/lists/${waiting}?mode=test`, doing: press('Pause') },
  {
    what: 'canceling a list',
    path: `/app/lists/${waiting}?mode=test`,
    doing: choose('More actions', 'Cancel list'),
  },
  {
    what: 'deleting a list',
    path: `/app/lists/${finished}?mode=test`,
    doing: choose('More actions', 'Delete list'),
  },
  { what: 'discarding a draft', path: '/app/lists?mode=test', doing: press(/^Discard/) },
  { what: 'setting up 2FA', path: '/app/settings/security', doing: press('Set up two-factor authentication') },
  { what: 'setting up 2FA, its code', path: '/app/settings/security', doing: turnOnSecondStep },
  {
    what: 'changing a role',
    path: '/app/settings/members',
    doing: choose('Actions for Grace Hopper', 'Change role'),
  },
  { what: 'removing a member', path: '/app/settings/members', doing: choose('Actions for Grace Hopper', 'Remove') },
  { what: 'a session that has ended', path: '/app/lists', doing: endSession },
].map((one) => ({ ...one, as: owner.context }))

const VIEWER: Case[] = [
  { what: 'quick start', path: '/app/quick-start' },
  { what: 'validate', path: '/app/validate' },
  { what: 'lists', path: '/app/lists?mode=test' },
  { what: 'new list', path: '/app/lists/new' },
  { what: 'a finished list', path: `/app/lists/${finished}?mode=test` },
  { what: 'keys', path: '/app/keys' },
  { what: 'members', path: '/app/settings/members' },
  { what: 'organisation', path: '/app/settings/account' },
].map((one) => ({ ...one, as: viewer.context, what: `${one.what}, as a viewer` }))

const ALONE: Case = { what: 'no account', as: nobodyYet.context, path: '/app/' }

async function makeKey(page: Page) {
  await press('Create key')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Shown once')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
}

async function chooseEvents(page: Page) {
  await page.getByRole('radio', { name: 'Selected events' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('group', { name: /^Please fix \d fields/ }).waitFor()
}

async function turnOnSecondStep(page: Page) {
  await press('Set up two-factor authentication')(page)
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code from your authenticator app').waitFor()
}

async function endSession(page: Page) {
  const refusal = { status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' }
  await page.route('**/app/api/**', (route) => route.fulfill(refusal))
  await page.getByRole('link', { name: 'API keys' }).first().click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
}

async function signInWrongly(page: Page) {
  await page.getByLabel(/^e-?mail/i).fill('nobody@people.example')
  await page.getByLabel('Password', { exact: true }).fill('not the right password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('form [role="group"]').waitFor()
}

async function openFigures(page: Page) {
  await page.getByRole('heading', { name: 'Deliverability' }).waitFor()
  await page.getByText('Show log-odds').click()
}

function setTolerance(percent: string) {
  return async (page: Page) => {
    const form = page.locator('form').filter({ has: page.getByLabel('Bounce tolerance (%)') })
    await form.getByLabel('Bounce tolerance (%)').fill(percent)
    await form.getByRole('button', { name: 'Save' }).click()
    await form
      .getByText('Saved.')
      .or(form.getByRole('group').filter({ hasText: 'Please fix' }))
      .waitFor()
  }
}

function validate(email: string, answer: 'region' | 'alert' = 'region') {
  return async (page: Page) => {
    await page.getByRole('textbox').first().fill(email)
    await page.keyboard.press('Enter')
    await (answer === 'alert' ? page.getByRole('alert').first() : page.getByRole('tab', { name: 'JSON' })).waitFor()
  }
}

function validateAnd(tab: string) {
  return async (page: Page) => {
    await validate('valid@example.com')(page)
    await page.getByRole('tab', { name: tab }).click()
  }
}

testCases([...STRANGERS, ...EMPTY, ...FILLED, ...DIALOGS, ...VIEWER, ALONE])
