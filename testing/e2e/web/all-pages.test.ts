import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { openWindow, startBrowser } from '../browser/browser.ts'
import { type Case, press, testCases } from '../browser/page-states.ts'
import { finishListAs, startListAs, uploadAs } from '../browser/user-jobs.ts'
import { PASSWORD, signUpUser } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'

/** Common requirements of every page, with the responses of the service. The tests in apps/web/states have the other states. */
const instance = await startOpenInstance()
const browser = await startBrowser()

const owner = await signUpUser(browser, instance, { name: 'Ada Lovelace', organisation: 'Analytical Engines' })
const visitor = await openWindow(browser, instance)

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

const SIGNED_OUT: Case[] = [
  { what: 'sign-in', path: '/app/sign-in' },
  { what: 'a report that is not available', path: '/app/report' },
  { what: 'sign-up', path: '/app/sign-up' },
  { what: 'forgot password', path: '/app/forgot-password' },
  { what: 'an invitation', path: `/app/accept-invitation#id=${invitation.body['id']}` },
].map((one) => ({ ...one, as: visitor }))

const SIGNED_IN: Case[] = [
  { what: 'quick start in test mode', path: '/app/quick-start?mode=test' },
  { what: 'a valid address', path: '/app/validate?mode=test', doing: validate('valid@example.com') },
  { what: 'lists', path: '/app/lists?mode=test' },
  { what: 'new list, column', path: `/app/lists/new?mode=test&upload=${draft}` },
  { what: 'new list, review', path: `/app/lists/new?mode=test&upload=${draft}&column=email` },
  { what: 'a finished list', path: `/app/lists/${finished}?mode=test` },
  { what: 'the results of a list', path: `/app/lists/${finished}?mode=test&tab=results` },
  { what: 'the breakdown of a list', path: `/app/lists/${finished}?mode=test&tab=breakdown` },
  { what: 'a result in its drawer', path: `/app/lists/${finished}?mode=test&row=2` },
  { what: 'a result that was weighed', path: `/app/lists/${weighed}?row=2`, doing: openFigures },
  { what: 'a list that waits', path: `/app/lists/${waiting}?mode=test` },
  { what: 'keys', path: '/app/keys' },
  { what: 'a key, shown once', path: '/app/keys', doing: makeKey },
  { what: 'webhooks', path: '/app/webhooks' },
  { what: 'a webhook that fails', path: `/app/webhooks/${webhook}` },
  { what: 'a delivery in its drawer', path: `/app/webhooks/${webhook}?delivery=${delivery}` },
  { what: 'usage', path: '/app/usage', doing: (page: Page) => page.getByText('Show as a table').click() },
  { what: 'profile', path: '/app/settings/profile' },
  { what: 'security', path: '/app/settings/security' },
  { what: 'setting up 2FA, its code', path: '/app/settings/security', doing: turnOnSecondStep },
  { what: 'notices', path: '/app/settings/notices' },
  { what: 'members', path: '/app/settings/members' },
  { what: 'account', path: '/app/settings/account' },
  { what: 'a session that has ended', path: '/app/lists', doing: endSession },
].map((one) => ({ ...one, as: owner.context }))

async function makeKey(page: Page) {
  await press('Create key')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Shown once')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
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

async function openFigures(page: Page) {
  await page.getByRole('heading', { name: 'Deliverability' }).waitFor()
  await page.getByText('Show log-odds').click()
}

function validate(email: string) {
  return async (page: Page) => {
    await page.getByRole('textbox').first().fill(email)
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'JSON' }).waitFor()
  }
}

testCases([...SIGNED_OUT, ...SIGNED_IN])
