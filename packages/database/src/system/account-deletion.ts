import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { cancelJob } from '../jobs/job-control.ts'

/** Objects that are deleted with an account. */
export type AccountContents = {
  name: string
  jobs: number
  runningJobs: number
  keys: number
  members: number
  webhooks: number
  overrides: number
  available: number
  unlimited: boolean
  /** Whether the account has a subscription, which must be canceled first. */
  isSubscribed: boolean
}

export async function countContents(trx: Trx, accountId: string): Promise<AccountContents> {
  const of = (table: string, more = sql``) =>
    sql`(select count(*) from ${sql.table(table)} where account_id = ${accountId} ${more})`
  const { rows } = await sql<AccountContents>`
    select a.name, a.available, a.unlimited, ${of('jobs')} as jobs,
      ${of('jobs', sql`and finished_at is null`)} as running_jobs, ${of('api_keys', sql`and revoked_at is null`)} as keys,
      ${of('members')} as members, ${of('webhook_endpoints', sql`and job_id is null`)} as webhooks, ${of('overrides')} as overrides,
      exists (select from subscriptions s where s.account_id = a.id and s.is_paid) as is_subscribed
    from accounts a where a.id = ${accountId}`.execute(trx)
  const [contents] = rows
  if (contents === undefined) throw new Error('the account does not exist')
  return contents
}

/**
 * Closes the account: its jobs end, its keys and members lose access, and nothing is sent or charged any longer.
 * `removeClosedAccounts` deletes its rows.
 */
export async function closeAccount(trx: Trx, accountId: string): Promise<void> {
  // All jobs before the account, by id: the order in which dispatch, settlement and suspension lock them.
  const jobs = trx.selectFrom('jobs').select(['id', 'mode']).where('accountId', '=', accountId)
  for (const { id, mode } of await jobs.where('finishedAt', 'is', null).orderBy('id').forUpdate().execute()) {
    await cancelJob(trx, { accountId, mode }, id)
  }
  await sql`select close_account()`.execute(trx)
}

const ROWS_AT_ONCE = 20_000
/** Limit per run; the next run continues. */
const ROUNDS_MAX = 1_000

/** Deletes the rows of accounts that were closed at least this long ago. Returns the number of accounts. */
export async function removeClosedAccounts(db: Db, afterS: number): Promise<number> {
  let gone = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await withoutTenant(db, (trx) =>
      sql<{ isGone: boolean }>`select is_gone from delete_closed_account(${afterS}, ${ROWS_AT_ONCE})`.execute(trx),
    )
    const [done] = rows
    if (done === undefined) break
    if (done.isGone) gone++
  }
  return gone
}
