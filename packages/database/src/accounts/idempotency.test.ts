import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import {
  type Claimed,
  claimIdempotency,
  type IdempotentRequest,
  releaseIdempotency,
  saveResponse,
} from './idempotency.ts'

const { db } = await createTestDatabase()
const ANSWER = {
  status: 200,
  headers: { 'credits-charged': '1', 'X-Odd': 'ä "quoted"' },
  body: '{"b": 1,\n "a": "é\\u0000"}',
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function requestOf(key: string, { route = 'POST /single', body = '{}' } = {}): IdempotentRequest {
  return { route, keyHash: sha256(key), fingerprint: sha256(body) }
}

function claim(accountId: string, request: IdempotentRequest) {
  return inTenant(db, accountId, (trx) => claimIdempotency(trx, request))
}

async function claimFirst(accountId: string, request: IdempotentRequest): Promise<Claimed> {
  const claimed = await claim(accountId, request)
  expect(claimed.kind).toBe('claimed')
  return claimed as Claimed
}

function save(accountId: string, claimed: Claimed, response = ANSWER) {
  return inTenant(db, accountId, (trx) => saveResponse(trx, accountId, claimed, response))
}

function release(accountId: string, claimed: Claimed) {
  return inTenant(db, accountId, (trx) => releaseIdempotency(trx, accountId, claimed))
}

/** Moves one timestamp of a record into the past. */
async function letPass(accountId: string, column: 'locked_until' | 'expires_at') {
  await asOwner(db, (trx) =>
    sql`update idempotency_records set ${sql.ref(column)} = now() - interval '1 second'
        where account_id = ${accountId}`.execute(trx),
  )
}

async function countRecords(accountId: string): Promise<number> {
  const records = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('idempotencyRecords').select('subject').execute(),
  )
  return records.length
}

test('the first request claims the key, and a second one finds it in progress', async () => {
  const { id } = await openTestAccount(db, 0)
  await claimFirst(id, requestOf('k'))
  expect(await claim(id, requestOf('k'))).toEqual({ kind: 'in_progress' })
})

test('a stored response is replayed byte for byte with its headers, any number of times', async () => {
  const { id } = await openTestAccount(db, 0)
  await save(id, await claimFirst(id, requestOf('k')))
  for (const _ of [1, 2, 3]) expect(await claim(id, requestOf('k'))).toEqual({ kind: 'replay', response: ANSWER })
})

test('a stored response outlives its lock', async () => {
  const { id } = await openTestAccount(db, 0)
  await save(id, await claimFirst(id, requestOf('k')))
  await letPass(id, 'locked_until')
  expect(await claim(id, requestOf('k'))).toEqual({ kind: 'replay', response: ANSWER })
})

test('the same key with another body is a mismatch, before and after the response', async () => {
  const { id } = await openTestAccount(db, 0)
  const claimed = await claimFirst(id, requestOf('k'))
  const other = requestOf('k', { body: '{"other":1}' })
  expect(await claim(id, other)).toEqual({ kind: 'mismatch' })
  await letPass(id, 'locked_until')
  expect(await claim(id, other)).toEqual({ kind: 'mismatch' })
  await save(id, claimed)
  expect(await claim(id, other)).toEqual({ kind: 'mismatch' })
})

test('a released key can be claimed again, even with another body', async () => {
  const { id } = await openTestAccount(db, 0)
  const first = await claimFirst(id, requestOf('k'))
  await release(id, first)
  const second = await claimFirst(id, requestOf('k', { body: '{"other":1}' }))
  expect(second.subject).not.toBe(first.subject)
})

test('a key with a stored response is not released', async () => {
  const { id } = await openTestAccount(db, 0)
  const claimed = await claimFirst(id, requestOf('k'))
  await save(id, claimed)
  await release(id, claimed)
  expect(await claim(id, requestOf('k'))).toMatchObject({ kind: 'replay' })
})

test('a claim with an expired lock is resumed by one request, under the same subject', async () => {
  const { id } = await openTestAccount(db, 0)
  const first = await claimFirst(id, requestOf('k'))
  await letPass(id, 'locked_until')

  const claims = await Promise.all([1, 2, 3, 4].map(() => claim(id, requestOf('k'))))
  const kinds = claims.map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['in_progress', 'in_progress', 'in_progress', 'resumed'])
  const resumed = claims.find(({ kind }) => kind === 'resumed') as Claimed
  expect(resumed).toEqual({ ...first, kind: 'resumed', lock: expect.not.stringMatching(first.lock) })

  await save(id, resumed)
  expect(await claim(id, requestOf('k'))).toEqual({ kind: 'replay', response: ANSWER })
})

test('a stale claim can neither save a response nor release the key', async () => {
  const { id } = await openTestAccount(db, 0)
  const lost = await claimFirst(id, requestOf('k'))
  await letPass(id, 'locked_until')
  const resumed = (await claim(id, requestOf('k'))) as Claimed

  await save(id, lost)
  await inTenant(db, id, (trx) => releaseIdempotency(trx, id, lost))
  expect((await claim(id, requestOf('k'))).kind).toBe('in_progress')
  await save(id, resumed)
  expect((await claim(id, requestOf('k'))).kind).toBe('replay')
})

test.for([true, false])(
  'a key can be claimed again after 24 hours, with or without a response (%s)',
  async (answered) => {
    const { id } = await openTestAccount(db, 0)
    const first = await claimFirst(id, requestOf('k'))
    if (answered) await save(id, first)
    await letPass(id, 'expires_at')

    const second = await claimFirst(id, requestOf('k', { body: '{"other":1}' }))
    expect(second.subject).not.toBe(first.subject)
    expect(await claim(id, requestOf('k', { body: '{"other":1}' }))).toEqual({ kind: 'in_progress' })
    expect(await claim(id, requestOf('k'))).toEqual({ kind: 'mismatch' })
  },
)

test('a record is kept for 24 hours, in the partition of its expiry day', async () => {
  const { id } = await openTestAccount(db, 0)
  const { expiresOn } = await claimFirst(id, requestOf('k'))
  const { rows } = await inTenant(db, id, (trx) =>
    sql`select (expires_at at time zone 'utc')::date as ends_on,
               expires_at - now() between interval '23:59' and interval '24:00:01' as stands_for_a_day,
               locked_until - now() between interval '89 s' and interval '91 s' as locked_for_90_s
        from idempotency_records`.execute(trx),
  )
  expect(rows).toEqual([{ endsOn: expiresOn, standsForADay: true, lockedFor90S: true }])
})

test('two accounts and two routes may use the same key', async () => {
  const [one, two] = [await openTestAccount(db, 0), await openTestAccount(db, 0)]
  const claims = [
    await claimFirst(one.id, requestOf('k')),
    await claimFirst(two.id, requestOf('k')),
    await claimFirst(one.id, requestOf('k', { route: 'POST /other' })),
  ]
  expect(new Set(claims.map(({ subject }) => subject)).size).toBe(3)
  await save(one.id, claims[0] as Claimed)
  expect(await claim(two.id, requestOf('k'))).toEqual({ kind: 'in_progress' })
  expect(await claim(one.id, requestOf('k', { route: 'POST /other' }))).toEqual({ kind: 'in_progress' })
})

test('exactly one of 50 concurrent claims gets the key', async () => {
  const { id } = await openTestAccount(db, 0)
  const claims = await Promise.all(Array.from({ length: 50 }, () => claim(id, requestOf('k'))))
  const kinds = claims.map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['claimed', ...Array<string>(49).fill('in_progress')])
  expect(await countRecords(id)).toBe(1)
})

test('exactly one of 50 concurrent claims gets a key that was used 24 hours ago', async () => {
  const { id } = await openTestAccount(db, 0)
  const first = await claimFirst(id, requestOf('k'))
  // Expired earlier today, like a record that was claimed yesterday: it is in another partition.
  await asOwner(db, (trx) =>
    sql`update idempotency_records set expires_on = utc_today(), expires_at = now() - interval '1 second'
        where account_id = ${id}`.execute(trx),
  )
  const claims = await Promise.all(Array.from({ length: 50 }, () => claim(id, requestOf('k'))))
  const claimed = claims.filter(({ kind }) => kind === 'claimed') as Claimed[]
  expect(claimed.length).toBe(1)
  expect(claimed[0]?.subject).not.toBe(first.subject)
})

test('an expired claim can neither save a response for its successor nor release its key', async () => {
  const { id } = await openTestAccount(db, 0)
  const lapsed = await claimFirst(id, requestOf('k'))
  await letPass(id, 'expires_at')
  const current = await claimFirst(id, requestOf('k'))

  await save(id, lapsed, { ...ANSWER, body: 'stale' })
  await release(id, lapsed)
  expect(await claim(id, requestOf('k'))).toEqual({ kind: 'in_progress' })
  await save(id, current)
  expect(await claim(id, requestOf('k'))).toEqual({ kind: 'replay', response: ANSWER })
})

test('an account can neither complete nor release the claim of another account', async () => {
  const [owner, outsider] = [await openTestAccount(db, 0), await openTestAccount(db, 0)]
  const claimed = await claimFirst(owner.id, requestOf('k'))
  for (const named of [owner.id, outsider.id]) {
    await inTenant(db, outsider.id, (trx) => saveResponse(trx, named, claimed, ANSWER))
    await inTenant(db, outsider.id, (trx) => releaseIdempotency(trx, named, claimed))
  }
  expect(await claim(owner.id, requestOf('k'))).toEqual({ kind: 'in_progress' })
})

test('a rolled-back claim has no effect', async () => {
  const { id } = await openTestAccount(db, 0)
  const failing = inTenant(db, id, async (trx) => {
    await claimIdempotency(trx, requestOf('k'))
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await claimFirst(id, requestOf('k'))
})

test("the client's key is stored as a hash only, and other values are rejected", async () => {
  const { id } = await openTestAccount(db, 0)
  const key = 'order 4711 of a customer'
  await save(id, await claimFirst(id, requestOf(key)))

  const { rows } = await inTenant(db, id, (trx) =>
    sql<{ row: string }>`select to_jsonb(r)::text as row from idempotency_records r`.execute(trx),
  )
  const text = rows.map(({ row }) => row).join()
  expect(text).toContain(sha256(key).toString('hex'))
  for (const encoding of ['utf8', 'hex', 'base64'] as const)
    expect(text).not.toContain(Buffer.from(key).toString(encoding))

  const careless = { ...requestOf(key), keyHash: Buffer.from(key) }
  await expect(claim(id, careless)).rejects.toThrow('key_hash_check')
})
