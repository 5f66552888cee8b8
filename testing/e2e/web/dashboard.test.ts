import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { limitsFor } from '@probity/engine/smtp/providers/limits'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { finishListAs } from '../browser/user-jobs.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { callApi } from '../environment/instance.ts'
import { listSettings } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { OPEN } from '../environment/programs.ts'

const MAIL_SERVER = '127.94.7.1'
/** How long the worker suspends the provider that rate-limits it. */
const SUSPENDED_S = 15

const instance = await startDeferringWorld()

/** The test environment with a provider that rate-limits all probes, for the domain hotmail.example. */
async function startDeferringWorld() {
  const [redis, dns, database] = await Promise.all([startRedis(), startDns(), createTestDatabase()])
  const smtpPort = await freePort()
  const deferring = { banner: () => ({ reply: '421 4.7.0 Try again later, too many connections', thenClose: true }) }
  const server = await startScripted(deferring, { host: MAIL_SERVER, port: smtpPort })
  whenDone(() => Promise.all([redis.stop(), dns.stop(), server.stop()]))
  const host = 'hotmail-example.olc.protection.outlook.com'
  await dns.put({ 'hotmail.example': { mx: [[10, host]] }, [host]: { a: [MAIL_SERVER] } })
  const settings = { ...listSettings(database.url, redis.url), ...OPEN, DNS_SERVERS: `127.0.0.1:${dns.port}` }
  const api = await startApiProcess(settings)
  const microsoft = { ...limitsFor('microsoft', PROVIDER_LIMITS), suspendS: { rate_limited: SUSPENDED_S } }
  const allows = (address: string) => address === MAIL_SERVER
  await startWorkerHere({ settings, dnsPort: dns.port, smtpPort, allows, limits: { ...PROVIDER_LIMITS, microsoft } })
  return { ...database, api }
}

const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const newcomer = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })

// A domain with a null MX is decided at once, and each result costs a credit.
const CSV = 'email\nada@null-mx.example\ngrace@null-mx.example\n'
const list = await finishListAs(owner, CSV, { mode: 'live', filename: 'spring.csv' })
const made = await owner.sendRequest('POST', '/keys', {
  name: 'Sign-up form',
  livemode: true,
  scopes: ['validations:write', 'account:read'],
})
const sendRequest = (method: string, path: string, body?: object) =>
  callApi(`${instance.api.url}/api/v1${path}`, method, body, { 'x-api-key': String(made.body['key']) })
expect((await sendRequest('POST', '/validation/single', { email: 'not an address' })).status).toBe(200)
await sendRequest('POST', '/validation/single', { email: 7 })
await sendRequest('GET', '/keys')
await sendRequest('GET', '/keys')
const forgotten = await owner.sendRequest('POST', '/keys', {
  name: 'Old importer',
  livemode: true,
  scopes: ['validations:write'],
})
await asOwner(instance.db, (trx) =>
  sql`update api_keys set created_at = now() - interval '40 days' where id = ${String(forgotten.body['id'])}`.execute(
    trx,
  ),
)
await vi.waitFor(async () => {
  const { body } = await owner.sendRequest('GET', '/overview')
  expect(body).toMatchObject({ verdicts: { total: { invalid: 3 } }, problems: [{ count: 2 }, { count: 1 }] })
}, 15_000)

async function openDashboard(person: TestUser, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app/${query}`)
  await loaded(page)
  return page
}

test('the dashboard shows the overview, and each part links to its details', async () => {
  const page = await openDashboard(owner)
  expect(await page.title()).toBe('Dashboard · Probity')
  await page.getByRole('link', { name: /^Available credits 9,997 (Runs out|Lasts)/ }).waitFor()
  await page.getByRole('link', { name: /^Validated today 3/ }).waitFor()
  await page.getByRole('link', { name: /^Validated in 30 days 3/ }).waitFor()
  await page.getByRole('link', { name: /^Lists in progress 0/ }).waitFor()
  await page.getByText('No mailbox provider limits probes at the moment.').waitFor()
  await page.getByRole('img', { name: '3 addresses: 0 valid, 0 risky, 3 invalid, 0 unknown.' }).waitFor()
  await page.getByText('Show as a table').click()
  const days = page.getByRole('table', { name: 'Verdicts by day' }).locator('tbody tr')
  expect(await days.count()).toBe(1)

  const alerts = page.getByRole('list', { name: 'Needs attention' })
  await alerts.getByText(/^The API key Old importer was last used last month/).waitFor()
  await page.getByRole('link', { name: 'spring.csv' }).click()
  await page.waitForURL(new RegExp(`/app/lists/${list}`))
  await page.goBack()
  const errors = page.getByRole('table', { name: 'API errors in the last 24 hours' })
  await errors.getByRole('row', { name: /^missing_scope Client error 403 2/ }).waitFor()
  await errors.getByRole('link', { name: 'missing_scope' }).click()
  await page.waitForURL(/\/app\/requests\?code=missing_scope/)
  await vi.waitFor(async () =>
    expect(await page.getByRole('table', { name: 'Requests' }).locator('tbody tr').count()).toBe(2),
  )
})

test('the time range is kept in the URL, and a viewer sees the same', async () => {
  const page = await openDashboard(owner)
  await page.getByRole('radio', { name: '7 days' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(/days=90/)
  await page.getByRole('link', { name: /^Validated in 90 days 3/ }).waitFor()
  const same = await openDashboard(viewer, new URL(page.url()).search)
  await same.getByRole('link', { name: /^Validated in 90 days 3/ }).waitFor()
  expect(await same.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true)
})

test('a new account sees how to get started', async () => {
  const page = await onePage(newcomer.context)
  await page.goto('/app/')
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Checklist' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/app\/?$/)
  const sandbox = await openDashboard(owner, '?mode=test')
  await sandbox.getByRole('link', { name: /^Make a request/ }).waitFor()
  expect(await sandbox.getByRole('img').count()).toBe(0)
})

test('a provider that limits probes is named with its retry time until the limit ends', async () => {
  await owner.sendRequest('POST', '/validation/single', { email: 'ada@hotmail.example', timeout: 1 })
  await vi.waitFor(async () => {
    expect((await owner.sendRequest('GET', '/health/providers')).body['status']).toBe('limited')
  }, 10_000)
  const page = await openDashboard(owner)
  await page.getByText(/^Microsoft Outlook\.com limits probes: expect more unknown results until about/).waitFor()
  await vi.waitFor(async () => {
    expect((await owner.sendRequest('GET', '/health/providers')).body['status']).toBe('normal')
  }, 30_000)
  await page.reload()
  await page.getByText('No mailbox provider limits probes at the moment.').waitFor()
})

test('parts that could not be loaded show an error, and the others are shown', async () => {
  const page = await onePage(owner.context, { allows: /status of 500|RequestFailed/ })
  await page.route('**/app/api/overview*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      json: { ...((await answer.json()) as object), problems: null, verdicts: null },
    })
  })
  await page.route('**/app/api/account', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto('/app/')
  await loaded(page)
  await page.getByText('The errors could not be loaded.').waitFor()
  await page.getByText('The verdicts could not be loaded.').waitFor()
  await page.getByRole('link', { name: /^Available credits Unavailable/ }).waitFor()
  await page.getByRole('link', { name: 'spring.csv' }).waitFor()
  await page.unroute('**/app/api/overview*')
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('table', { name: 'API errors in the last 24 hours' }).waitFor()
})

testCases([
  {
    what: 'the dashboard',
    as: owner.context,
    path: '/app/',
    doing: (page) => page.getByText('Show as a table').click(),
  },
])
