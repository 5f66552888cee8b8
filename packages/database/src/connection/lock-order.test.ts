import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { insertKey } from '../accounts/keys.ts'
import { confirmTestJob } from '../jobs/test-jobs.ts'
import { suspendAccount } from '../operators/accounts.ts'
import { closeAccount } from '../system/account-deletion.ts'
import { asOwner, inTenant, type Trx } from './connect.ts'
import { createTestDatabase, openTestAccount } from './test-database.ts'

const { db } = await createTestDatabase()

/**
 * Runs `first`, then `other` in a second transaction, and as soon as that one waits for a lock, `second` in the first. PostgreSQL cancels
 * one of the two if each waits for the other.
 */
async function interleave(steps: { first: Step; other: () => Promise<unknown>; second: Step }): Promise<void> {
  let other: Promise<unknown> | undefined
  await asOwner(db, async (trx) => {
    await steps.first(trx)
    other = steps.other()
    other.catch(() => {})
    await vi.waitFor(async () => expect(await countWaiting(trx)).toBe(1))
    await steps.second(trx)
  })
  await other
}

type Step = (trx: Trx) => Promise<unknown>

async function countWaiting(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_locks where not granted and pid <> pg_backend_pid()
      and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(trx)
  return rows[0]?.count ?? 0
}

test('an account can be closed while the use of its keys is recorded', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const { key } = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { name: 'a key', mode: 'live', scopes: [] }),
  )
  await interleave({
    first: (trx) => sql`select from api_keys where id = ${key.id} for no key update`.execute(trx),
    other: () => inTenant(db, accountId, (trx) => closeAccount(trx, accountId)),
    second: (trx) =>
      sql`insert into usage_days (account_id, day, key_id, requests) values (${accountId}, utc_today(), ${key.id}, 1)`.execute(
        trx,
      ),
  })
})

test('an account can be suspended while a batch of it is settled', async () => {
  const { id: accountId } = await openTestAccount(db, 10)
  const job = await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await interleave({
    first: (trx) => sql`select from jobs where id = ${job.id} for no key update`.execute(trx),
    other: () => asOwner(db, (trx) => suspendAccount(trx, accountId)),
    second: (trx) => sql`select from accounts where id = ${accountId} for no key update`.execute(trx),
  })
})

test('an account can be closed while a batch of one of its jobs is settled', async () => {
  const { id: accountId } = await openTestAccount(db, 10)
  const job = await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await interleave({
    first: (trx) => sql`select from jobs where id = ${job.id} for no key update`.execute(trx),
    other: () => inTenant(db, accountId, (trx) => closeAccount(trx, accountId)),
    second: (trx) => sql`select from accounts where id = ${accountId} for no key update`.execute(trx),
  })
})
