import { findProbing } from '@probity/database/probing'
import type { TaskWorker } from '@probity/queue/tasks'
import { startRounds } from './release/rounds.ts'
import type { Services } from './services.ts'

const LOOK_EVERY_MS = 2_000

export type Aside = {
  /** Whether what needs mail servers is for others to do. */
  isAside(): boolean
  /** Has a worker begin, and pause while it is aside. */
  lead(worker: TaskWorker): void
  stop(): Promise<void>
}

/**
 * A worker that reaches no mail server leaves addresses to those that do, while there are any: from its hands one would come out
 * unknown that others can ask about. Where nobody reaches one it works like all the others, so that answers come at once. Looks
 * before it resolves, so that nothing is taken that had better be left.
 */
export async function startStandingAside(services: Pick<Services, 'db' | 'ways' | 'workerId' | 'log'>): Promise<Aside> {
  const { db, ways, workerId, log } = services
  const workers: TaskWorker[] = []
  let isAside = false

  async function look(): Promise<void> {
    const others = ways.probing().mode === 'dns' ? await findProbing(db, workerId) : undefined
    const leaves = others?.mode === 'smtp'
    if (leaves === isAside) return
    isAside = leaves
    log.info(leaves ? 'others reach mail servers: the work is theirs' : 'taking work again')
    await Promise.all(workers.map((worker) => (leaves ? worker.pause() : worker.goOn())))
  }

  await look().catch((error: unknown) => log.debug({ err: error }, 'could not look who reaches mail servers'))
  const rounds = startRounds(LOOK_EVERY_MS, look, { log, name: 'looking who reaches mail servers' })
  return {
    isAside: () => isAside,
    lead(worker) {
      workers.push(worker)
      if (!isAside) worker.goOn()
    },
    stop: () => rounds.stop(),
  }
}
