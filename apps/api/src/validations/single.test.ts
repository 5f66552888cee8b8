import { randomUUID } from 'node:crypto'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { deferValidations } from '@probity/database/validations/deferred'
import { claimValidations, listWaiting } from '@probity/database/validations/queue'
import { finishValidations } from '@probity/database/validations/validations'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { balancesOf, startClaiming, startPlainWorker } from '../testing/test-plain-worker.ts'
import { keepRecent } from '../testing/test-predictions.ts'

const api = await startTestApi()

type Ended = 'invalid' | 'unknown'

/** A worker that gives every address the same verdict. */
function startWorker(status: Ended) {
  return startPlainWorker(api.db, (email) => ({
    ...pendingResult(email, 'not_probed'),
    ...(status === 'invalid' && INVALID),
  }))
}

const INVALID = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false }

function ask(caller: TestClient, payload: object, headers: Record<string, string> = {}) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload, headers })
}

/** Sends a request that times out while a worker has claimed the address. */
async function askClaimed(caller: TestClient, payload: object) {
  const worker = startClaiming(api.db)
  const answer = await ask(caller, { ...payload, timeout: 2 })
  await worker.stop()
  return answer
}

const creditsOf = ({ accountId }: TestClient) => balancesOf(api.db, accountId)

test('a definite verdict costs one credit and has exactly the shape of the contract, by POST and GET', async () => {
  startWorker('invalid')
  const caller = await api.openCaller({ credits: 5 })
  const posted = await ask(caller, { email: 'ada@example.com' })
  expect(posted.status).toBe(200)
  expect(Value.Check(ValidationResult, posted.body)).toBe(true)
  expect(posted.body).toMatchObject({ email: 'ada@example.com', status: 'invalid', livemode: true, retry_at: null })
  expect([posted.headers['credits-charged'], posted.headers['credits-remaining']]).toEqual(['1', '4'])

  const got = await caller.call({ method: 'GET', url: '/api/v1/validation/single?email=bob%2Bnews@example.com' })
  expect(Value.Check(ValidationResult, got.body)).toBe(true)
  expect(got.body).toMatchObject({ email: 'bob+news@example.com', status: 'invalid' })
  expect(await creditsOf(caller)).toEqual([3, 2])
})

test('features_used lists the features that contributed to the result, not those of the plan', async () => {
  const tested = { catchall: { is_catchall: false, confidence: 0.98 }, ai_enhancement: { used: true, method: 'm-1' } }
  startPlainWorker(api.db, (email) => ({
    ...pendingResult(email, 'not_probed'),
    ...INVALID,
    ...(email.startsWith('tested') && tested),
  }))
  const caller = await api.openCaller({ credits: 10 })
  const used = async (email: string) => {
    const { body } = await ask(caller, { email })
    const stored = await caller.call({ method: 'GET', url: `/api/v1/validations/${body['id']}` })
    return [body, stored.body].map((one) => (one['metadata'] as { features_used: object }).features_used)
  }
  const neither = { catchall_detection: false, ai_enhancement: false }
  const both = { catchall_detection: true, ai_enhancement: true }
  expect(await used('plain@example.com')).toEqual([neither, neither])
  expect(await used('tested@example.com')).toEqual([both, both])

  await vi.waitFor(() => keepRecent(api, caller, 'plain-recent@example.com'))
  await keepRecent(api, caller, 'tested-recent@example.com', tested)
  const usedInRecent = async (email: string) => {
    const { body } = await ask(caller, { email })
    expect(body).toMatchObject({ status: 'risky' })
    return (body['metadata'] as { features_used: object }).features_used
  }
  expect(await usedInRecent('plain-recent@example.com')).toEqual(neither)
  expect(await usedInRecent('tested-recent@example.com')).toEqual(both)
})

test('the longest address and reference are accepted with every character escaped, and more is too large', async () => {
  startWorker('invalid')
  const caller = await api.openCaller({ credits: 5 })
  const escaped = (count: number) => '\\ud83d\\ude00'.repeat(count)
  const send = (payload: string) => {
    const headers = { 'content-type': 'application/json' }
    return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload, headers })
  }
  expect((await send(`{"email":"${escaped(1024)}","reference":"${escaped(200)}"}`)).status).toBe(200)
  expect((await send(`{"email":"${escaped(1400)}"}`)).body).toMatchObject({ code: 'payload_too_large' })
})

test('a plus sign that is not encoded in the query is suggested, and a space in a body is not', async () => {
  startWorker('invalid')
  const caller = await api.openCaller({ credits: 10 })
  const get = (query: string) => caller.call({ method: 'GET', url: `/api/v1/validation/single?email=${query}` })
  const decoded = await get('ada+x@example.com')
  expect(decoded.body).toMatchObject({ email: 'ada x@example.com', did_you_mean: 'ada+x@example.com' })
  expect((await get('ada%20x@example.com')).body).toMatchObject({ did_you_mean: null })
  expect((await get('ada%2Bx@example.com')).body).toMatchObject({ email: 'ada+x@example.com', did_you_mean: null })
  expect((await ask(caller, { email: 'ada x@example.com' })).body).toMatchObject({ did_you_mean: null })
  await vi.waitFor(() => keepRecent(api, caller, 'eve x@example.com'))
  expect((await get('eve+x@example.com')).body).toMatchObject({ status: 'risky', did_you_mean: 'eve+x@example.com' })
})

test('an unknown final result is refunded', async () => {
  startWorker('unknown')
  const caller = await api.openCaller({ credits: 5 })
  const { body, headers } = await ask(caller, { email: 'ada@example.com' })
  expect(body).toMatchObject({ status: 'unknown', sub_status: 'not_probed', is_valid: false })
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['0', '5'])
  expect(await creditsOf(caller)).toEqual([5, 0])
})

test('an unfinished validation is charged, and the next request collects its result free of charge, once', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const open = await askClaimed(caller, { email: 'Ada@example.com' })
  expect(open.body).toMatchObject({ status: 'unknown', sub_status: 'timeout', email: 'Ada@example.com' })
  expect(Date.parse(String(open.body['retry_at']))).toBeGreaterThan(Date.now())
  expect(await creditsOf(caller)).toEqual([4, 1])

  const worker = startWorker('invalid')
  await vi.waitFor(async () =>
    expect(await listWaiting(api.db, { olderThanMs: 0, limit: 10, egresses: [] })).toEqual([]),
  )
  const collected = await ask(caller, { email: 'ada@example.com' })
  expect(collected.body).toMatchObject({ status: 'invalid', id: open.body['id'], email: 'ada@example.com' })
  expect(collected.headers['credits-charged']).toBe('0')
  expect(await creditsOf(caller)).toEqual([4, 1])

  const again = await ask(caller, { email: 'ada@example.com' })
  expect(again.body['id']).not.toBe(open.body['id'])
  expect(await creditsOf(caller)).toEqual([3, 2])
  await worker.stop()
})

test('a deferred result is returned at once without a refund, and collected free of charge when it is final', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const asking = ask(caller, { email: 'ada@example.com' })
  const [taken] = await vi.waitFor(async () => {
    const waiting = await listWaiting(api.db, { olderThanMs: 0, limit: 10, egresses: [] })
    const found = await claimValidations(api.db, waiting, { holdS: 60, egresses: [] })
    expect(found.length).toBe(1)
    return found
  })
  if (taken === undefined) throw new Error('nothing was taken')
  const { ref, email } = taken
  const putOff = { ref, provisional: pendingResult(email, 'greylisted'), retryAfterMs: 60_000, egress: 'a.example' }
  await inTenant(api.db, ref.accountId, (trx) => deferValidations(trx, ref.accountId, [putOff]))

  const { body, headers } = await asking
  expect(body).toMatchObject({ status: 'unknown', sub_status: 'greylisted', id: ref.id })
  expect(Date.parse(String(body['retry_at']))).toBeGreaterThan(Date.now() + 50_000)
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['1', '4'])
  expect(await listWaiting(api.db, { olderThanMs: 0, limit: 10, egresses: ['a.example'] })).toEqual([])

  const result = { ...pendingResult(email, 'greylisted'), status: 'valid', sub_status: '' }
  const finish = { ref, conclusive: true, result }
  await inTenant(api.db, ref.accountId, (trx) => finishValidations(trx, ref.accountId, [finish]))
  const collected = await ask(caller, { email: 'ada@example.com' })
  expect(collected.body).toMatchObject({ status: 'valid', id: ref.id, retry_at: null })
  expect(collected.headers['credits-charged']).toBe('0')
  expect(await creditsOf(caller)).toEqual([4, 1])
})

test('a repeated request joins the running validation without another charge', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const open = await askClaimed(caller, { email: 'ada@example.com' })
  expect(open.body).toMatchObject({ sub_status: 'timeout' })
  const again = await ask(caller, { email: 'ADA@example.com', timeout: 1 })
  expect(again.body).toMatchObject({ sub_status: 'timeout', id: open.body['id'] })
  expect([again.headers['credits-charged'], ...(await creditsOf(caller))]).toEqual(['0', 4, 1])

  const waiting = ask(caller, { email: 'ada@example.com', timeout: 10 })
  startWorker('invalid')
  expect((await waiting).body).toMatchObject({ status: 'invalid', id: open.body['id'], retry_at: null })
  expect(await creditsOf(caller)).toEqual([4, 1])
  const later = await ask(caller, { email: 'ada@example.com' })
  expect(later.body['id']).not.toBe(open.body['id'])
  expect(await creditsOf(caller)).toEqual([3, 2])
})

test('without credits nothing is started or stored', async () => {
  const caller = await api.openCaller({ credits: 0 })
  const { status, body } = await ask(caller, { email: 'ada@example.com' })
  expect([status, body['code']]).toEqual([402, 'insufficient_credits'])
  expect(await listWaiting(api.db, { olderThanMs: 0, limit: 10, egresses: [] })).toEqual([])
})

test('of many concurrent requests exactly as many are accepted as the balance covers', async () => {
  startWorker('invalid')
  const caller = await api.openCaller({ credits: 7 })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(caller, { email: `a${n}@example.com` })))
  expect(answers.filter((answer) => answer.status === 200).length).toBe(7)
  expect(answers.filter((answer) => answer.status === 402).length).toBe(23)
  expect(await creditsOf(caller)).toEqual([0, 7])
  expect(await asOwner(api.db, listDrift)).toEqual([])
})

test.each(['nul\0@example.com', 'half\ud83d@example.com'])(
  'an address that the database cannot store gets a verdict too: %j',
  async (email) => {
    startWorker('invalid')
    const { status, body } = await ask(await api.openCaller({ credits: 5 }), { email })
    expect([status, body['email']]).toEqual([200, email])
  },
)

test('an account has a limited number of concurrent validations, and others wait two seconds for a slot', async () => {
  await asOwner(api.db, (trx) =>
    sql`insert into plans select 'two-at-once', api_access, ai_enhancement, catchall_detection, refund_unknown,
        requests_per_window, window_s, 2, emails_per_file from plans where name = 'payg'`.execute(trx),
  )
  const caller = await api.openCaller({ credits: 5, plan: 'two-at-once' })
  const asking = [1, 2, 3].map((n) => ask(caller, { email: `a${n}@example.com`, timeout: 5 }))
  const statuses = (await Promise.all(asking)).map(({ status, body }) => String(body['code'] ?? status))
  expect(statuses.toSorted()).toEqual(['200', '200', 'concurrency_limited'])
  const short = [1, 2, 3, 4].map((n) => ask(caller, { email: `b${n}@example.com`, timeout: 1 }))
  expect((await Promise.all(short)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // No worker ran, so the charges were refunded.
  expect(await creditsOf(caller)).toEqual([5, 0])
})

test('a test key charges nothing, starts nothing and returns livemode false', async () => {
  const caller = await api.openCaller({ credits: 5, key: { mode: 'test' } })
  const { body, headers } = await ask(caller, { email: 'ada@example.com' })
  expect(Value.Check(ValidationResult, body)).toBe(true)
  expect(body).toMatchObject({ status: 'unknown', sub_status: 'sandbox_unmapped', livemode: false })
  expect(headers['credits-charged']).toBe('0')
  expect(await creditsOf(caller)).toEqual([5, 0])
})

test('a request sent ten times concurrently with one Idempotency-Key is validated once', async () => {
  startWorker('invalid')
  const caller = await api.openCaller({ credits: 5 })
  const key = { 'idempotency-key': randomUUID() }
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(caller, { email: 'ada@example.com' }, key)))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(await creditsOf(caller)).toEqual([4, 1])
})

test.each([
  [{}, '/email'],
  [{ email: 7 }, '/email'],
  [{ email: 'a@example.com', timeout: 0 }, '/timeout'],
  [{ email: 'a@example.com', timeout: 31 }, '/timeout'],
])('%j is rejected with a pointer to %s and without a charge', async (payload, pointer) => {
  const caller = await api.openCaller({ credits: 5 })
  const { status, body } = await ask(caller, payload)
  expect(status).toBe(400)
  expect(body['errors']).toContainEqual(expect.objectContaining({ pointer }))
  expect(await creditsOf(caller)).toEqual([5, 0])
})

test('100 concurrent requests for one pending validation all get a response at their timeout', async () => {
  const caller = await api.openCaller({ credits: 5, plan: 'scale' })
  const open = await askClaimed(caller, { email: 'ada@example.com' })
  const joined = await Promise.all(
    Array.from({ length: 100 }, () => ask(caller, { email: 'ada@example.com', timeout: 2 })),
  )
  const pending = { sub_status: 'timeout', id: open.body['id'] }
  expect(joined.map(({ status, body }) => ({ status, body }))).toMatchObject(
    joined.map(() => ({ status: 200, body: pending })),
  )
  expect(await creditsOf(caller)).toEqual([4, 1])
})

test('100 concurrent requests for one pending validation all get its verdict when it ends', async () => {
  const caller = await api.openCaller({ credits: 5, plan: 'scale' })
  const open = await askClaimed(caller, { email: 'ada@example.com' })
  const wait = vi.spyOn(api.services.dispatch.results, 'wait')
  const joined = Array.from({ length: 100 }, () => ask(caller, { email: 'ada@example.com', timeout: 20 }))
  await vi.waitFor(() => expect(wait).toHaveBeenCalledTimes(100))
  startWorker('invalid')
  const verdict = { status: 'invalid', id: open.body['id'], retry_at: null }
  expect((await Promise.all(joined)).map(({ body }) => body)).toMatchObject(joined.map(() => verdict))
  expect(await creditsOf(caller)).toEqual([4, 1])
})

test('requests for one pending validation end within a second of their timeout', { tags: ['timed'] }, async () => {
  const caller = await api.openCaller({ credits: 5, plan: 'scale' })
  await askClaimed(caller, { email: 'ada@example.com' })
  const began = performance.now()
  await Promise.all(Array.from({ length: 100 }, () => ask(caller, { email: 'ada@example.com', timeout: 2 })))
  expect(performance.now() - began).toBeLessThan(3_000)
})
