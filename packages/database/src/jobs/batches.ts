import { sql } from 'kysely'
import type { AccountOptions } from '../accounts/keys.ts'
import { type Db, withoutTenant } from '../connection/connect.ts'

/** Where a batch is stored. */
export type BatchRef = { expiresOn: string; accountId: string; jobId: string; no: number }

/** A dispatched batch. A batch with an egress is for the worker that dispatched it, which has that egress. */
export type DispatchedBatch = BatchRef & { epoch: number; egress: string | null }

/** Dispatches the next batches, fairly and within every limit. None if another process is dispatching. */
export async function dispatchBatches(db: Db, egresses: string[]): Promise<DispatchedBatch[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<DispatchedBatch>`select * from dispatch_batches(${egresses}::text[])`.execute(trx),
  )
  return rows
}

/** A batch that this worker has claimed. */
export type ClaimedBatch = BatchRef & {
  claimedBy: string
  /** Fencing token: a later claim has a higher one, and only the highest can settle the batch. */
  epoch: number
  /** Number of claims, this one included. */
  attempts: number
  deferrals: number
  throttles: number
  noResponses: number
  egress: string | null
  site: string
  siteMax: number
  suspect: boolean
  rowNos: number[]
  emails: string[]
  mode: 'live' | 'test'
  /** The options of the confirmation; `ai` and `catchall` also depend on the plan. */
  askedAi: boolean
  askedCatchall: boolean
  /** Maximum age of an earlier result that may be used; null if none may be. */
  maxAgeS: number | null
} & AccountOptions

/**
 * Claims batches for a worker, one entry per ref in their order. Undefined for a batch that is settled, claimed by another worker or not
 * to be processed now.
 */
export async function claimBatches(
  db: Db,
  workerId: string,
  refs: readonly Pick<BatchRef, 'jobId' | 'no'>[],
): Promise<(ClaimedBatch | undefined)[]> {
  const [jobs, nos] = [refs.map(({ jobId }) => jobId), refs.map(({ no }) => no)]
  const { rows } = await withoutTenant(db, (trx) =>
    sql<Omit<ClaimedBatch, 'claimedBy'>>`
      select * from claim_batches(${workerId}, ${jobs}::uuid[], ${nos}::integer[])`.execute(trx),
  )
  return refs.map(({ jobId, no }) => {
    const claimed = rows.find((row) => row.jobId === jobId && row.no === no)
    return claimed && { ...claimed, claimedBy: workerId }
  })
}

export async function claimBatch(
  db: Db,
  workerId: string,
  ref: Pick<BatchRef, 'jobId' | 'no'>,
): Promise<ClaimedBatch | undefined> {
  const [claimed] = await claimBatches(db, workerId, [ref])
  return claimed
}

/** Releases a batch after a failure that is unrelated to it. A batch that this worker has not claimed stays as it is. */
export async function releaseBatch(
  db: Db,
  workerId: string,
  { jobId, no }: Pick<BatchRef, 'jobId' | 'no'>,
): Promise<void> {
  await withoutTenant(db, (trx) => sql`select release_batch(${workerId}, ${jobId}, ${no})`.execute(trx))
}

/** Records a heartbeat of this worker and its number of slots. Its claims are valid as long as heartbeats arrive. */
export async function recordHeartbeat(db: Db, workerId: string, slots: number): Promise<void> {
  await withoutTenant(db, (trx) => sql`select record_heartbeat(${workerId}, ${slots})`.execute(trx))
}

/** Releases all claims of this worker when it shuts down. */
export async function releaseClaims(db: Db, workerId: string): Promise<void> {
  await withoutTenant(db, (trx) => sql`select release_claims(${workerId})`.execute(trx))
}
