import type { KeyMode } from '@probity/contract/key-format'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Trx } from './connect.ts'
import { type Posting, postCredits } from './credits.ts'
import type { Schema } from './schema.ts'

/** Whose jobs somebody sees: those of one account that were confirmed with a key of one mode. */
export type JobView = { accountId: string; mode: KeyMode }

export type ConfirmableUpload = Pick<
  Selectable<Schema['uploads']>,
  'storageKey' | 'encoding' | 'delimiter' | 'hasHeader' | 'columns' | 'suggestedColumn' | 'emailCount' | 'uniqueCount'
>

/** A minute before its time is over an upload is no longer taken, so that its file is not removed while it becomes a job. */
const STILL_KEPT = sql<boolean>`expires_at > clock_timestamp() + interval '1 minute'`

/** An upload that can still be confirmed. */
export function findConfirmable(trx: Trx, view: JobView, uploadId: string): Promise<ConfirmableUpload | undefined> {
  return trx
    .selectFrom('uploads')
    .select(['storageKey', 'encoding', 'delimiter', 'hasHeader', 'columns', 'suggestedColumn'])
    .select(['emailCount', 'uniqueCount'])
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .where('id', '=', uploadId)
    .where(STILL_KEPT)
    .executeTakeFirst()
}

/** What a file has in the chosen column. */
export type EmailCounts = { emailCount: number; uniqueCount: number }

export type Confirmation = EmailCounts & { uploadId: string; emailColumn: string; keyId: string | null }

export type Confirmed =
  | { kind: 'confirmed'; jobId: string }
  | { kind: 'missing' }
  | { kind: 'refused'; posting: Posting }
  | Replay

type Replay = { kind: 'replayed'; jobId: string } | { kind: 'confirmed_otherwise' }

/**
 * Turns an upload into a job and sets its credits aside, once, however often it is asked for. Takes a transaction that the caller
 * must roll back where it is refused.
 */
export async function confirmUpload(trx: Trx, view: JobView, confirmation: Confirmation): Promise<Confirmed> {
  const { uploadId, emailColumn, keyId } = confirmation
  const job = await insertJob(trx, view, confirmation)
  if (job === undefined) return (await findReplay(trx, view, { uploadId, emailColumn })) ?? { kind: 'missing' }

  const credits = job.uniqueCount * job.creditsPerEmail
  if (credits > 0) {
    const posting = await postCredits(trx, { kind: 'reserve', credits, subject: job.id, keyId })
    if (posting.kind !== 'posted') return { kind: 'refused', posting }
  }
  // A week, for exports; but no file stays when the results of its addresses have left.
  const expiresAt = sql<Date>`
    least(clock_timestamp() + interval '7 days', (${job.expiresOn}::date + 1)::timestamp at time zone 'utc')`
  await expireUpload(trx, { accountId: view.accountId, uploadId }, expiresAt)
  return { kind: 'confirmed', jobId: job.id }
}

async function insertJob(trx: Trx, { accountId, mode }: JobView, confirmation: Confirmation) {
  const { uploadId, emailColumn, keyId, emailCount, uniqueCount } = confirmation
  const { rows } = await sql<{ id: string; uniqueCount: number; creditsPerEmail: number; expiresOn: string }>`
    insert into jobs (account_id, mode, upload_id, key_id, filename, email_column, row_count, email_count, unique_count,
      credits_per_email, refund_unknown, expires_on)
    select u.account_id, u.mode, u.id, ${keyId}, u.filename, ${emailColumn}, u.row_count, ${emailCount}::integer,
      ${uniqueCount}::integer, case u.mode when 'live' then 1 else 0 end, p.refund_unknown,
      utc_today() + greatest(a.retention_days, 1)
    from uploads u join accounts a on a.id = u.account_id join plans p on p.name = a.plan
    where u.account_id = ${accountId} and u.mode = ${mode} and u.id = ${uploadId} and ${STILL_KEPT}
    on conflict (upload_id) do nothing
    returning id, unique_count, credits_per_email, expires_on`.execute(trx)
  return rows[0]
}

/** What became of an upload that was confirmed before; undefined where it never was. */
export async function findReplay(
  trx: Trx,
  view: JobView,
  { uploadId, emailColumn }: Pick<Confirmation, 'uploadId' | 'emailColumn'>,
): Promise<Replay | undefined> {
  const job = await trx
    .selectFrom('jobs')
    .select(['id', 'emailColumn'])
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .where('uploadId', '=', uploadId)
    .executeTakeFirst()
  if (job === undefined) return undefined
  return job.emailColumn === emailColumn ? { kind: 'replayed', jobId: job.id } : { kind: 'confirmed_otherwise' }
}

type UploadRef = { accountId: string; uploadId: string }

/** Sets when a file is removed. */
export async function expireUpload(
  trx: Trx,
  { accountId, uploadId }: UploadRef,
  expiresAt: RawBuilder<Date>,
): Promise<void> {
  const uploads = trx.updateTable('uploads').set({ expiresAt })
  await uploads.where('accountId', '=', accountId).where('id', '=', uploadId).execute()
}

const COLUMNS = [
  'id',
  'mode',
  'filename',
  'emailColumn',
  'state',
  'pausedAt',
  'emailCount',
  'uniqueCount',
  'doneCount',
  'refundedCount',
  'creditsPerEmail',
  'expiresOn',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const

/** A job with all that is told of it, as it stood at one moment. */
export type Job = Pick<Selectable<Schema['jobs']>, (typeof COLUMNS)[number]> & {
  /** That moment, by the database's clock. */
  now: Date
  counts: { status: string; subStatus: string; count: number }[]
  /** Addresses in batches that ended within the last minute. */
  recentCount: number
  waiting: Waiting[]
}

/** Addresses that wait for the same reason, and when the first and the last of them are tried again. */
export type Waiting = { reason: string; count: number; from: Date; until: Date }

export async function findJob(trx: Trx, { accountId, mode }: JobView, jobId: string): Promise<Job | undefined> {
  const jobs = await readJobs(
    trx,
    sql`select * from jobs where account_id = ${accountId} and mode = ${mode} and id = ${jobId}`,
  )
  return jobs[0]
}

/** One page of the jobs, newest first, and how many there are. */
export async function listJobs(trx: Trx, { accountId, mode }: JobView, page: { skip: number; limit: number }) {
  const jobs = await readJobs(
    trx,
    sql`select * from jobs where account_id = ${accountId} and mode = ${mode}
        order by created_at desc, id offset ${page.skip} limit ${page.limit}`,
  )
  const { total } = await trx
    .selectFrom('jobs')
    .select((of) => of.fn.countAll<number>().as('total'))
    .where('accountId', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow()
  return { jobs, total }
}

type RawJob = Omit<Job, 'waiting'> & { waiting: { reason: string; count: number; from: string; until: string }[] }

/** The days that say in which partitions the batches are of those that are under way: PostgreSQL plans for each of the others, too. */
async function listDays(trx: Trx, chosen: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ expiresOn: string }>`
    select distinct j.expires_on from (${chosen}) j where j.finished_at is null`.execute(trx)
  return rows.map(({ expiresOn }) => expiresOn)
}

/** In one statement, so that the counts always add up to what is done. Of a job that has ended no batch is looked at. */
async function readJobs(trx: Trx, chosen: RawBuilder<unknown>): Promise<Job[]> {
  const days = await listDays(trx, chosen)
  const { rows } = await sql<RawJob>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`j.${column}`)))}, clock_timestamp() as now,
      coalesce((
        select json_agg(json_build_object('status', c.status, 'subStatus', c.sub_status, 'count', c.count)
                        order by c.status, c.sub_status)
        from job_counts c where c.account_id = j.account_id and c.job_id = j.id
      ), '[]') as counts,
      coalesce((
        select sum(b.size) from job_batches b
        where b.expires_on = j.expires_on and b.expires_on = any (${days}::date[]) and b.account_id = j.account_id and b.job_id = j.id
          and b.done_at > clock_timestamp() - interval '60 seconds' and j.finished_at is null
      ), 0) as recent_count,
      coalesce((
        select json_agg(json_build_object('reason', w.reason, 'count', w.count, 'from', w.from, 'until', w.until)
                        order by w.reason)
        from (
          select coalesce(b.waits_for, '') as reason, sum(b.size) as count, min(b.not_before) as from, max(b.not_before) as until
          from job_batches b
          where b.expires_on = j.expires_on and b.expires_on = any (${days}::date[]) and b.account_id = j.account_id and b.job_id = j.id
            and b.state = 'pending' and b.not_before > clock_timestamp() and j.finished_at is null
          group by b.waits_for
        ) w
      ), '[]') as waiting
    from (${chosen}) j
    order by j.created_at desc, j.id`.execute(trx)
  return rows.map(({ waiting, ...job }) => ({
    ...job,
    waiting: waiting.map(({ from, until, ...rest }) => ({ ...rest, from: new Date(from), until: new Date(until) })),
  }))
}
