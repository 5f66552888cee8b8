import { sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { failJob } from '../jobs/job-control.ts'
import { listExpiredUploads, removeExpiredUploads } from '../jobs/uploads.ts'
import { finishValidations, type ValidationRef } from '../validations/validations.ts'

const MADE_AT_ONCE = 100
/** More than a year of all tables. */
const PARTITION_ROUNDS_MAX = 50

/** Creates the partitions of coming days and drops those of past days. Any process may run it at any time. */
export async function keepPartitions(db: Db): Promise<{ made: number; dropped: number }> {
  const made = await makePartitions(db)
  const dropped = await withoutTenant(db, (trx) =>
    sql<{ n: number }>`select drop_expired_partitions() as n`.execute(trx),
  )
  await removeDeliveries(db)
  return { made, dropped: dropped.rows[0]?.n ?? 0 }
}

const REMOVED_AT_ONCE = 10_000
/** Ten million; the next run deletes the rest. */
const REMOVAL_PARTITION_ROUNDS_MAX = 1_000

/** The events were deleted with their partition; these rows contain none of their data and are deleted one by one. */
async function removeDeliveries(db: Db): Promise<void> {
  for (let round = 0; round < REMOVAL_PARTITION_ROUNDS_MAX; round++) {
    const { rows } = await withoutTenant(db, (trx) =>
      sql<{ n: number }>`select delete_expired_deliveries(${REMOVED_AT_ONCE}) as n`.execute(trx),
    )
    if ((rows[0]?.n ?? 0) < REMOVED_AT_ONCE) return
  }
}

/** Whether partitions exist for rows with this retention in days. */
export async function arePartitionsReady(trx: Trx, retentionDays: number): Promise<boolean> {
  const { rows } = await sql<{ ready: boolean }>`
    select bool_and(to_regclass(name || to_char(utc_today() + ${retentionDays}::integer, '_YYYYMMDD')) is not null) as ready
    from partitioned_tables where follows_retention`.execute(trx)
  return rows[0]?.ready === true
}

/** For all accounts, and for a retention that one of them will have. In groups, because each holds locks until it is committed. */
export async function makePartitions(db: Db, retentionDays = 0): Promise<number> {
  let made = 0
  for (let round = 0; round < PARTITION_ROUNDS_MAX; round++) {
    const { rows } = await withoutTenant(db, (trx) =>
      sql<{ n: number }>`select make_partitions(${retentionDays}, ${MADE_AT_ONCE}) as n`.execute(trx),
    )
    const n = rows[0]?.n ?? 0
    made += n
    if (n < MADE_AT_ONCE) break
  }
  return made
}

const AT_ONCE = 100
/** Limit per run; the next run continues. */
const ROUNDS_MAX = 1_000

/**
 * Ends expired unfinished jobs and validations, and releases or refunds their credits. Runs before the partitions are dropped, because a
 * deleted validation cannot be refunded.
 */
export async function endExpired(db: Db): Promise<{ jobs: number; validations: number }> {
  await withoutTenant(db, (trx) => sql`select delete_ended_batches()`.execute(trx))
  const jobs = await repeat(() => endJobs(db))
  const validations = await repeat(() => endValidations(db))
  return { jobs, validations }
}

async function repeat(endSome: () => Promise<number>): Promise<number> {
  let ended = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const n = await endSome()
    ended += n
    if (n < AT_ONCE) break
  }
  return ended
}

type ExpiredJob = View & { id: string }

/** A batch that is settled later finds the job ended. If another process was first, nothing is released. */
async function endJobs(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ExpiredJob>`select * from list_expired_jobs(${AT_ONCE})`.execute(trx),
  )
  await forEachAccount(rows, (job) => inTenant(db, job.accountId, (trx) => failJob(trx, job)))
  return rows.length
}

async function endValidations(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ValidationRef>`select * from list_expired_validations(${AT_ONCE})`.execute(trx),
  )
  const groups = Map.groupBy(rows, (row) => row.accountId)
  await forEachAccount([...groups], ([accountId, group]) => {
    // The result is not needed: its partition is dropped next.
    const finishes = group.map((ref) => ({ ref, conclusive: false, result: null }))
    return inTenant(db, accountId, (trx) => finishValidations(trx, accountId, finishes))
  })
  return rows.length
}

/** An error of one account must not prevent the refunds of the others, so it is thrown after them. */
async function forEachAccount<T>(list: T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = []
  for (const one of list) await work(one).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** The part of the file storage that deletes. */
type DeletableFiles = { remove(key: string): Promise<void>; removeOlderThan(time: Date): Promise<number> }

/** Limit per run; the next run continues. */
const UPLOAD_ROUNDS_MAX = 100
/** A day more than the longest lifetime of an upload, which is seven once it is confirmed, so that no file is deleted before its row. */
const ORPHANED_AFTER_MS = 8 * 24 * 60 * 60 * 1000

/**
 * Deletes expired uploads: the file first and then its row, so that the next run completes one that was interrupted. Files without a row
 * are deleted by their age. Returns the number of each.
 */
export async function deleteExpiredUploads(
  db: Db,
  files: DeletableFiles,
): Promise<{ uploads: number; orphans: number }> {
  let uploads = 0
  for (let round = 0; round < UPLOAD_ROUNDS_MAX; round++) {
    const expired = await listExpiredUploads(db, AT_ONCE)
    if (expired.length === 0) break
    await Promise.all(expired.map(({ storageKey }) => files.remove(storageKey)))
    const ids = expired.map(({ id }) => id)
    await removeExpiredUploads(db, ids)
    uploads += ids.length
  }
  const orphans = await files.removeOlderThan(new Date(Date.now() - ORPHANED_AFTER_MS))
  return { uploads, orphans }
}
