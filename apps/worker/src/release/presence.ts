import { beat, leaveWork } from '@probity/database/list-workers'
import type { Services } from '../services.ts'

/** Others take our work after ten seconds without a sign of life, so several may go astray. */
const BEAT_EVERY_MS = 1_000

/** Shows that this worker lives, from before its first batch until its last. Resolves when it was seen for the first time. */
export async function startPresence({ db, workerId, log }: Pick<Services, 'db' | 'workerId' | 'log'>, slots: number) {
  let beating = Promise.resolve()
  async function beatOnce(): Promise<void> {
    try {
      await beat(db, workerId, slots)
    } catch (error) {
      log.debug({ err: error }, 'no sign of life given')
    }
  }
  await beatOnce()
  const timer = setInterval(() => {
    beating = beating.then(beatOnce)
  }, BEAT_EVERY_MS)
  return {
    /** Gives back what is not done. Where that fails, the others wait ten seconds. */
    async stop() {
      clearInterval(timer)
      await beating
      await leaveWork(db, workerId).catch((error: unknown) => log.warn({ err: error }, 'left without a word'))
    },
  }
}
