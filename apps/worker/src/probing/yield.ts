import { startInterval } from '@probity/concurrency/scheduling'
import { findProbing } from '@probity/database/validations/probing'
import type { TaskWorker } from '@probity/redis/task-queues'
import type { Services } from '../server/services.ts'

const POLL_EVERY_MS = 2_000

export type Yielding = {
  /** Whether addresses that need probing are left to other workers. */
  isYielding(): boolean
  /** Starts a queue worker that is paused while this process yields. */
  control(worker: TaskWorker): void
  stop(): Promise<void>
}

/**
 * A worker without a working egress leaves addresses to workers with one, because its own results would be unknown. If no worker has a
 * working egress, it processes addresses as usual, so that requests get a result immediately. The first check completes before this
 * resolves, so that no work is claimed too early.
 */
export async function startYielding(
  services: Pick<Services, 'db' | 'egressMonitor' | 'workerId' | 'log'>,
): Promise<Yielding> {
  const { db, egressMonitor, workerId, log } = services
  const workers: TaskWorker[] = []
  let isYielding = false

  async function look(): Promise<void> {
    const others = egressMonitor.probing().mode === 'dns' ? await findProbing(db, workerId) : undefined
    const leaves = others?.mode === 'smtp'
    if (leaves === isYielding) return
    isYielding = leaves
    log.info(leaves ? 'no egress: yielding work to other workers' : 'egress available: taking work')
    await Promise.all(workers.map((worker) => (leaves ? worker.pause() : worker.resume())))
  }

  await look().catch((error: unknown) => log.debug({ err: error }, 'failed to load the probing state of other workers'))
  const interval = startInterval(POLL_EVERY_MS, look, {
    onError: (error) => log.warn({ err: error }, 'loading the probing state of other workers failed; retrying'),
  })
  return {
    isYielding: () => isYielding,
    control(worker) {
      workers.push(worker)
      if (!isYielding) worker.resume()
    },
    stop: () => interval.stop(),
  }
}
