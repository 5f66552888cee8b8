import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { postCredits } from '../billing/ledger.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { asOwnerOf, createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { insertKey, recordKeyUse } from './keys.ts'
import { listUsageByDay, listUsageByKey, sumUsage } from './usage.ts'

const { db } = await createTestDatabase()

const today = () => new Date().toISOString().slice(0, 10)
const YEAR = { from: '2025-11-02', to: '2026-11-02' }

async function openUsage() {
  const { id } = await openTestAccount(db, 100)
  const makeKey = async (name: string, mode: 'live' | 'test' = 'live') => {
    const { key } = await inTenant(db, id, (trx) => insertKey(trx, id, { mode, name, scopes: ['validations:write'] }))
    return key.id
  }
  /** Inserts the usage of a past day. */
  const insertDay = (day: string, keyId: string, requests: number) =>
    asOwner(db, (trx) =>
      sql`insert into usage_days (account_id, day, key_id, requests, credits_used, credits_committed, credits_refunded)
        values (${id}, ${day}, ${keyId}, ${requests}, ${requests - 1}, ${requests - 1}, 1)`.execute(trx),
    )
  const view = (mode: 'live' | 'test' = 'live'): View => ({ accountId: id, mode })
  return { id, makeKey, insertDay, view }
}

test('refunds are counted on their day, separately from charges, as in the ledger', async () => {
  const { id, makeKey, view } = await openUsage()
  const keyId = await makeKey('The form')
  const job = randomUUID()
  await asOwnerOf(db, id, async (trx) => {
    await postCredits(trx, { kind: 'charge', credits: 5, subject: randomUUID(), keyId })
    await postCredits(trx, { kind: 'reserve', credits: 20, subject: job, keyId })
    await postCredits(trx, { kind: 'settle', credits: 8, subject: job, keyId })
    await postCredits(trx, { kind: 'refund', credits: 2, subject: job, keyId })
    await postCredits(trx, { kind: 'release', credits: 12, subject: job, keyId })
    const validations = [randomUUID(), randomUUID(), randomUUID()]
    await sql`select ledger_refund_validations(${validations}::uuid[], ${keyId})`.execute(trx)
    await postCredits(trx, { kind: 'charge', credits: 1, subject: randomUUID() })
  })
  await recordKeyUse(db, [{ keyId, requests: 6, lastUsedAt: new Date() }])
  const days = { from: today(), to: today() }
  const byKey = await inTenant(db, id, (trx) => listUsageByKey(trx, view(), { ...days, limit: 10 }))
  expect(byKey).toEqual([
    { keyId, keyName: 'The form', requests: 6, used: 13, refunded: 5 },
    { keyId: null, keyName: null, requests: 0, used: 1, refunded: 0 },
  ])
  const total = { requests: 6, used: 14, refunded: 5 }
  expect(await inTenant(db, id, (trx) => sumUsage(trx, view(), days))).toEqual(total)
  expect(await inTenant(db, id, (trx) => listUsageByDay(trx, view(), days))).toEqual([{ day: today(), ...total }])
})

test('listUsageByDay returns exactly the days of the range, also those without usage', async () => {
  const { id, makeKey, insertDay, view } = await openUsage()
  const [first, second] = [await makeKey('first'), await makeKey('second')]
  for (const day of ['2025-11-01', '2025-11-02', '2026-03-01', '2026-11-02', '2026-11-03']) {
    await insertDay(day, first, 10)
    await insertDay(day, second, 3)
  }
  const days = await inTenant(db, id, (trx) => listUsageByDay(trx, view(), YEAR))
  expect(days).toHaveLength(366)
  expect(new Set(days.map(({ day }) => day)).size).toBe(366)
  expect(days.filter(({ requests }) => requests > 0)).toEqual(
    ['2025-11-02', '2026-03-01', '2026-11-02'].map((day) => ({ day, requests: 13, used: 13, refunded: 2 })),
  )
})

test('listUsageByKey returns the keys of one mode, most used first', async () => {
  const { id, makeKey, insertDay, view } = await openUsage()
  const [little, much, sandbox] = [await makeKey('little'), await makeKey('much'), await makeKey('sandbox', 'test')]
  await insertDay('2026-05-05', little, 2)
  await insertDay('2026-05-05', much, 40)
  await insertDay('2026-05-05', sandbox, 7)
  const names = (mode: 'live' | 'test', limit: number) =>
    inTenant(db, id, async (trx) =>
      (await listUsageByKey(trx, view(mode), { ...YEAR, limit })).map(({ keyName }) => keyName),
    )
  expect(await names('live', 10)).toEqual(['much', 'little'])
  expect(await names('live', 1)).toEqual(['much'])
  expect(await names('test', 10)).toEqual(['sandbox'])
})

test('an account cannot read the usage of another', async () => {
  const [mine, theirs] = [await openUsage(), await openUsage()]
  await theirs.insertDay('2026-05-05', await theirs.makeKey('theirs'), 9)
  const seen = await inTenant(db, mine.id, (trx) => sumUsage(trx, theirs.view(), YEAR))
  expect(seen).toEqual({ requests: 0, used: 0, refunded: 0 })
})
