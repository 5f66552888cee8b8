import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefused, listDrift, postCredits } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Type from 'typebox'
import { expect, test } from 'vitest'
import type { Route } from '../../http/route.ts'
import { startTestApi, type TestApi, type TestClient } from '../../testing/test-api.ts'
import { refuseUnpaid, withIdempotency } from './with-idempotency.ts'

/** ROUNDS=1000 for a longer run. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 100)
/** A tenth of the rounds runs in gate 2, all of them in gate 3. */
const RUNS = [
  { rounds: ROUNDS / 10, tags: [] },
  { rounds: ROUNDS, tags: ['long'] },
]
const AT_ONCE = 200
const TRIES_MAX = 20
const COMES_BACK_MS = 500

let diesAfterCommit = false

/** A route that only charges, with the same idempotency handling as the product routes. */
const buy: Route<TestApi['services']> = async (app, services) => {
  const body = Type.Object({ credits: Type.Integer() })
  app.post('/buy', { schema: { body }, config: { idempotency: 'spends' } }, (request, reply) => {
    const { accountId } = request.auth
    const { credits } = request.body
    return withIdempotency(services, request, reply, async ({ subject }) => {
      const posting = await inTenant(services.db, accountId, (trx) =>
        postCredits(trx, { kind: 'charge', credits, subject, keyId: request.auth.id }),
      )
      if (isRefused(posting)) throw refuseUnpaid(posting)
      if (diesAfterCommit) throw new Error('the process died after the commit')
      return {
        status: 200,
        text: JSON.stringify({ receipt: randomUUID() }),
        creditsCharged: credits,
        creditsRemaining: posting.available,
      }
    })
  })
}

const hurry = new AbortController()
const api = await startTestApi({ routes: [buy], hurry: hurry.signal })
// No rate limit gets in the way of counting credits.
await asOwner(api.db, (trx) =>
  sql`insert into plans select 'unmetered', api_access, ai_enhancement, catchall_detection, refund_unknown, 1000000000, 1,
      interactive_in_flight, emails_per_file from plans where name = 'scale'`.execute(trx),
)
const openBuyer = (credits: number) => api.openCaller({ credits, plan: 'unmetered' })

function order(caller: TestClient, payload: object, idempotencyKey?: string) {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return caller.call({ method: 'POST', url: '/api/v1/buy', payload, headers })
}

/** On a slow machine some of many requests get 503 while they wait for a connection, without a charge. They are sent again. */
async function orderPatiently(caller: TestClient, payload: object) {
  for (let tries = 1; ; tries += 1) {
    const answer = await order(caller, payload)
    if (answer.status !== 503 || tries === TRIES_MAX) return answer
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await sleep(COMES_BACK_MS)
  }
}

async function balanceOf(caller: TestClient): Promise<number> {
  const row = await inTenant(api.db, caller.accountId, (trx) =>
    trx.selectFrom('accounts').select('available').executeTakeFirstOrThrow(),
  )
  return row.available
}

for (const { rounds, tags } of RUNS) {
  test(`of ${AT_ONCE} concurrent charges exactly the k that the balance covers are accepted, in ${rounds} rounds`, {
    tags,
    timeout: 60_000 + rounds * 10_000,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      const k = 1 + ((round * 37) % (AT_ONCE - 1))
      const caller = await openBuyer(k)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => orderPatiently(caller, { credits: 1 })))

      const statuses = answers.map((answer) => answer.status)
      expect(statuses.filter((status) => status === 200).length).toBe(k)
      expect(statuses.filter((status) => status === 402).length).toBe(AT_ONCE - k)
      expect(answers.every((answer) => Number(answer.headers['credits-remaining'] ?? 0) >= 0)).toBe(true)
      expect(await balanceOf(caller)).toBe(0)
      expect(await asOwner(api.db, listDrift)).toEqual([])
    }
  })
}

test('withIdempotency reports the charge and the remaining balance', async () => {
  const { headers } = await order(await openBuyer(10), { credits: 3 })
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['3', '7'])
})

test('a key at its monthly cap is rejected even if the account has credits', async () => {
  const caller = await api.openCaller({ credits: 100, plan: 'unmetered', key: { monthlyCap: 5 } })
  expect((await order(caller, { credits: 5 })).status).toBe(200)
  const { status, body } = await order(caller, { credits: 1 })
  expect([status, body['code']]).toEqual([402, 'api_key_cap_reached'])
})

test('an account with a ledger mismatch is not charged and gets Retry-After', async () => {
  const caller = await openBuyer(10)
  await asOwner(api.db, (trx) =>
    sql`update accounts set on_hold_since = now() where id = ${caller.accountId}`.execute(trx),
  )
  const { status, body, headers } = await order(caller, { credits: 1 }, 'order-0')
  expect([status, body['code'], headers['retry-after']]).toEqual([503, 'account_on_hold', '600'])
  expect(await balanceOf(caller)).toBe(10)

  await asOwner(api.db, (trx) => sql`update accounts set on_hold_since = null`.execute(trx))
  expect((await order(caller, { credits: 1 }, 'order-0')).status).toBe(200)
})

test('a hundred identical concurrent requests have one effect and the same response', async () => {
  const caller = await openBuyer(1000)
  const answers = await Promise.all(Array.from({ length: 100 }, () => order(caller, { credits: 5 }, 'order-1')))

  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true').length).toBe(99)
  expect(await balanceOf(caller)).toBe(995)
})

test('a replayed response has the body and the credit headers of the original', async () => {
  const caller = await openBuyer(10)
  const first = await order(caller, { credits: 2 }, 'order-2')
  await order(caller, { credits: 1 })
  const replay = await order(caller, { credits: 2 }, 'order-2')
  expect(replay.text).toBe(first.text)
  expect(replay.headers['credits-remaining']).toBe(first.headers['credits-remaining'])
  expect(await balanceOf(caller)).toBe(7)
})

test('the same Idempotency-Key with another body is rejected', async () => {
  const caller = await openBuyer(10)
  await order(caller, { credits: 2 }, 'order-3')
  const { status, body } = await order(caller, { credits: 3 }, 'order-3')
  expect([status, body['code']]).toEqual([422, 'idempotency_mismatch'])
  expect(await balanceOf(caller)).toBe(8)
})

test('two accounts can use the same Idempotency-Key', async () => {
  const callers = [await openBuyer(10), await openBuyer(10)]
  const answers = await Promise.all(callers.map((caller) => order(caller, { credits: 2 }, 'order-4')))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(2)
})

test('a request rejected for insufficient credits can be repeated with the same Idempotency-Key', async () => {
  const caller = await openBuyer(1)
  expect((await order(caller, { credits: 5 }, 'order-5')).status).toBe(402)
  await inTenant(api.db, caller.accountId, (trx) =>
    postCredits(trx, { kind: 'grant', credits: 9, subject: randomUUID() }),
  )
  expect((await order(caller, { credits: 5 }, 'order-5')).status).toBe(200)
  expect(await balanceOf(caller)).toBe(5)
})

/** A request that was charged and crashed before its response: its claim stays locked. */
async function dieAfterCommit(caller: TestClient, idempotencyKey: string) {
  diesAfterCommit = true
  const { status } = await order(caller, { credits: 4 }, idempotencyKey)
  diesAfterCommit = false
  expect(status).toBe(500)
}

test('a request that crashed after its commit is resumed by the next attempt and not charged again', async () => {
  const caller = await openBuyer(10)
  await dieAfterCommit(caller, 'order-6')
  expect(await balanceOf(caller)).toBe(6)

  await asOwner(api.db, (trx) => sql`update idempotency_records set locked_until = now()`.execute(trx))
  expect((await order(caller, { credits: 4 }, 'order-6')).status).toBe(200)
  expect(await balanceOf(caller)).toBe(6)
})

test('a request that is still in progress at the timeout gets 409 and Retry-After', async () => {
  const caller = await openBuyer(10)
  await dieAfterCommit(caller, 'order-7')
  setTimeout(() => hurry.abort(), 200)
  const { status, body, headers } = await order(caller, { credits: 4 }, 'order-7')
  expect([status, body['code'], headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1'])
  expect(await balanceOf(caller)).toBe(6)
})

test.each(['', 'with space', 'ü', 'x'.repeat(256)])('"%s" is rejected as an Idempotency-Key', async (key) => {
  const { status, body } = await order(await openBuyer(10), { credits: 1 }, key)
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})
