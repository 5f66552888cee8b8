import { setTimeout as sleep } from 'node:timers/promises'
import { startInterval } from '@probity/concurrency/scheduling'
import { type BatchRef, recordHeartbeat, releaseClaims } from '@probity/database/jobs/batches'
import { evaluateSamples } from '@probity/database/operators/reviews'
import { openBatchQueue, startBatchWorker } from '@probity/redis/task-queues'
import type { Yielding } from '../probing/yield.ts'
import type { WorkerConfig } from '../server/config.ts'
import type { Services } from '../server/services.ts'
import { startBatchDispatcher } from './dispatcher.ts'
import { startMerging } from './merging.ts'
import { startOrdering } from './ordering.ts'
import { startPlanning } from './plan-job.ts'
import { openBatchProcessor } from './processor.ts'

/** Time limit for batches in progress when the process stops; the rest is released. */
const FINISH_WITHIN_MS = 20_000

/** A worker that has ended a batch has received the next task by then, if Redis has any. */
const NEXT_TASK_WITHIN_MS = 20

/** Runs jobs: plans them, dispatches their batches and validates them. Interactive validations have slots of their own. */
export async function startJobs(
  services: Services,
  config: WorkerConfig,
  yielding: Yielding,
): Promise<{ stop(): Promise<void> }> {
  const { redisUrl, queuePrefix: prefix, listSlots: slots, release } = config
  const heartbeats = await startHeartbeats(services, slots)
  const queue = openBatchQueue(redisUrl, prefix)
  const processor = openBatchProcessor(services)
  let active = 0
  let soon: NodeJS.Timeout | undefined
  /** Dispatch costs PostgreSQL time, and more batches are dispatched than workers have slots: only a worker with free slots asks for more. */
  const hurrySoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      if (active < slots) dispatcher?.runNow()
    }, NEXT_TASK_WITHIN_MS)
  }
  const work = async (ref: BatchRef) => {
    active += 1
    try {
      await processor.validate(ref)
    } finally {
      active -= 1
      hurrySoon()
    }
  }
  const worker = startBatchWorker({ url: redisUrl, prefix }, slots, work)
  yielding.control(worker)
  const executors = { queue, work, slots, isYielding: yielding.isYielding }
  const dispatcher = release ? startBatchDispatcher(services, executors) : undefined
  const ordering = release ? startOrdering(services) : undefined
  const merging = release ? startMerging(services) : undefined
  const sampleReviews = release ? startSampleReviews(services) : undefined
  const planning = release ? startPlanning(services, () => dispatcher?.runNow()) : undefined

  return {
    async stop() {
      clearTimeout(soon)
      const ended = Promise.all([
        planning?.stop(),
        ordering?.stop(),
        merging?.stop(),
        sampleReviews?.stop(),
        dispatcher?.stop(),
        worker.close(),
      ]).then(() => processor.finish())
      await Promise.race([ended, sleep(FINISH_WITHIN_MS, undefined, { ref: false })])
      await heartbeats.stop()
      await queue.close()
    },
  }
}

/** Other workers take over after ten seconds without a heartbeat, so a few heartbeats may be lost. */
const HEARTBEAT_EVERY_MS = 1_000

/** Sends heartbeats from before the first batch until the last. Resolves after the first heartbeat. */
export async function startHeartbeats({ db, workerId, log }: Pick<Services, 'db' | 'workerId' | 'log'>, slots: number) {
  const sendHeartbeat = () => recordHeartbeat(db, workerId, slots)
  const onError = (error: unknown) => log.debug({ err: error }, 'heartbeat failed')
  await sendHeartbeat().catch(onError)
  const heartbeats = startInterval(HEARTBEAT_EVERY_MS, sendHeartbeat, { onError, delayFirst: true })
  return {
    /** Releases unfinished batches. If that fails, other workers take over after ten seconds. */
    async stop() {
      await heartbeats.stop()
      await releaseClaims(db, workerId).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to release claims on shutdown'),
      )
    },
  }
}

const JUDGE_EVERY_MS = 1_000

/** Reviews the samples of lists that may be guessed, once a second while jobs are processed. Any number of workers may do it. */
export function startSampleReviews(services: Pick<Services, 'db' | 'log' | 'pendingWork' | 'meters'>) {
  const { db, log, pendingWork, meters } = services
  return startInterval(
    JUDGE_EVERY_MS,
    async () => {
      const paused = await evaluateSamples(db)
      if (paused === 0) return
      meters.reviewed(paused)
      log.warn({ jobs: paused }, 'jobs paused for review: most addresses of their samples are invalid')
    },
    {
      onError: (error) => log.warn({ err: error }, 'reviewing job samples failed; retrying'),
      isDue: async () => (await pendingWork()).batches,
    },
  )
}
