import type { Db } from '@probity/database/connect'
import { keepPartitions } from '@probity/database/partitions'
import type { FastifyBaseLogger } from 'fastify'
import { removeExpired } from './uploads/expire.ts'
import type { FileStorage } from './uploads/storage.ts'

const EVERY_MS = 60 * 60 * 1000

type Kept = { db: Db; storage: FileStorage; log: FastifyBaseLogger }

/**
 * At the start and once an hour: makes the partitions of the days to come, drops what has expired, files among it. Any number of
 * processes may do it.
 */
export function startUpkeep({ db, storage, log }: Kept): { stop(): Promise<void> } {
  async function keep(): Promise<void> {
    try {
      const { made, dropped } = await keepPartitions(db)
      if (made + dropped > 0) log.info({ made, dropped }, 'partitions kept')
    } catch (error) {
      log.warn({ err: error }, 'partitions not kept; trying again within the hour')
    }
    try {
      const { uploads, orphans } = await removeExpired(db, storage)
      if (uploads + orphans > 0) log.info({ uploads, orphans }, 'expired uploads removed')
    } catch (error) {
      log.warn({ err: error }, 'expired uploads not removed; trying again within the hour')
    }
  }

  let keeping = keep()
  const timer = setInterval(() => {
    keeping = keeping.then(keep)
  }, EVERY_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await keeping
    },
  }
}
