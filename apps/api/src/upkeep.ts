import { removeOldAuditEntries } from '@probity/database/audit-log'
import { removeClosedAccounts } from '@probity/database/closing'
import type { Db } from '@probity/database/connect'
import { deleteOldDomainDays } from '@probity/database/domain-limits'
import { endExpired } from '@probity/database/expired'
import { removeFadedOutcomes } from '@probity/database/faded-outcomes'
import { keepNotices } from '@probity/database/notices'
import { removeOldPayments } from '@probity/database/old-payments'
import { keepPartitions } from '@probity/database/partitions'
import { removeEndedSessions } from '@probity/database/people'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyBaseLogger } from 'fastify'
import { removeExpired } from './uploads/expire.ts'

const EVERY_MS = 60 * 60 * 1000
/** Longer than any process believes a key that it remembers. */
const CLOSED_FOR_S = 60

type Kept = { db: Db; storage: FileStorage; log: FastifyBaseLogger }

/**
 * At the start and once an hour: ends what is not done though its day is over, makes the partitions of the days to come, drops what
 * has expired, files among it. Any number of processes may do it. Each step is taken whatever became of the one before it:
 * addresses leave when their day is over, and a job's money is in its own row, which stays.
 */
export function startUpkeep({ db, storage, log }: Kept): { stop(): Promise<void> } {
  async function keep(): Promise<void> {
    try {
      const { jobs, validations } = await endExpired(db)
      if (jobs + validations > 0) log.warn({ jobs, validations }, 'ended what was not done when its day was over')
    } catch (error) {
      log.error({ err: error }, 'what was not done when its day was over is not ended; trying again within the hour')
    }
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
    try {
      const accounts = await removeClosedAccounts(db, CLOSED_FOR_S)
      if (accounts > 0) log.info({ accounts }, 'deleted accounts removed')
    } catch (error) {
      log.warn({ err: error }, 'deleted accounts not removed; trying again within the hour')
    }
    try {
      const sessions = await removeEndedSessions(db)
      if (sessions > 0) log.info({ sessions }, 'ended sessions removed')
    } catch (error) {
      log.warn({ err: error }, 'ended sessions not removed; trying again within the hour')
    }
    try {
      await keepNotices(db)
    } catch (error) {
      log.warn({ err: error }, 'nobody is told of results that leave soon; trying again within the hour')
    }
    try {
      const entries = await removeOldAuditEntries(db)
      if (entries > 0) log.info({ entries }, 'entries of the audit log removed whose year is over')
    } catch (error) {
      log.warn({ err: error }, 'old entries of the audit log not removed; trying again within the hour')
    }
    try {
      const sums = await removeFadedOutcomes(db)
      if (sums > 0) log.info({ sums }, 'faded outcomes removed')
    } catch (error) {
      log.warn({ err: error }, 'faded outcomes not removed; trying again within the hour')
    }
    try {
      const rows = await removeOldPayments(db)
      if (rows > 0) log.info({ rows }, 'old payments that never were and events removed')
    } catch (error) {
      log.warn({ err: error }, 'old payments that never were and events not removed; trying again within the hour')
    }
    try {
      await deleteOldDomainDays(db)
    } catch (error) {
      log.warn({ err: error }, 'counts of addresses per domain not deleted; trying again within the hour')
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
