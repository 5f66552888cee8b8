import { sql } from 'kysely'
import { asNobody, type Db, inTenant, type Trx } from './connect.ts'
import { postCredits } from './credits.ts'
import { insertBatches, type NewBatch } from './planning.ts'

/** Where a batch is kept. */
export type BatchRef = { expiresOn: string; accountId: string; jobId: string; no: number }

/** A batch that was let out. One with an egress is for the worker that let it out, which has that egress. */
export type ReleasedBatch = BatchRef & { epoch: number; egress: string | null }

/** Lets out the next batches, fairly and within every budget. Nothing where another process is doing so. */
export async function releaseBatches(db: Db, egresses: string[]): Promise<ReleasedBatch[]> {
  const { rows } = await asNobody(db, (trx) =>
    sql<ReleasedBatch>`select * from release_batches(${egresses}::text[])`.execute(trx),
  )
  return rows
}

/** A batch that this worker holds: what to do, and what its end will mean for the money. */
export type ClaimedBatch = BatchRef & {
  /** The worker that holds it. */
  heldBy: string
  /** Who holds a batch later has a higher one, and whoever has not the highest can no longer close it. */
  epoch: number
  /** How often it was begun, this time included. */
  attempts: number
  tries: number
  holds: number
  silences: number
  egress: string | null
  lane: string
  laneMax: number
  rowNos: number[]
  emails: string[]
  mode: 'live' | 'test'
  creditsPerEmail: number
  refundUnknown: boolean
  keyId: string | null
}

/** Takes a batch for this worker; undefined where it is done, held by another or not to be worked on now. */
export async function claimBatch(db: Db, workerId: string, ref: BatchRef): Promise<ClaimedBatch | undefined> {
  const { expiresOn, accountId, jobId, no } = ref
  const { rows } = await asNobody(db, (trx) =>
    sql<Omit<ClaimedBatch, keyof BatchRef | 'heldBy'>>`
      select * from claim_batch(${workerId}, ${expiresOn}, ${accountId}, ${jobId}, ${no})`.execute(trx),
  )
  const [claimed] = rows
  return claimed && { expiresOn, accountId, jobId, no, heldBy: workerId, ...claimed }
}

/** Gives a batch back that this worker could not work on, through no fault of the batch. One that it does not hold stays as it is. */
export async function giveBackBatch(db: Db, workerId: string, ref: BatchRef): Promise<void> {
  const { expiresOn, accountId, jobId, no } = ref
  await asNobody(db, (trx) =>
    sql`select give_back_batch(${workerId}, ${expiresOn}, ${accountId}, ${jobId}, ${no})`.execute(trx),
  )
}

export type FinalRow = {
  rowNo: number
  email: string
  status: string
  subStatus: string
  /** As it is kept: nobody needs to look into it here. */
  answer: string
}

/** Rows of a batch that need more time: they go on as a batch of their own. */
export type LaterRows = Required<Omit<NewBatch, 'no' | 'lane' | 'laneMax'>>

export type Settling = {
  final: FinalRow[]
  later: LaterRows[]
  /** What is still being worked on, by the worker that settles. */
  rest?: ClaimedBatch
}

/** The addresses of a batch that are to go on as a batch of their own, held by the same worker. A batch has one rest at most. */
export function restOf(batch: ClaimedBatch, rows: { rowNos: number[]; emails: string[] }): ClaimedBatch {
  return { ...batch, ...rows, no: -1 - batch.no, epoch: 1 }
}

/**
 * Ends a batch: keeps its results, charges for exactly the rows that this transaction inserted, and lays out anew what needs time.
 * A batch worked on twice is so paid for once. `lost` means that the batch is another's by now, that its job has ended or that its
 * account is under audit: then nothing is kept.
 */
export async function settleBatch(db: Db, batch: ClaimedBatch, settling: Settling): Promise<'settled' | 'lost'> {
  try {
    await inTenant(db, batch.accountId, (trx) => settle(trx, batch, settling))
    return 'settled'
  } catch (error) {
    if (error instanceof Lost) return 'lost'
    throw error
  }
}

/** Takes back all that the transaction has done. */
class Lost extends Error {}

/** Locks the batch, then the job, then the account, as everybody does who needs several of them. */
async function settle(trx: Trx, batch: ClaimedBatch, { final, later, rest }: Settling): Promise<void> {
  await closeBatch(trx, batch)
  const nextBatch = await takeNumbers(trx, batch, later.length)
  const inserted = await insertResults(trx, batch, final)
  const unknown = inserted.filter(({ status }) => status === 'unknown').length
  const refunded = batch.refundUnknown ? unknown : 0
  await countResults(trx, batch, inserted)
  await insertBatches(
    trx,
    { ...batch, id: batch.jobId },
    later.map((rows, n) => ({ ...rows, no: nextBatch + n, lane: batch.lane, laneMax: batch.laneMax })),
  )
  if (rest) await insertRest(trx, rest)
  await advanceJob(trx, batch, inserted.length, refunded * batch.creditsPerEmail)
  await moveCredits(trx, batch, { charged: inserted.length, refunded })
}

async function closeBatch(trx: Trx, batch: ClaimedBatch): Promise<void> {
  const { rows } = await sql`
    update job_batches set state = 'done', emails = '{}', done_at = clock_timestamp(), held_by = null
    where expires_on = ${batch.expiresOn} and account_id = ${batch.accountId} and job_id = ${batch.jobId} and no = ${batch.no}
      and epoch = ${batch.epoch} and state = 'pending'
    returning no`.execute(trx)
  if (rows.length === 0) throw new Lost()
}

/** Locks the job. One that has ended keeps no more results: what was set aside for them has been given back. */
async function takeNumbers(trx: Trx, { accountId, jobId }: ClaimedBatch, count: number): Promise<number> {
  const { rows } = await sql<{ first: number }>`
    update jobs set next_batch = next_batch + ${count}
    where id = ${jobId} and account_id = ${accountId} and state = 'processing'
    returning next_batch - ${count}::integer as first`.execute(trx)
  if (rows[0] === undefined) throw new Lost()
  return rows[0].first
}

/** Held from the start, by whoever held the batch: its worker never let go of these addresses. */
async function insertRest(trx: Trx, rest: ClaimedBatch): Promise<void> {
  await sql`
    insert into job_batches (expires_on, account_id, job_id, no, lane, lane_max, row_nos, emails, size, tries, holds, silences,
      attempts, suspect, egress, epoch, held_by, held_at, queued_at, straggling)
    select b.expires_on, b.account_id, b.job_id, ${rest.no}, b.lane, b.lane_max, ${rest.rowNos}::integer[],
      ${rest.emails}::text[], ${rest.emails.length}, b.tries, b.holds, b.silences, b.attempts, b.suspect, b.egress, ${rest.epoch},
      ${rest.heldBy}, clock_timestamp(), clock_timestamp(), true
    from job_batches b
    where b.expires_on = ${rest.expiresOn} and b.account_id = ${rest.accountId} and b.job_id = ${rest.jobId}
      and b.no = ${-1 - rest.no}`.execute(trx)
}

async function insertResults(trx: Trx, batch: ClaimedBatch, final: FinalRow[]) {
  if (final.length === 0) return []
  const { rows } = await sql<{ status: string; subStatus: string }>`
    insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, answer)
    select ${batch.expiresOn}, ${batch.accountId}, ${batch.jobId}, r.row_no, r.email, r.status, r.sub_status, r.answer
    from unnest(${final.map((row) => row.rowNo)}::integer[], ${final.map((row) => row.email)}::text[],
      ${final.map((row) => row.status)}::text[], ${final.map((row) => row.subStatus)}::text[],
      ${final.map((row) => row.answer)}::json[]) as r (row_no, email, status, sub_status, answer)
    on conflict do nothing
    returning status, sub_status`.execute(trx)
  return rows
}

async function countResults(trx: Trx, batch: ClaimedBatch, inserted: { status: string; subStatus: string }[]) {
  if (inserted.length === 0) return
  await sql`
    insert into job_counts as c (account_id, job_id, status, sub_status, count)
    select ${batch.accountId}, ${batch.jobId}, r.status, r.sub_status, count(*)
    from unnest(${inserted.map((row) => row.status)}::text[], ${inserted.map((row) => row.subStatus)}::text[])
      as r (status, sub_status)
    group by r.status, r.sub_status
    on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count`.execute(trx)
}

async function advanceJob(trx: Trx, { accountId, jobId }: ClaimedBatch, done: number, refunded: number): Promise<void> {
  await sql`
    update jobs set done_count = done_count + ${done}, refunded_count = refunded_count + ${refunded},
      state = case when done_count + ${done} = unique_count then 'completed' else state end,
      finished_at = case when done_count + ${done} = unique_count then clock_timestamp() end
    where id = ${jobId} and account_id = ${accountId}`.execute(trx)
}

type Bill = { charged: number; refunded: number }

/** The charge is what was inserted, whatever the batch was thought to hold. */
async function moveCredits(trx: Trx, batch: ClaimedBatch, { charged, refunded }: Bill): Promise<void> {
  const { creditsPerEmail, jobId: subject, no: part, keyId } = batch
  for (const [kind, emails] of [
    ['settle', charged],
    ['refund', refunded],
  ] as const) {
    const credits = emails * creditsPerEmail
    if (credits === 0) continue
    const posting = await postCredits(trx, { kind, credits, subject, part, keyId })
    if (posting.kind === 'stopped') throw new Lost() // nothing is charged to the account until its books were looked at
    if (posting.kind !== 'posted') throw new Error(`the ${kind} of a batch was ${posting.kind}`)
  }
}
