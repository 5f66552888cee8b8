import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db } from '@probity/database/connection/connect'
import type { Nemesis } from './nemesis.ts'
import { type holdOrdering, killBeforeOrdered } from './targeted-faults.ts'

const ORDERED_WITHIN_MS = 120_000
const POLL_MS = 5
/**
 * Number of kills while a worker stores the results in row order. After each, another worker waits ten seconds for the
 * claim.
 */
const KILLS_MAX = 3
/** The approximate duration of storing a result in row order: the kills hit every part of it. */
const MS_PER_ROW = 0.03

type Task = {
  db: Db
  jobId: string
  rows: number
  nemesis: Nemesis | undefined
  hold: ReturnType<typeof holdOrdering> | undefined
}

/**
 * Waits until the results of an ended job are in row order, and kills the workers meanwhile. False if that takes too
 * long.
 */
export async function untilOrdered({ db, jobId, rows, nemesis, hold }: Task): Promise<boolean> {
  if (nemesis && hold) await killBeforeOrdered(nemesis, db, hold)
  let kills = 0
  let lastEpoch = 0
  for (const deadline = Date.now() + ORDERED_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const job = await findOrdering(db, jobId)
    if (job === undefined) continue // PostgreSQL is down
    if (job.resultsGeneration > 0) return true
    if (nemesis === undefined || job.orderEpoch === lastEpoch || kills === KILLS_MAX) continue
    lastEpoch = job.orderEpoch
    kills += 1
    await Promise.all([
      nemesis.killSoon('worker_1', Math.round(rows * MS_PER_ROW)),
      nemesis.killSoon('worker_2', Math.round(rows * MS_PER_ROW)),
    ])
  }
  return false
}

async function findOrdering(db: Db, jobId: string) {
  try {
    return await asOwner(db, (trx) =>
      trx
        .selectFrom('jobs')
        .select(['orderEpoch', 'resultsGeneration'])
        .where('id', '=', jobId)
        .executeTakeFirstOrThrow(),
    )
  } catch {
    return undefined
  }
}
