import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { PUBLIC_NAMES } from '@probity/engine/domain/data/known-domains'
import { type Lie, startLyingResolver } from '@probity/lab/dns/lying'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../environment/instance.ts'
import { confirmList, listSettings, startTaskWorker } from '../environment/jobs.ts'
import { startApiProcess, startWorkerProcess } from '../environment/processes.ts'

const LIES: Lie[] = ['nxdomain', 'servfail', 'wildcard']
const CREDITS = 1_000
const SOON = { timeout: 30_000, interval: 200 }

const [redis, dns, database] = await Promise.all([startRedis(), startDns(), createTestDatabase()])
const resolver = await startLyingResolver(dns.port, 'nxdomain')
whenDone(() => Promise.all([redis.stop(), dns.stop(), resolver.stop()]))
// No plan refunds unknown results, so every refund here is caused by the resolver.
await asOwner(database.db, (trx) => sql`update plans set refund_unknown = false`.execute(trx))
const settings = { ...listSettings(database.url, redis.url), DNS_SERVERS: resolver.server }
const api = await startApiProcess(settings)
const openClient = () => createApiClient({ ...database, api }, { credits: CREDITS })

async function readReadiness() {
  const response = await fetch(`${api.url}/readyz`)
  const { missing } = (await response.json()) as { missing: string[] }
  return `${response.status} ${missing.map((part) => part.split(' ')[0]).join()}`
}

/** A large provider, a domain that exists, one that does not, and one with an address only. */
function addressesOf(name: string): string[] {
  return ['gmail.com', 'two-mx.example', `${name}.example`, 'a-only.example'].map((domain) => `${name}@${domain}`)
}

/** Validates the addresses as single requests, in bulk and as a list, and returns all sub-statuses. */
async function validateEverywhere(client: ApiClient, name: string): Promise<unknown[]> {
  const emails = addressesOf(name)
  const job = await confirmList(
    api.url,
    client,
    emails.map((email) => ({ email })),
  )
  const singles = await Promise.all(emails.map((email) => client.call('POST', '/validation/single', { email })))
  const bulk = await client.call('POST', '/validation/bulk', { emails: emails.map((email) => `bulk-${email}`) })
  const read = async () => (await client.call('GET', `/bulk/jobs/${job}`)).body
  await vi.waitFor(async () => {
    // Rows are retried after 12 seconds; here at once.
    await asOwner(database.db, (trx) =>
      sql`update job_queue set retry_at = clock_timestamp() where retry_at > clock_timestamp()`.execute(trx),
    )
    expect((await read())['status']).toBe('completed')
  }, SOON)
  expect(singles.map(({ headers }) => headers.get('credits-charged'))).toEqual(emails.map(() => '0'))
  expect(bulk.body).toMatchObject({ credits_used: emails.length, credits_charged: 0 })
  const { sub_status_counts: counts } = await read()
  const ofBulk = bulk.body['results'] as { status: string; sub_status: string }[]
  return [counts, ...[...singles.map(({ body }) => body), ...ofBulk].map((result) => result['sub_status'])]
}

async function expectNothingInvalid(mode: string): Promise<void> {
  const client = await openClient()
  for (const lie of LIES) {
    resolver.say(lie)
    const seen = await validateEverywhere(client, `${mode}-${lie}`)
    expect(seen).toEqual([{ dns_failed: 4 }, ...Array(8).fill('dns_failed')])
  }
  expect((await client.call('GET', '/account')).body).toMatchObject({
    credits: { available: CREDITS, reserved: 0, used: 0 },
    probing: { resolver_trusted: false },
  })
}

test('a resolver that lies about every name makes no address invalid and costs nothing, and is reported until it recovers', async () => {
  const metricsPort = await freePort()
  const worker = await startTaskWorker({
    settings: {
      ...settings,
      WORKER_METRICS_PORT: String(metricsPort),
      SMTP_HELO_NAME: 'probe.probity.example',
      SMTP_MAIL_FROM: 'bounce@probity.example',
    },
    smtpPort: await freePort(),
    addressBase: '127.97.0',
    resolverNames: PUBLIC_NAMES,
  })
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  await expectNothingInvalid('smtp')
  await vi.waitFor(async () => expect(await readReadiness()).toBe('200 dns'), SOON)
  expect(await metrics()).toContain('probity_resolver_trusted 0')

  resolver.say('truth')
  const client = await openClient()
  await vi.waitFor(async () => {
    const { body, headers } = await client.call('POST', '/validation/single', { email: 'ada@not-there.example' })
    expect([body['sub_status'], headers.get('credits-charged')]).toEqual(['domain_not_found', '1'])
  }, SOON)
  await vi.waitFor(async () => expect(await readReadiness()).toBe('200 '), SOON)
  expect(await metrics()).toContain('probity_resolver_trusted 1')

  // Its MX records are known from here on, so that only the addresses of its mail hosts are denied later.
  const validate = async (email: string) => {
    const { body, headers } = await client.call('POST', '/validation/single', { email })
    return [body['sub_status'], headers.get('credits-charged')]
  }
  expect(await validate('ada@equal-mx.example')).toEqual(['connection_failed', '1'])
  resolver.say('nxdomain')
  expect(await validate('ada@outlook.com')).toEqual(['dns_failed', '0'])
  expect(await validate('bob@equal-mx.example')).toEqual(['dns_failed', '0'])
  await worker.stop()
})

test('the same holds in DNS-only mode, with the worker of an installation', async () => {
  resolver.say('nxdomain')
  await startWorkerProcess(settings)
  await expectNothingInvalid('dns')
})
