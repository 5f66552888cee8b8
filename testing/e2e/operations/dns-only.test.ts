import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { onePage, startBrowser } from '../browser/browser.ts'
import { finishListAs, uploadAs } from '../browser/user-jobs.ts'
import { signUpUser } from '../browser/users.ts'
import { createApiClient } from '../environment/instance.ts'
import { confirmList, listSettings, startTaskWorker } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { OPEN } from '../environment/programs.ts'

const ADDRESS_BASE = '127.96.0'
const DOMAINS = ['mail', 'north', 'south']
const CLOSED = { mode: 'dns', reason: 'port_25_closed', resolver_trusted: true }
const SOON = { timeout: 30_000, interval: 100 }
const NOTICE = 'Mailbox probes are unavailable'

/** The service with a worker whose SMTP port is closed until `open` is called. */
async function startDnsOnly() {
  const [redis, dns, database] = await Promise.all([startRedis(), startDns(), createTestDatabase()])
  whenDone(() => Promise.all([redis.stop(), dns.stop()]))
  const smtpPort = await freePort()
  const hosts = DOMAINS.map((name, n) => ({ name: `mx.${name}.example`, host: `${ADDRESS_BASE}.${n + 1}` }))
  await dns.put(
    Object.fromEntries([
      ...DOMAINS.map((name) => [`${name}.example`, { mx: [[10, `mx.${name}.example`]] as [number, string][] }]),
      ...hosts.map(({ name, host }) => [name, { a: [host] }]),
    ]),
  )
  // No plan refunds unknown results, so every refund here is caused by the closed port.
  await asOwner(database.db, (trx) => sql`update plans set refund_unknown = false`.execute(trx))
  const settings = { ...listSettings(database.url, redis.url), ...OPEN }
  const referenceHosts = ['north', 'south'].map((name) => ({
    provider: name,
    domain: `${name}.example`,
    greetsAs: [],
    why: '',
  }))
  const [api] = await Promise.all([
    startApiProcess(settings),
    startTaskWorker({
      settings: {
        ...settings,
        DNS_SERVERS: `127.0.0.1:${dns.port}`,
        SMTP_HELO_NAME: 'probe.probity.example',
        SMTP_MAIL_FROM: 'bounce@probity.example',
      },
      smtpPort,
      addressBase: ADDRESS_BASE,
      egressChecks: { referenceHosts, openMs: 600_000, closedMs: 300 },
    }),
  ])
  async function open(): Promise<void> {
    for (const { name, host } of hosts) {
      const rcpt = (_peer: unknown, to: string) => (to.startsWith('a') ? '250 2.1.5 Ok' : '550 5.1.1 No such user')
      const server = await startScripted({ name, rcpt }, { host, port: smtpPort })
      whenDone(() => server.stop())
    }
  }
  return { ...database, api, settings, open }
}

const instance = await startDnsOnly()

function listOf(rows: number): string[] {
  const kinds = [
    (n: number) => `a${n}@mail.example`,
    (n: number) => `b${n}@north.example`,
    (n: number) => `c${n}@absent.example`,
    (n: number) => `no address ${n}`,
    (n: number) => `d${n}@mailinator.com`,
  ]
  return Array.from({ length: rows }, (_, n) => kinds[n % kinds.length]?.(n) ?? '')
}

test('a DNS-only job of 100 rows completes at once, marks no unprobed address as invalid, refunds it, and reports the depth', {
  tags: ['timed'],
}, async () => {
  const apiClient = await createApiClient(instance, { credits: 1_000 })
  const account = async () => (await apiClient.call('GET', '/account')).body
  await vi.waitFor(async () => expect((await account())['probing']).toEqual(CLOSED), SOON)

  const began = performance.now()
  const id = await confirmList(
    instance.api.url,
    apiClient,
    listOf(100).map((email) => ({ email })),
  )
  const job = async () => (await apiClient.call('GET', `/bulk/jobs/${id}`)).body
  await vi.waitFor(async () => expect((await job())['status']).toBe('completed'), { timeout: 60_000, interval: 200 })
  expect(performance.now() - began).toBeLessThan(60_000)

  expect(await job()).toMatchObject({
    sub_status_counts: { domain_not_found: 40, not_probed: 40 },
    credits: { used: 80, refunded: 40, charged: 40, reserved: 0 },
  })
  expect(await account()).toMatchObject({ credits: { available: 960, reserved: 0, used: 40 } })
  const sheet = (await apiClient.call('GET', `/bulk/jobs/${id}/results?format=csv`)).text.split('\r\n')
  expect(sheet[0]).toMatch(/"probity_depth","probity_email"$/)
  // Rows without an address have no result.
  expect(new Set(sheet.slice(1, -1).map((row) => row.split(',').at(-2)))).toEqual(new Set(['"dns"', '""']))

  const single = await apiClient.call('POST', '/validation/single', { email: 'ada@mail.example' })
  expect(single.body).toMatchObject({ status: 'unknown', sub_status: 'not_probed', depth: 'dns' })
  expect(single.headers.get('credits-charged')).toBe('0')
  const several = await apiClient.call('POST', '/validation/bulk', { emails: ['bob@mail.example', 'x@absent.example'] })
  expect(several.body).toMatchObject({
    credits_used: 2,
    credits_refunded: 1,
    results: [
      { sub_status: 'not_probed', depth: 'dns' },
      { sub_status: 'domain_not_found', depth: 'dns' },
    ],
  })
  expect(await account()).toMatchObject({ credits: { available: 959, used: 41 } })
})

test('pages show the notice before a charge, and verdicts come from mail servers again once port 25 is open', async () => {
  const browser = await startBrowser()
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const csv = `email\n${listOf(10).join('\n')}\n`

  await page.goto('/app/validate')
  await page.getByText(NOTICE).waitFor()
  await expectAccessible(page)
  const upload = await uploadAs(owner, csv, { mode: 'live' })
  await page.goto(`/app/lists/new?upload=${upload}&column=email`)
  await page.getByText(NOTICE).waitFor()
  const list = await finishListAs(owner, csv, { mode: 'live' })
  await page.goto(`/app/lists/${list}`)
  await page.getByText('Some mailboxes could not be probed.').waitFor()
  await page.goto('/app/')
  await page.getByText(NOTICE).waitFor()

  await instance.open()
  const probing = async () => (await owner.sendRequest('GET', '/account')).body['probing']
  await vi.waitFor(async () => expect(await probing()).toMatchObject({ mode: 'smtp' }), SOON)
  const verdict = await owner.sendRequest('POST', '/validation/single', { email: 'anna@mail.example' })
  expect(verdict.body).toMatchObject({ status: 'valid', depth: 'smtp' })
  await page.goto('/app/validate')
  await page.getByRole('heading', { level: 1, name: 'Validate' }).waitFor()
  await vi.waitFor(async () => expect(await page.getByText(NOTICE).count()).toBe(0), SOON)
})
