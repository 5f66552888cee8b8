import { startInterval } from '@probity/concurrency/interval'
import { removeClosedAccounts } from '@probity/database/accounts/account-deletion'
import { removeOldPayments } from '@probity/database/billing/payments'
import type { Db } from '@probity/database/connection/connect'
import { removeDecayedOutcomes } from '@probity/database/feedback/outcomes'
import { removeOldAuditEntries } from '@probity/database/operators/audit-log'
import { endExpired, keepPartitions } from '@probity/database/system/retention'
import { maintainNotifications } from '@probity/database/users/notifications'
import { removeEndedSessions } from '@probity/database/users/users'
import { deleteOldDomainDays } from '@probity/database/validations/probing'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyBaseLogger } from 'fastify'
import { removeExpired } from './uploads/expire.ts'

const EVERY_MS = 60 * 60 * 1000
/** Longer than any process caches a key. */
const CLOSED_FOR_S = 60

type Kept = { db: Db; storage: FileStorage; log: FastifyBaseLogger }

/**
 * Runs maintenance at the start and once an hour: ends expired jobs, creates the partitions of coming days and deletes expired data,
 * including files. Any number of processes can run it. A failed step does not stop the next one: addresses are deleted when they
 * expire, and the credits of a job are in its own row, which is kept.
 */
export function startUpkeep({ db, storage, log }: Kept): { stop(): Promise<void> } {
  async function keep(): Promise<void> {
    try {
      const { jobs, validations } = await endExpired(db)
      if (jobs + validations > 0) log.warn({ jobs, validations }, 'ended expired jobs and validations')
    } catch (error) {
      log.error({ err: error }, 'failed to end expired jobs and validations; retrying within an hour')
    }
    try {
      const { made, dropped } = await keepPartitions(db)
      if (made + dropped > 0) log.info({ made, dropped }, 'created and dropped partitions')
    } catch (error) {
      log.warn({ err: error }, 'failed to maintain partitions; retrying within an hour')
    }
    try {
      const { uploads, orphans } = await removeExpired(db, storage)
      if (uploads + orphans > 0) log.info({ uploads, orphans }, 'deleted expired uploads')
    } catch (error) {
      log.warn({ err: error }, 'failed to delete expired uploads; retrying within an hour')
    }
    try {
      const accounts = await removeClosedAccounts(db, CLOSED_FOR_S)
      if (accounts > 0) log.info({ accounts }, 'removed deleted accounts')
    } catch (error) {
      log.warn({ err: error }, 'failed to remove deleted accounts; retrying within an hour')
    }
    try {
      const sessions = await removeEndedSessions(db)
      if (sessions > 0) log.info({ sessions }, 'deleted ended sessions')
    } catch (error) {
      log.warn({ err: error }, 'failed to delete ended sessions; retrying within an hour')
    }
    try {
      await maintainNotifications(db)
    } catch (error) {
      log.warn({ err: error }, 'failed to queue retention warnings; retrying within an hour')
    }
    try {
      const entries = await removeOldAuditEntries(db)
      if (entries > 0) log.info({ entries }, 'deleted audit log entries older than a year')
    } catch (error) {
      log.warn({ err: error }, 'failed to delete old audit log entries; retrying within an hour')
    }
    try {
      const sums = await removeDecayedOutcomes(db)
      if (sums > 0) log.info({ sums }, 'deleted outcomes without weight')
    } catch (error) {
      log.warn({ err: error }, 'failed to delete outcomes without weight; retrying within an hour')
    }
    try {
      const rows = await removeOldPayments(db)
      if (rows > 0) log.info({ rows }, 'deleted abandoned checkouts and old Stripe events')
    } catch (error) {
      log.warn({ err: error }, 'failed to delete abandoned checkouts and old Stripe events; retrying within an hour')
    }
    try {
      await deleteOldDomainDays(db)
    } catch (error) {
      log.warn({ err: error }, 'failed to delete old domain counts; retrying within an hour')
    }
  }

  return startInterval(EVERY_MS, keep, { unref: true })
}
