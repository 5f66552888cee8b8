import { insertKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { callApi, createApiClient } from '../environment/instance.ts'
import { startApiProcess } from '../environment/processes.ts'
import { claimRedis } from '../environment/redis.ts'

/**
 * A decision takes the same time whether the mailbox exists or not. The mail server here would make a difference
 * visible.
 */
const TELLTALE_MS = 600
const ROUNDS = 12
const ORIGIN = 'https://www.example.com'

const database = await createTestDatabase()
const dns = await startDns({
  names: {
    'telling.example': { mx: [[10, 'mx.telling.example']] },
    'mx.telling.example': { a: ['127.95.0.1'] },
  },
  faults: {},
})
whenDone(() => dns.stop())
const port = await freePort()
const server = await startScripted(
  {
    rcpt: (_peer, to) =>
      to.startsWith('there') ? { reply: '250 2.1.5 Ok', afterMs: TELLTALE_MS } : '550 5.1.1 User unknown',
  },
  { host: '127.95.0.1', port },
)
whenDone(() => server.stop())
const settings = { DATABASE_URL: database.url, STOP_NOTICE_MS: '0', TRUST_PROXY: '127.0.0.1' }
await startWorkerHere({
  settings: { ...settings, REDIS_URL: await claimRedis() },
  dnsPort: dns.port,
  smtpPort: port,
  allows: (address) => address.startsWith('127.95.'),
})
const api = await startApiProcess(settings)
const apiClient = await createApiClient({ db: database.db, api })
const { text: pageKey } = await inTenant(database.db, apiClient.accountId, (trx) =>
  insertKey(trx, apiClient.accountId, {
    mode: 'live',
    name: 'page',
    kind: 'publishable',
    scopes: ['validations:write'],
    allowedOrigins: [ORIGIN],
    visitorCap: 1_000,
  }),
)

async function askFromPage(email: string) {
  const began = performance.now()
  const headers = { 'x-api-key': pageKey, origin: ORIGIN }
  const { status, text } = await callApi(`${api.url}/api/v1/validation/decision`, 'POST', { email }, headers)
  expect(status).toBe(200)
  return { text, ms: performance.now() - began }
}

type Asked = Awaited<ReturnType<typeof askFromPage>>

function median(asked: Asked[]): number {
  return asked.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(asked.length / 2)] ?? 0
}

/** Sequential and alternating, so that other load on the machine affects both equally. */
async function compare(one: (n: number) => string, other: (n: number) => string) {
  const pairs: [Asked, Asked][] = []
  for (let n = 0; n < ROUNDS; n++) pairs.push([await askFromPage(one(n)), await askFromPage(other(n))])
  const [ones, others] = [pairs.map(([first]) => first), pairs.map(([, second]) => second)]
  return { texts: new Set(pairs.flat().map(({ text }) => text)), apartMs: Math.abs(median(ones) - median(others)) }
}

test('existing and missing mailboxes have the same response and latency, and neither is probed', {
  tags: ['timed'],
}, async () => {
  await askFromPage('warm@telling.example') // the DNS result of the domain is cached from here on
  const { texts, apartMs } = await compare(
    (n) => `there-${n}@telling.example`,
    (n) => `gone-${n}@telling.example`,
  )
  expect(texts.size).toBe(1)
  expect(apartMs).toBeLessThan(TELLTALE_MS / 3)
  expect(server.connections()).toBe(0)
})

test('a result stored with a secret key neither changes the decision nor makes it faster', {
  tags: ['timed'],
  timeout: 180_000,
}, async () => {
  const known = Array.from({ length: ROUNDS }, (_, n) => `there-known-${n}@telling.example`)
  const began = performance.now()
  const first = await apiClient.call('POST', '/validation/single', { email: known[0] ?? '', timeout: 20 })
  // A secret key sees the difference that a publishable key must not reveal.
  expect(first.body).toMatchObject({ status: 'valid' })
  expect(performance.now() - began).toBeGreaterThan(TELLTALE_MS)
  await Promise.all(known.map((email) => apiClient.call('POST', '/validation/single', { email, timeout: 30 })))
  await vi.waitFor(() => expect(server.recipients.length).toBeGreaterThanOrEqual(ROUNDS), 60_000)
  const connections = server.connections()

  const { texts, apartMs } = await compare(
    (n) => known[n] ?? '',
    (n) => `gone-unknown-${n}@telling.example`,
  )
  expect(texts.size).toBe(1)
  expect(apartMs).toBeLessThan(TELLTALE_MS / 3)
  expect(server.connections()).toBe(connections)
})
