import { randomUUID } from 'node:crypto'
import { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import Value from 'typebox/value'
import { afterAll, expect, test, vi } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import { balancesOf, startClaiming, startPlainWorker } from '../testing/test-plain-worker.ts'

const api = await startTestApi()
afterAll(async () => expect(await asOwner(api.db, listDrift)).toEqual([]))

/** The verdict by the prefix of the name: `valid-…`, `invalid-…`, `risky-…`; anything else is unknown. */
function verdictOf(email: string): StoredResult {
  const status = /^(valid|invalid|risky)/i.exec(email)?.[0].toLowerCase() ?? 'unknown'
  return { ...pendingResult(email, 'blocked'), status, is_valid: status === 'valid', sub_status: '' }
}

const startWorker = () => startPlainWorker(api.db, verdictOf)

function ask(caller: TestClient, payload: object, headers: Record<string, string> = {}) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload, headers })
}

const creditsOf = ({ accountId }: TestClient) => balancesOf(api.db, accountId)

test('a bulk request returns counts and one result per unique address, in the order of first occurrence', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 10 })
  const emails = [
    'valid-a@example.com',
    'invalid-b@example.com',
    'VALID-a@EXAMPLE.com',
    'risky-c@example.com',
    'd@example.com',
  ]
  const { status, body, headers } = await ask(caller, { emails })
  expect(status).toBe(200)
  expect(Value.Check(BulkSummary, body)).toBe(true)
  expect(body).toMatchObject({
    total: 5,
    valid_count: 1,
    invalid_count: 1,
    risky_count: 1,
    unknown_count: 1,
    duplicate_count: 1,
    credits_used: 4,
    credits_refunded: 1,
    credits_charged: 3,
    reference: null,
  })
  const results = body['results'] as { email: string; status: string }[]
  expect(results.map(({ email, status: verdict }) => `${email} ${verdict}`)).toEqual([
    'valid-a@example.com valid',
    'invalid-b@example.com invalid',
    'risky-c@example.com risky',
    'd@example.com unknown',
  ])
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['3', '7'])
  expect(await creditsOf(caller)).toEqual([7, 3])
})

test('an item has its id, recommendation, estimate, suggestion, retry time and all positions in the request', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 10 })
  const emails = ['valid-a@example.com', 'invalid-b@example.com', 'VALID-a@EXAMPLE.com', 'valid-a@example.com']
  const { body } = await ask(caller, { emails })
  const results = body['results'] as Record<string, unknown>[]
  expect(results.map(({ indexes }) => indexes)).toEqual([[0, 2, 3], [1]])
  for (const item of results) {
    expect(item).toMatchObject({ safe_to_send: false, did_you_mean: null, retry_at: null })
    expect(item['deliverability']).toBe(pendingResult('', 'blocked').deliverability)
    const stored = await caller.call({ method: 'GET', url: `/api/v1/validations/${item['id']}` })
    expect(stored.body).toMatchObject({ id: item['id'], status: item['status'] })
  }
})

test('a bulk request without a key is rejected', async () => {
  const payload = { emails: ['valid-a@example.com'] }
  const { status, body } = await callApp(api.app, { method: 'POST', url: '/api/v1/validation/bulk', payload })
  expect([status, body['code']]).toEqual([401, 'missing_api_key'])
})

test('1,000 addresses are accepted in one request, and 1,001 are rejected without a charge', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 2_000 })
  const emails = Array.from({ length: 1_000 }, (_, n) => `valid-${n}@example.com`)
  const { status, body } = await ask(caller, { emails })
  expect([status, body['total'], body['valid_count'], body['credits_used']]).toEqual([200, 1_000, 1_000, 1_000])
  const over = await ask(caller, { emails: [...emails, 'one-more@example.com'] })
  expect([over.status, over.body['code']]).toEqual([400, 'invalid_request'])
  expect(await creditsOf(caller)).toEqual([1_000, 1_000])
})

test('a request that the balance does not cover is rejected as a whole, and nothing is stored', async () => {
  const caller = await api.openCaller({ credits: 2 })
  const { status, body } = await ask(caller, { emails: ['a@example.com', 'b@example.com', 'c@example.com'] })
  expect([status, body['code']]).toEqual([402, 'insufficient_credits'])
  expect(await creditsOf(caller)).toEqual([2, 0])
  const rows = await inTenant(api.db, caller.accountId, (trx) => trx.selectFrom('validations').select('id').execute())
  expect(rows).toEqual([])
})

test('unfinished validations are charged, and the next request collects their results free of charge, once', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const emails = ['valid-late1@example.com', 'valid-late2@example.com']
  const worker = startClaiming(api.db)
  const open = await ask(caller, { emails, timeout: 2 })
  await worker.stop()
  expect(open.body).toMatchObject({ unknown_count: 2, credits_used: 2, credits_refunded: 0 })
  const left = open.body['results'] as { id: string; retry_at: string }[]
  for (const { retry_at } of left) expect(Date.parse(retry_at)).toBeGreaterThan(Date.now())
  expect(await creditsOf(caller)).toEqual([8, 2])
  const again = await ask(caller, { emails, timeout: 1 })
  expect(again.body).toMatchObject({ unknown_count: 2, credits_used: 0 })

  startWorker()
  const settled = async () => {
    const rows = await inTenant(api.db, caller.accountId, (trx) =>
      trx.selectFrom('validations').select('state').execute(),
    )
    expect(rows.map(({ state }) => state)).toEqual(['final', 'final'])
  }
  await vi.waitFor(settled, 5_000)
  const collected = await ask(caller, { emails: [...emails, 'valid-new@example.com'] })
  // The results that the earlier request paid for are not in `credits_used`, and keep their ids.
  expect(collected.body).toMatchObject({ valid_count: 3, credits_used: 1, credits_charged: 1 })
  const ids = (collected.body['results'] as { id: string }[]).map(({ id }) => id)
  expect(ids.slice(0, 2)).toEqual(left.map(({ id }) => id))
  expect(await creditsOf(caller)).toEqual([7, 3])
  expect((await ask(caller, { emails })).body).toMatchObject({ valid_count: 2, credits_used: 2 })
})

test('a bulk request sent ten times concurrently with one Idempotency-Key is processed once', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 10 })
  const headers = { 'idempotency-key': randomUUID() }
  const emails = ['valid-a@example.com', 'valid-b@example.com']
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(caller, { emails }, headers)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(await creditsOf(caller)).toEqual([8, 2])
})

test('an attempt that crashed after the charge is resumed without another charge', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const headers = { 'idempotency-key': randomUUID() }
  const emails = ['valid-a@example.com', 'valid-b@example.com']
  const claiming = startClaiming(api.db)
  await ask(caller, { emails, timeout: 2 }, headers)
  await claiming.stop()
  // As if the process had crashed before it stored its response.
  await asOwner(api.db, (trx) =>
    trx
      .updateTable('idempotencyRecords')
      .set({ status: null, body: null, lockedUntil: new Date(0) })
      .where('accountId', '=', caller.accountId)
      .execute(),
  )
  startWorker()
  const again = await ask(caller, { emails, timeout: 2 }, headers)
  expect(again.body).toMatchObject({ total: 2, credits_used: 2 })
  expect(await creditsOf(caller)).toEqual([8, 2])
})

test('with a test key no mail server is probed and nothing is charged', async () => {
  const caller = await api.openCaller({ credits: 5, key: { mode: 'test' } })
  const { body, headers } = await ask(caller, { emails: ['a@example.com', 'A@example.com'] })
  expect(body).toMatchObject({ total: 2, unknown_count: 1, duplicate_count: 1, credits_used: 0 })
  expect(headers['credits-charged']).toBe('0')
})

test('empty and very long texts are validated with the others, echoed as sent, and stored with a bounded length', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 10 })
  const long = 'x'.repeat(100_000)
  const emails = ['', 'ada@example.com', `${long}1`, `${long}2`, 'half\ud83d'.repeat(1_000), `${long}1`, ' ']
  const { status, body } = await ask(caller, { emails })
  const results = body['results'] as BulkSummary['results']
  expect(status).toBe(200)
  expect(results.map(({ email }) => email)).toEqual(emails.slice(0, 5))
  expect(body).toMatchObject({ total: 7, duplicate_count: 2, credits_used: 5 })
  // The row has a bounded text, and the key of a text that is no address.
  const rows = await asOwner(api.db, (trx) =>
    trx.selectFrom('validations').select(['email', 'emailKey']).where('accountId', '=', caller.accountId).execute(),
  )
  expect(Math.max(...rows.map(({ email }) => email.length))).toBeLessThan(1_200)
  expect(rows.filter(({ emailKey }) => emailKey.startsWith(' ')).length).toBe(4)
})

test('a bulk request waits for its verdicts up to 55 seconds', { tags: ['long'], timeout: 60_000 }, async () => {
  const caller = await api.openCaller({ credits: 10 })
  const headers = { 'idempotency-key': randomUUID() }
  const waiting = ask(caller, { emails: ['valid-a@example.com'], timeout: 55 }, headers)
  await new Promise((resolve) => setTimeout(resolve, 45_000))
  startWorker()
  expect((await waiting).body).toMatchObject({ valid_count: 1, unknown_count: 0, credits_used: 1 })
  expect(await creditsOf(caller)).toEqual([9, 1])
})

test.each(['live', 'test'] as const)('an empty list has an empty summary in %s mode', async (mode) => {
  const caller = await api.openCaller({ credits: 5, key: { mode } })
  const headers = { 'idempotency-key': randomUUID() }
  const { status, body, headers: sent } = await ask(caller, { emails: [] }, headers)
  expect([status, ...Value.Errors(BulkSummary, body)]).toEqual([200])
  expect(body).toMatchObject({ total: 0, valid_count: 0, duplicate_count: 0, credits_used: 0, results: [] })
  expect([sent['credits-charged'], sent['credits-remaining']]).toEqual(['0', '5'])
  expect((await ask(caller, { emails: [] }, headers)).body).toEqual(body)
})

test.each([
  ['no list', {}],
  ['what is no text', { emails: [1] }],
  ['a timeout over the limit', { emails: ['a@example.com'], timeout: 56 }],
])('%s is rejected', async (_name, payload) => {
  const caller = await api.openCaller({ credits: 5 })
  const { status, body } = await ask(caller, payload)
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})
