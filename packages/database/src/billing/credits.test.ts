import { randomUUID } from 'node:crypto'
import type { LedgerKind } from '@probity/contract/constants/billing'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { getAccount, updateAccount } from '../accounts/accounts.ts'
import { insertKey } from '../accounts/keys.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { listDrift, postCredits } from './ledger.ts'

const { db } = await createTestDatabase()

async function balances(accountId: string) {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return [account.available, account.reserved, account.spent]
}

test('ledger_post moves credits between the three balances by kind', async () => {
  const { id } = await openTestAccount(db, 10)
  const job = randomUUID()
  await inTenant(db, id, async (trx) => {
    await postCredits(trx, { kind: 'reserve', credits: 6, subject: job })
    await postCredits(trx, { kind: 'settle', credits: 4, subject: job, part: 1 })
    await postCredits(trx, { kind: 'refund', credits: 1, subject: job, part: 1 })
    await postCredits(trx, { kind: 'release', credits: 2, subject: job })
  })
  expect(await balances(id)).toEqual([7, 0, 3])
})

test('ledger_post rejects a transaction that exceeds the balance and moves nothing', async () => {
  const { id } = await openTestAccount(db, 3)
  const posting = await inTenant(db, id, (trx) =>
    postCredits(trx, { kind: 'charge', credits: 4, subject: randomUUID() }),
  )
  expect(posting).toEqual({ kind: 'insufficient', available: 3 })
  expect(await balances(id)).toEqual([3, 0, 0])
})

test('ledger_post moves credits once per subject', async () => {
  const { id } = await openTestAccount(db, 5)
  const charge = { kind: 'charge', credits: 2, subject: randomUUID() } as const
  const post = () => inTenant(db, id, (trx) => postCredits(trx, charge))
  const postings = await Promise.all([post(), post(), post()])

  expect(postings.map((posting) => posting.kind).toSorted()).toEqual(['posted', 'replayed', 'replayed'])
  expect(await balances(id)).toEqual([3, 0, 2])
})

test('ledger_post throws when a subject is posted with other credits', async () => {
  const { id } = await openTestAccount(db, 5)
  const subject = randomUUID()
  const post = (credits: number) => inTenant(db, id, (trx) => postCredits(trx, { kind: 'charge', credits, subject }))
  await post(2)
  await expect(post(3)).rejects.toThrow('other credits')
})

test('ledger_post charges nothing to an account on hold, and still posts refunds', async () => {
  const { id } = await openTestAccount(db, 10)
  const job = randomUUID()
  const post = (kind: LedgerKind, credits: number, subject = randomUUID()) =>
    inTenant(db, id, async (trx) => (await postCredits(trx, { kind, credits, subject, part: 1 })).kind)
  const charge = randomUUID()
  expect([await post('reserve', 4, job), await post('charge', 1, charge)]).toEqual(['posted', 'posted'])
  await asOwner(db, (trx) => sql`update accounts set on_hold_since = now() where id = ${id}`.execute(trx))

  for (const kind of ['charge', 'reserve', 'settle'] as const) expect(await post(kind, 1)).toBe('on_hold')
  expect(await post('charge', 1, charge)).toBe('replayed')
  expect(await balances(id)).toEqual([5, 4, 1])
  for (const kind of ['grant', 'refund', 'release'] as const) expect(await post(kind, 1)).toBe('posted')
  expect(await post('adjust', -1)).toBe('posted')
  expect(await balances(id)).toEqual([7, 3, 0])
})

test('ledger_post never refunds more than was spent', async () => {
  const { id } = await openTestAccount(db, 5)
  const refund = inTenant(db, id, (trx) => postCredits(trx, { kind: 'refund', credits: 1, subject: randomUUID() }))
  await expect(refund).rejects.toThrow('accounts_spent_check')
  expect(await balances(id)).toEqual([5, 0, 0])
})

test('ledger_post grants an unlimited account exactly the missing credits', async () => {
  const { id } = await openTestAccount(db, 2, { unlimited: true })
  await inTenant(db, id, (trx) => postCredits(trx, { kind: 'charge', credits: 5, subject: randomUUID() }))
  expect(await balances(id)).toEqual([0, 0, 5])
})

test('ledger_post enforces the monthly cap of a key, minus refunds', async () => {
  const { id } = await openTestAccount(db, 100)
  const key = await inTenant(db, id, (trx) =>
    insertKey(trx, id, { mode: 'live', name: 'capped', scopes: [], monthlyCap: 3 }),
  )
  const post = (kind: 'charge' | 'refund', credits: number) =>
    inTenant(db, id, (trx) => postCredits(trx, { kind, credits, subject: randomUUID(), keyId: key.key.id }))

  expect((await post('charge', 3)).kind).toBe('posted')
  expect((await post('charge', 1)).kind).toBe('over_cap')
  expect((await post('refund', 1)).kind).toBe('posted')
  expect((await post('charge', 1)).kind).toBe('posted')
  expect((await post('charge', 1)).kind).toBe('over_cap')
})

test('the role of the API cannot write a balance or the ledger without the ledger function', async () => {
  const { id } = await openTestAccount(db, 5)
  const attempts = [
    sql`update accounts set available = 1000`,
    sql`insert into ledger (account_id, kind, subject, d_available, d_reserved, d_spent)
        values (${id}, 'grant', gen_random_uuid(), 1, 0, 0)`,
    sql`delete from ledger`,
    sql`insert into usage_days (account_id, day, key_id) values (${id}, now(), gen_random_uuid())`,
    sql`select ledger_insert(${id}, k, 5, gen_random_uuid(), 0, null, null) from ledger_kinds k where kind = 'grant'`,
  ]
  for (const attempt of attempts) {
    await expect(inTenant(db, id, (trx) => attempt.execute(trx))).rejects.toThrow('permission denied')
  }
})

test('no role can change a ledger row, not even the table owner', async () => {
  await openTestAccount(db, 5)
  await expect(asOwner(db, (trx) => sql`update ledger set d_available = 1`.execute(trx))).rejects.toThrow('append only')
  await expect(asOwner(db, (trx) => sql`delete from ledger`.execute(trx))).rejects.toThrow('append only')
  await expect(asOwner(db, (trx) => sql`truncate ledger`.execute(trx))).rejects.toThrow('append only')
})

test('every balance is the sum of its ledger', async () => {
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('an account without a grant is low on credits below 100', async () => {
  const { id } = await openTestAccount(db, 0)
  expect(await inTenant(db, id, (trx) => getAccount(trx, id))).toMatchObject({ lowAt: 100 })
})

test.for([
  { debt: 0, left: 100, isLow: false },
  { debt: 90, left: 10, isLow: false },
  { debt: 91, left: 9, isLow: true },
])('a grant of 100 that pays a debt and leaves $left makes the account low: $isLow', async ({ debt, left, isLow }) => {
  const { id } = await openTestAccount(db, 0)
  await asOwner(db, (trx) => sql`update accounts set debt = ${debt} where id = ${id}`.execute(trx))
  await grant(id, 100)
  expect(await readLow(id)).toEqual({ available: left, creditsLow: isLow })
})

test.for([
  { credits: 39, isLow: true },
  { credits: 40, isLow: false },
])('a grant of $credits makes an account with a threshold of 40 low: $isLow', async ({ credits, isLow }) => {
  const { id } = await openTestAccount(db, 0)
  await inTenant(db, id, (trx) => updateAccount(trx, id, { lowCredits: 40 }))
  await grant(id, credits)
  expect(await readLow(id)).toEqual({ available: credits, creditsLow: isLow })
})

function grant(accountId: string, credits: number) {
  return inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'grant', credits, subject: randomUUID() }))
}

function readLow(accountId: string) {
  return asOwner(db, (trx) =>
    trx.selectFrom('accounts').select(['available', 'creditsLow']).where('id', '=', accountId).executeTakeFirst(),
  )
}
