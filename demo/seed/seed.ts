import { asOwner, type Db, type Trx } from '@probity/database/connection/connect'
import { openRandom } from '@probity/lab/simulation/random'
import type { FileStorage } from '@probity/uploads/storage'
import { sql } from 'kysely'
import { GRANTS } from './data/account.ts'
import { seedJobs } from './jobs.ts'
import { seedKeys } from './keys.ts'
import { writeLedger } from './ledger.ts'
import { seedRequests } from './requests.ts'
import { DAY_MS, isoOf, type Seeding } from './rows.ts'
import { seedWebhooks } from './webhooks.ts'

/** Whether the database has neither users nor jobs nor credits. The account of `pnpm dev` for its test key may exist. */
export async function isEmpty(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (select from users) and not exists (select from jobs) and not exists (select from ledger) as empty`.execute(
    trx,
  )
  return rows[0]?.empty ?? false
}

/** Whether an account exists, and whether it has data. */
export async function findSeeded(trx: Trx, accountId: string): Promise<'absent' | 'without_data' | 'seeded'> {
  const { rows } = await sql<{ hasData: boolean }>`
    select exists (select from ledger l where l.account_id = a.id) as has_data from accounts a where a.id = ${accountId}`.execute(
    trx,
  )
  const [account] = rows
  if (account === undefined) return 'absent'
  return account.hasData ? 'seeded' : 'without_data'
}

/** Inserts 90 days of history into an account without data, in one transaction: keys, requests, jobs with their files, webhooks, credits. */
export async function seedAccount(db: Db, accountId: string, storage: FileStorage): Promise<void> {
  const nowMs = Date.now()
  await asOwner(db, async (trx) => {
    await sql`select set_config('app.account_id', ${accountId}, true)`.execute(trx)
    const seeding: Seeding = { trx, accountId, storage, random: openRandom(1), nowMs }
    const keys = await seedKeys(seeding)
    const importKeyId = keys.find(({ name }) => name === 'CRM import')?.id ?? ''
    const { jobs, transactions } = await seedJobs(seeding, importKeyId)
    const charges = await seedRequests(seeding, keys)
    await seedWebhooks(seeding, jobs, keys)
    await writeLedger(seeding, [...transactions, ...charges])
    await backdate(seeding)
  })
}

/**
 * Sets the time of the account and its audit log back. The triggers of the log reject updates, so they are off until the end of the transaction;
 * the owner of the tables may do this.
 */
async function backdate({ trx, accountId, nowMs }: Seeding): Promise<void> {
  const createdAt = isoOf(nowMs - (GRANTS[0]?.daysAgo ?? 0) * DAY_MS - 60_000)
  await sql`alter table audit_entries disable trigger user`.execute(trx)
  await sql`
    update audit_entries e set actor = 'member', actor_id = u.id, actor_name = u.name, ip = '192.0.2.17', at = coalesce(
      (select case when e.action = 'key.created' then k.created_at else coalesce(k.revoked_at, k.paused_at) end
       from api_keys k where k.id::text = e.subject_id),
      (select case when e.action = 'webhook.created' then w.created_at else w.disabled_at end
       from webhook_endpoints w where w.id::text = e.subject_id),
      ${createdAt}::timestamptz)
    from users u where e.account_id = ${accountId}`.execute(trx)
  await sql`alter table audit_entries enable trigger user`.execute(trx)
  await sql`update accounts set created_at = ${createdAt}::timestamptz, plan_since = ${createdAt}::timestamptz where id = ${accountId}`.execute(
    trx,
  )
  await sql`delete from notifications where account_id = ${accountId}`.execute(trx) // emails about keys that were created just now
  await sql`update users set created_at = ${createdAt}::timestamptz`.execute(trx)
}
