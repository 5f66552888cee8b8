import { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import type { ValidationResult } from '@probity/contract/schemas/validations/single'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { createApiClient } from '../environment/instance.ts'
import { startApiProcess } from '../environment/processes.ts'
import { claimRedis } from '../environment/redis.ts'

/** The interface specification of mail servers, with a worker that can connect to loopback. */
const database = await createTestDatabase()
const dns = await startDns({
  names: {
    'truthful.example': { mx: [[10, 'mx.truthful.example']] },
    'mx.truthful.example': { a: ['127.93.0.1'] },
    'all.example': { mx: [[10, 'mx.all.example']] },
    'mx.all.example': { a: ['127.93.0.2'] },
  },
  faults: {},
})
whenDone(() => dns.stop())
const port = await freePort()
const truthful = await startScripted(
  { rcpt: (_peer, to) => (to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown') },
  { host: '127.93.0.1', port },
)
whenDone(() => truthful.stop())
const all = await startScripted({}, { host: '127.93.0.2', port })
whenDone(() => all.stop())

const settings = { DATABASE_URL: database.url, STOP_NOTICE_MS: '0' }
await startWorkerHere({
  settings: { ...settings, REDIS_URL: await claimRedis() },
  dnsPort: dns.port,
  smtpPort: port,
  allows: (address) => address.startsWith('127.93.'),
})
// As where sign-up is open.
const api = await startApiProcess({ ...settings, ABUSE_LIMITS: 'true' })
const apiClient = await createApiClient({ db: database.db, api })

async function sendRequest(email: string): Promise<ValidationResult> {
  return (await apiClient.call('POST', '/validation/single', { email })).body as unknown as ValidationResult
}

test('1 it checks SMTP reachability: the reply to the recipient decides the verdict', async () => {
  const ada = await sendRequest('ada@truthful.example')
  expect(ada).toMatchObject({ status: 'valid', sub_status: '', is_valid: true, safe_to_send: true })
  expect(ada.details).toMatchObject({ smtp_valid: true, smtp_code: 250 })
  const bob = await sendRequest('bob@truthful.example')
  expect(bob).toMatchObject({ status: 'invalid', sub_status: 'mailbox_not_found', is_valid: false })
  expect(bob.details).toMatchObject({ smtp_valid: false, smtp_code: 550 })
})

test('1 it checks for catch-all domains and reports whether it did', async () => {
  const found = await sendRequest('anybody@all.example')
  expect(found).toMatchObject({ status: 'risky', sub_status: 'catch_all', catchall: { is_catchall: true } })
  expect(found.catchall.confidence).toBeGreaterThan(0.9)
  expect(found.metadata.features_used.catchall_detection).toBe(true)
  const other = await sendRequest('ada@truthful.example')
  expect(other.catchall).toEqual({ is_catchall: false, confidence: found.catchall.confidence })
})

test('2.2 addresses of one domain in a list share one connection', async () => {
  const before = truthful.connections()
  const emails = Array.from({ length: 12 }, (_, n) => `${n % 4 === 0 ? 'nobody' : 'ada'}+${n}@truthful.example`)
  const { status, body } = await apiClient.call('POST', '/validation/bulk', { emails })
  expect([status, body['total'], body['valid_count'], body['invalid_count']]).toEqual([200, 12, 9, 3])
  expect(truthful.connections() - before).toBeLessThanOrEqual(1)
})

test('4.3, 8 a list of a thousand addresses of one domain has a result for each, also where abuse limits apply', async () => {
  const by = await createApiClient({ db: database.db, api })
  const emails = Array.from({ length: 1_000 }, (_, n) => `person${n}@all.example`)
  const { status, body } = await by.call('POST', '/validation/bulk', { emails })
  expect([status, ...Value.Errors(BulkSummary, body)]).toEqual([200])
  const summary = body as unknown as BulkSummary
  expect([summary.total, summary.duplicate_count, summary.credits_used]).toEqual([1_000, 0, 1_000])
  const { valid_count: valid, invalid_count: invalid, risky_count: risky, unknown_count: unknown } = summary
  expect(valid + invalid + risky + unknown).toBe(1_000)
  expect(summary.results.map(({ email }) => email)).toEqual(emails)
  // The first ones were probed: the domain is a catch-all.
  expect(summary.results.filter(({ status: verdict }) => verdict === 'risky').length).toBe(200)
  expect(summary.results.filter(({ status: verdict }) => verdict === 'unknown').length).toBe(800)
  // Afterwards single addresses have results too.
  const single = await by.call('GET', '/validation/single?email=one%40all.example')
  expect([single.status, single.body['status'], single.body['is_valid']]).toEqual([200, 'unknown', false])
})
