import { setTimeout as sleep } from 'node:timers/promises'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, connect, type Db, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { confirmUpload, type JobClient, type JobInstance, openAccount, uploadList } from '../environment/jobs.ts'

/** An account with more queued addresses than can be validated during the measurement. */
export type Backlog = {
  /** Starts or resumes its jobs. */
  begin(): Promise<void>
  /** Pauses its jobs, and waits until no worker has claimed a batch of them. */
  rest(): Promise<void>
  /** The number of completed addresses. */
  done(): Promise<number>
}

const PLANNED_WITHIN_MS = 5 * 60_000
const AT_WORK_MIN = 2_000
const LOOK_MS = 100

type Options = { csv: string; jobs: number }

/** One job is created and planned by a worker; the others are copies of its rows. All are paused at first. */
export async function createBacklog(
  { url, databaseUrl }: JobInstance,
  { csv, jobs }: Options,
  cleanUp: AsyncDisposableStack,
): Promise<Backlog> {
  const { accountId, key } = await openAccount(databaseUrl, ['jobs:write'])
  const db = connect(databaseUrl, { connectionsMax: 2 })
  cleanUp.defer(() => db.destroy())
  const jobId = await planAndRest(db, { url, key }, { accountId, csv })
  for (let n = 1; n < jobs; n += 1) await copyJob(db, accountId, jobId)

  const backlog = { db, accountId }
  return {
    begin: () => begin(backlog),
    rest: () => rest(backlog),
    done: async () => (await readProgress(backlog)).done,
  }
}

type Whose = { db: Db; accountId: string }

/** Batches of an account on hold are not dispatched, but its job is still planned. */
async function planAndRest(db: Db, client: JobClient, { accountId, csv }: { accountId: string; csv: string }) {
  const uploaded = await uploadList(client, csv)
  const jobId = await confirmUpload(client, uploaded)
  await asOwner(db, (trx) => sql`update accounts set on_hold_since = now() where id = ${accountId}`.execute(trx))
  await eventually('the list is planned', PLANNED_WITHIN_MS, async () => {
    const { rows } = await asOwner(db, (trx) =>
      sql<{ state: string }>`select state from jobs where id = ${jobId}`.execute(trx),
    )
    return rows[0]?.state === 'processing'
  })
  await pause({ db, accountId })
  await asOwner(db, (trx) => sql`update accounts set on_hold_since = null where id = ${accountId}`.execute(trx))
  return jobId
}

async function copyJob(db: Db, accountId: string, jobId: string): Promise<void> {
  await inTenant(db, accountId, async (trx) => {
    const { rows } = await sql<{ id: string; uniqueCount: number }>`
      insert into jobs (account_id, mode, upload_id, filename, email_column, state, paused_at, row_count, email_count,
        unique_count, credits_per_email, refund_unknown, expires_on, next_batch, started_at)
      select account_id, mode, gen_random_uuid(), filename, email_column, state, paused_at, row_count, email_count,
        unique_count, credits_per_email, refund_unknown, expires_on, next_batch, started_at from jobs where id = ${jobId}
      returning id, unique_count`.execute(trx)
    const [copy] = rows
    if (copy === undefined) throw new Error('the list is gone')
    await sql`
      insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
      select expires_on, account_id, ${copy.id}, no, row_nos, emails from job_batches where job_id = ${jobId}`.execute(
      trx,
    )
    await sql`
      insert into job_queue (job_id, no, account_id, site, site_max, size)
      select ${copy.id}, no, account_id, site, site_max, size from job_queue where job_id = ${jobId}`.execute(trx)
    await postCredits(trx, { kind: 'reserve', credits: copy.uniqueCount, subject: copy.id })
  })
}

async function pause({ db, accountId }: Whose): Promise<void> {
  await asOwner(db, (trx) => sql`update jobs set paused_at = now() where account_id = ${accountId}`.execute(trx))
}

async function begin(backlog: Whose): Promise<void> {
  const { db, accountId } = backlog
  await asOwner(db, (trx) => sql`update jobs set paused_at = null where account_id = ${accountId}`.execute(trx))
  const { done } = await readProgress(backlog)
  await eventually('work is going on', 60_000, async () => (await readProgress(backlog)).done >= done + AT_WORK_MIN)
}

async function rest(backlog: Whose): Promise<void> {
  await pause(backlog)
  await eventually('the backlog is idle', 120_000, async () => (await readProgress(backlog)).held === 0)
}

async function readProgress({ db, accountId }: Whose): Promise<{ done: number; held: number }> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ done: number; held: number }>`
      select (select sum(done_count) from jobs where account_id = ${accountId})::integer as done,
        (select count(*) from job_queue where queued_at is not null and claimed_by is not null
           and account_id = ${accountId})::integer as held`.execute(trx),
  )
  return rows[0] ?? { done: 0, held: 0 }
}

async function eventually(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(LOOK_MS)) if (await isSo()) return
  throw new Error(`not in time: ${what}`)
}
