import { sql } from 'kysely'
import { asNobody, type Db, inTenant, type Trx } from './connect.ts'
import { releaseRest } from './job-control.ts'
import { emitJobEvent } from './job-events.ts'
import { finishValidations, type ValidationRef } from './validations.ts'

const AT_ONCE = 100
/** What one run takes on; the rest is for the next. */
const ROUNDS_MAX = 1_000

/**
 * Ends what is not done though its day is over, and gives back what was set aside or charged for it. Comes before the partitions
 * are dropped: of a validation nothing is left afterwards that could be refunded.
 */
export async function endExpired(db: Db): Promise<{ jobs: number; validations: number }> {
  await asNobody(db, (trx) => sql`select delete_ended_batches()`.execute(trx))
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

type ExpiredJob = { accountId: string; id: string }

async function endJobs(db: Db): Promise<number> {
  const { rows } = await asNobody(db, (trx) =>
    sql<ExpiredJob>`select * from list_expired_jobs(${AT_ONCE})`.execute(trx),
  )
  await eachOf(rows, (job) => inTenant(db, job.accountId, (trx) => failJob(trx, job)))
  return rows.length
}

/** Whoever settles a batch of it later finds it ended. Another process may have been quicker: then nothing is given back. */
async function failJob(trx: Trx, { accountId, id }: ExpiredJob): Promise<void> {
  const failed = await trx
    .updateTable('jobs')
    .set({ state: 'failed', finishedAt: sql<Date>`clock_timestamp()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .returning(['id', 'mode', 'uniqueCount', 'doneCount', 'creditsPerEmail', 'keyId'])
    .executeTakeFirst()
  if (failed === undefined) return
  await releaseRest(trx, failed)
  await emitJobEvent(trx, { accountId, ...failed }, 'job.failed')
}

async function endValidations(db: Db): Promise<number> {
  const { rows } = await asNobody(db, (trx) =>
    sql<ValidationRef>`select * from list_expired_validations(${AT_ONCE})`.execute(trx),
  )
  const groups = Map.groupBy(rows, (row) => row.accountId)
  await eachOf([...groups], ([accountId, group]) => {
    // The result is not needed: its partition is dropped next.
    const finishes = group.map((ref) => ({ ref, conclusive: false, result: null }))
    return inTenant(db, accountId, (trx) => finishValidations(trx, accountId, finishes))
  })
  return rows.length
}

/** One account whose books are in disorder must not keep the others from their money: its error comes after their turn. */
async function eachOf<T>(list: T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = []
  for (const one of list) await work(one).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
