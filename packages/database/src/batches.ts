import { type Listed, listOf, namesOnLists, withListing } from '@probity/contract/listed'
import type { StandingResult } from '@probity/contract/standing-result'
import { sql } from 'kysely'
import { asNobody, type Db, inTenant, type Trx } from './connect.ts'
import { emitJobEvent } from './job-events.ts'
import type { AccountManner } from './keys.ts'
import { findListed } from './listings.ts'
import { insertBatches, type NewBatch } from './planning.ts'

/** Where a batch is kept. */
export type BatchRef = { expiresOn: string; accountId: string; jobId: string; no: number }

/** A batch that was let out. One with an egress is for the worker that let it out, which has that egress. */
export type ReleasedBatch = BatchRef & { epoch: number; egress: string | null }

/** Lets out the next batches, fairly and within every budget. Nothing where another process is doing so. */
export async function releaseBatches(db: Db, egresses: string[]): Promise<ReleasedBatch[]> {
  const { rows } = await asNobody(db, (trx) =>
    sql<ReleasedBatch>`select * from dispatch_batches(${egresses}::text[])`.execute(trx),
  )
  return rows
}

/** A batch that this worker holds. */
export type ClaimedBatch = BatchRef & {
  /** The worker that holds it. */
  claimedBy: string
  /** Who holds a batch later has a higher one, and whoever has not the highest can no longer close it. */
  epoch: number
  /** How often it was begun, this time included. */
  attempts: number
  deferrals: number
  throttles: number
  noResponses: number
  egress: string | null
  site: string
  siteMax: number
  rowNos: number[]
  emails: string[]
  mode: 'live' | 'test'
} & AccountManner

/** Takes a batch for this worker; undefined where it is done, held by another or not to be worked on now. */
export async function claimBatch(db: Db, workerId: string, ref: BatchRef): Promise<ClaimedBatch | undefined> {
  const { expiresOn, accountId, jobId, no } = ref
  const { rows } = await asNobody(db, (trx) =>
    sql<Omit<ClaimedBatch, keyof BatchRef | 'claimedBy'>>`
      select * from claim_batch(${workerId}, ${expiresOn}, ${accountId}, ${jobId}, ${no})`.execute(trx),
  )
  const [claimed] = rows
  return claimed && { expiresOn, accountId, jobId, no, claimedBy: workerId, ...claimed }
}

/** Gives a batch back that this worker could not work on, through no fault of the batch. One that it does not hold stays as it is. */
export async function giveBackBatch(db: Db, workerId: string, ref: BatchRef): Promise<void> {
  const { expiresOn, accountId, jobId, no } = ref
  await asNobody(db, (trx) =>
    sql`select release_batch(${workerId}, ${expiresOn}, ${accountId}, ${jobId}, ${no})`.execute(trx),
  )
}

export type FinalRow = {
  rowNo: number
  email: string
  /** By which it is the same address as others, and found on the account's lists. */
  emailKey: string
  status: string
  subStatus: string
  /** JSON on one line, as it is kept: nobody needs to look into it here but for what is on a list. */
  result: string
}

/** Rows of a batch that need more time: they go on as a batch of their own. */
export type LaterRows = Required<Omit<NewBatch, 'no' | 'site' | 'siteMax'>>

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

async function settle(trx: Trx, batch: ClaimedBatch, { final, later, rest }: Settling): Promise<void> {
  const { expiresOn, accountId, mode, jobId, no, epoch } = batch
  const answers = await answersOf(trx, accountId, final)
  const { rows } = await sql<{ outcome: 'settled' | 'lost'; firstNo: number; completed: boolean }>`
    select * from settle_batch(${expiresOn}, ${jobId}, ${no}, ${epoch}, ${later.length},
      ${final.map((row) => row.rowNo)}::integer[], ${final.map((row) => row.email)}::text[],
      ${final.map((row) => row.status)}::text[], ${final.map((row) => row.subStatus)}::text[],
      ${answers.join('\n')})`.execute(trx)
  const [settled] = rows
  if (settled?.outcome !== 'settled') throw new Lost()
  const { site, siteMax } = batch
  const numbered = later.map((some, n) => ({ ...some, no: settled.firstNo + n, site, siteMax }))
  if (later.length > 0) await insertBatches(trx, { ...batch, id: jobId }, numbered)
  if (rest) await insertRest(trx, rest)
  if (settled.completed) await emitJobEvent(trx, { accountId, mode, id: jobId }, 'job.completed')
}

/** The answers as they are kept: with what the account's own lists say at this moment. */
async function answersOf(trx: Trx, accountId: string, final: FinalRow[]): Promise<string[]> {
  const found = await findListed(
    trx,
    accountId,
    final.flatMap(({ emailKey }) => namesOnLists(emailKey)),
  )
  return final.map(({ emailKey, result }) => {
    const listed: Listed | null = found.size > 0 ? listOf(emailKey, found) : null
    return listed ? JSON.stringify(withListing(JSON.parse(result) as StandingResult, listed)) : result
  })
}

/** Held from the start, by whoever held the batch: its worker never let go of these addresses. */
async function insertRest(trx: Trx, rest: ClaimedBatch): Promise<void> {
  await sql`
    insert into job_batches (expires_on, account_id, job_id, no, site, site_max, row_nos, emails, size, deferrals, throttles, no_responses,
      attempts, suspect, egress, retry_at, epoch, claimed_by, claimed_at, queued_at, straggling)
    select b.expires_on, b.account_id, b.job_id, ${rest.no}, b.site, b.site_max, ${rest.rowNos}::integer[],
      ${rest.emails}::text[], ${rest.emails.length}, b.deferrals, b.throttles, b.no_responses, b.attempts, b.suspect, b.egress,
      coalesce(b.retry_at, clock_timestamp()), ${rest.epoch},
      ${rest.claimedBy}, clock_timestamp(), clock_timestamp(), true
    from job_batches b
    where b.expires_on = ${rest.expiresOn} and b.account_id = ${rest.accountId} and b.job_id = ${rest.jobId}
      and b.no = ${-1 - rest.no}`.execute(trx)
}
