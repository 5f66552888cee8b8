import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db, type Trx } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { Nemesis, VictimName } from './nemesis.ts'

/**
 * Faults at moments that random timing rarely hits. Each waits until workers have reached a known step, and holds a row
 * lock or stops a process to keep them there. A fault whose moment does not occur, because the job has ended, is
 * skipped and reported as not reached.
 */

const POLL_MS = 10
const CLAIMED_WITHIN_MS = 30_000
const BOTH_CLAIMED_WITHIN_MS = 5_000
/**
 * A held lock also keeps batches from being dispatched, so it is released and acquired again if no worker waits for it.
 */
const ARRIVED_WITHIN_MS = 8_000
const LOCKS_MAX = 5
/** Batches that a worker has claimed when it is stopped: one is locked, the other claimed by another worker. */
const CLAIMED_MIN = 2
const FROZEN_IN_TURN: VictimName[] = ['worker_1', 'worker_2', 'worker_1', 'worker_2']
/** A worker updates its row every second. After ten seconds without an update, other workers claim its batches. */
const SILENT_S = 3
const SILENT_WITHIN_MS = 6_000
const REPLACED_WITHIN_MS = 60_000
/** Only a stopped worker leaves a transaction idle for so long. */
const IDLE_S = 0.2
/** Enough for a worker to settle the batches that it had when it was stopped. */
const SETTLED_WITHIN_MS = 3_000

/** Workers look for ended jobs every second. */
const ORDERED_WITHIN_MS = 20_000
/** More than the number of times that PostgreSQL is killed in a run. */
const ORDERING_LOCKS_MAX = 10_000

/** A rerun takes as long as its slowest mail server. */
const MERGING_WITHIN_MS = 300_000

const INVOLVED: VictimName[] = ['worker_1', 'worker_2', 'postgres']

/** Kills the workers after they have requested a settlement and before it has written to the job. */
export async function killWhileSettling(nemesis: Nemesis, db: Db, jobId: string): Promise<void> {
  await nemesis.reserve(INVOLVED, async ({ kill }) => {
    for (let locks = 0; locks < LOCKS_MAX; locks += 1) {
      if (!(await until(CLAIMED_WITHIN_MS, async () => (await countClaimants(db, jobId, 1)) > 0))) break
      await using _lock = await holdLock(db, lockJob(jobId))
      if (!(await until(ARRIVED_WITHIN_MS, () => isWaiting(db, 'settle_batches')))) continue
      await Promise.all([kill('worker_1'), kill('worker_2')])
      return say('the workers were killed while a settlement waited')
    }
    say('warning: not reached: kill the workers while a settlement waits')
  })
}

/** Keeps results in row order from replacing the results as settled, also after PostgreSQL was killed, until released. */
export function holdOrdering(db: Db): { release(): Promise<void> } {
  const released = new AbortController()
  async function hold(): Promise<void> {
    for (let locks = 0; locks < ORDERING_LOCKS_MAX && !released.signal.aborted; locks += 1) {
      try {
        await using _lock = await holdLock(db, (trx) => sql`lock table job_breakdowns in share mode`.execute(trx))
        while (!released.signal.aborted && (await isUp(db))) await sleep(POLL_MS * 5)
      } catch {
        await sleep(POLL_MS) // PostgreSQL is down
      }
    }
  }
  const holding = hold()
  return {
    async release() {
      released.abort()
      await holding
    },
  }
}

/** Kills the workers after results were stored in row order and before they replace the results as settled, which `hold` prevents. */
export async function killBeforeOrdered(
  nemesis: Nemesis,
  db: Db,
  hold: ReturnType<typeof holdOrdering>,
): Promise<void> {
  await nemesis.reserve(INVOLVED, async ({ kill }) => {
    if (!(await until(ORDERED_WITHIN_MS, () => isWaiting(db, 'finish_ordering')))) {
      return say('warning: not reached: kill the workers before results in row order are used')
    }
    await Promise.all([kill('worker_1'), kill('worker_2')])
    say('the workers were killed after results were stored in row order')
  })
  await hold.release()
}

/** Kills the workers after one has replaced results of a list with those of its rerun, and before it commits. */
export async function killWhileMerging(nemesis: Nemesis, db: Db, jobId: string): Promise<void> {
  const isMerged = async () => (await findMerged(db, jobId)) !== undefined
  for (let locks = 0; locks < ORDERING_LOCKS_MAX; locks += 1) {
    try {
      await using lock = await holdLock(db, (trx) =>
        sql`select from job_breakdowns where job_id = ${jobId} for update`.execute(trx),
      )
      if (await isMerged()) break
      const isReached = await until(MERGING_WITHIN_MS, async () => lock.isLost() || isWaiting(db, 'merge_results'))
      if (lock.isLost()) continue
      if (!isReached) break
      await nemesis.reserve(['worker_1', 'worker_2'], async ({ kill }) => {
        await Promise.all([kill('worker_1'), kill('worker_2')])
      })
      return say('the workers were killed while a merge waited for its commit')
    } catch {
      await sleep(POLL_MS) // PostgreSQL is down
    }
  }
  say('warning: not reached: kill the workers while a merge waits')
}

async function findMerged(db: Db, jobId: string) {
  return asOwner(db, (trx) =>
    trx
      .selectFrom('jobs')
      .select('id')
      .where('rerunOf', '=', jobId)
      .where('mergedAt', 'is not', null)
      .executeTakeFirst(),
  )
}

/**
 * Stops a worker that has claimed batches until another one has claimed them, then lets it continue: it settles the same batches again.
 * One of them is locked meanwhile, so that the job does not end first.
 */
export async function freezeUntilReplaced(nemesis: Nemesis, db: Db, jobId: string): Promise<void> {
  await nemesis.reserve(INVOLVED, async (faults) => {
    for (const name of FROZEN_IN_TURN) {
      if (!(await untilClaimed(db, jobId))) break
      try {
        const frozenAt = await readClock(db)
        faults.freeze(name)
        await endOpenTransactions(db)
        const worker = await untilSilent(db, jobId, frozenAt)
        if (worker === undefined) continue
        await using _lock = await holdLock(db, lockFirstBatch(jobId, worker))
        const isReplaced = await until(REPLACED_WITHIN_MS, async () => (await countClaimed(db, jobId, worker)) <= 1)
        if (!isReplaced) break
        say('a worker continues after its batches were claimed by the other one')
        faults.thaw(name)
        await sleep(SETTLED_WITHIN_MS)
        return
      } finally {
        faults.thaw(name)
      }
    }
    say('warning: not reached: stop a worker until another has claimed its batches')
  })
}

function lockFirstBatch(jobId: string, worker: string): Lock {
  return (trx) =>
    sql`select from job_queue where job_id = ${jobId} and claimed_by = ${worker} order by no limit 1 for update`.execute(
      trx,
    )
}

type Lock = (trx: Trx) => Promise<unknown>

function lockJob(jobId: string): Lock {
  return (trx) => sql`select from jobs where id = ${jobId} for no key update`.execute(trx)
}

/** Acquires a lock in a separate transaction and holds it until disposed, or until PostgreSQL is killed. */
async function holdLock(db: Db, lock: Lock): Promise<AsyncDisposable & { isLost(): boolean }> {
  const taken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isReleased = false
  const transaction = asOwner(db, async (trx) => {
    await lock(trx)
    taken.resolve()
    // A transaction notices with its next statement that PostgreSQL was killed.
    while (!isReleased) {
      await sql`select`.execute(trx)
      await Promise.race([released.promise, sleep(POLL_MS * 10)])
    }
  })
  let isLost = false
  transaction.catch((error: unknown) => {
    isLost = true
    taken.reject(error)
  })
  await taken.promise
  return {
    isLost: () => isLost,
    async [Symbol.asyncDispose]() {
      isReleased = true
      released.resolve()
      await transaction
    },
  }
}

/** Ends the transactions of the stopped worker, as a timeout of PostgreSQL would: their locks would keep the other worker waiting. */
async function endOpenTransactions(db: Db): Promise<void> {
  await sleep(IDLE_S * 2_000)
  await asOwner(db, (trx) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'probity-worker'
      and state = 'idle in transaction' and state_change < clock_timestamp() - make_interval(secs => ${IDLE_S})`.execute(
      trx,
    ),
  )
}

async function isWaiting(db: Db, name: string): Promise<boolean> {
  const { rows } = await asOwner(db, (trx) =>
    sql`select from pg_stat_activity
      where application_name = 'probity-worker' and wait_event_type = 'Lock' and query like ${`%${name}(%`}`.execute(
      trx,
    ),
  )
  return rows.length > 0
}

/** The number of running workers that have claimed at least this many batches of a job. */
async function countClaimants(db: Db, jobId: string, batchesMin: number): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql`select w.id from job_queue q join job_workers w on w.id = q.claimed_by
      where q.job_id = ${jobId} and w.seen_at > clock_timestamp() - interval '2 seconds'
      group by w.id having count(*) >= ${batchesMin}`.execute(trx),
  )
  return rows.length
}

async function isUp(db: Db): Promise<boolean> {
  try {
    await asOwner(db, (trx) => sql`select`.execute(trx))
    return true
  } catch {
    return false
  }
}

async function countClaimed(db: Db, jobId: string, worker: string): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql`select from job_queue where job_id = ${jobId} and claimed_by = ${worker}`.execute(trx),
  )
  return rows.length
}

/** Both workers have claimed several batches, or at least one has after a while. False if neither has. */
async function untilClaimed(db: Db, jobId: string): Promise<boolean> {
  const haveClaimed = (workers: number) => async () => (await countClaimants(db, jobId, CLAIMED_MIN)) >= workers
  return (await until(BOTH_CLAIMED_WITHIN_MS, haveClaimed(2))) || until(CLAIMED_WITHIN_MS, haveClaimed(1))
}

async function readClock(db: Db): Promise<Date> {
  const { rows } = await asOwner(db, (trx) => sql<{ now: Date }>`select clock_timestamp() as now`.execute(trx))
  return rows[0]?.now ?? new Date()
}

/** The worker whose heartbeats ended at this time, if it has claimed several batches. Not one that was killed before. */
async function untilSilent(db: Db, jobId: string, since: Date): Promise<string | undefined> {
  let silent: string | undefined
  await until(SILENT_WITHIN_MS, async () => {
    const { rows } = await asOwner(db, (trx) =>
      sql<{ id: string }>`select w.id from job_workers w join job_queue q on q.claimed_by = w.id and q.job_id = ${jobId}
        where w.seen_at > ${since}::timestamptz - interval '1.5 seconds'
          and w.seen_at < clock_timestamp() - make_interval(secs => ${SILENT_S})
        group by w.id having count(*) >= ${CLAIMED_MIN}`.execute(trx),
    )
    silent = rows[0]?.id
    return silent !== undefined
  })
  return silent
}

/** Whether a condition is met in time. PostgreSQL may be down meanwhile. */
async function until(withinMs: number, isMet: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(POLL_MS)) {
    if (await isMet().catch(() => false)) return true
  }
  return false
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`)
}
