import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import { cancelJob } from './job-control.ts'

/** What goes with an account. */
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
  /** Whether it pays for a plan, which somebody must end first. */
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
  if (contents === undefined) throw new Error('the account is not there')
  return contents
}

/**
 * Deletes the tenant's account as far as anybody can see: its lists end, its keys and members are out, nothing is sent and nothing
 * charged. `removeClosedAccounts` removes its rows.
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
/** What one run takes on; the rest is for the next. */
const ROUNDS_MAX = 1_000

/** Removes what is left of accounts that were closed so long ago. Says how many are gone. */
export async function removeClosedAccounts(db: Db, afterS: number): Promise<number> {
  let gone = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await asNobody(db, (trx) =>
      sql<{ isGone: boolean }>`select is_gone from delete_closed_account(${afterS}, ${ROWS_AT_ONCE})`.execute(trx),
    )
    const [done] = rows
    if (done === undefined) break
    if (done.isGone) gone++
  }
  return gone
}
