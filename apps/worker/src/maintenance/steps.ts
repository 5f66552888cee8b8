import { announceExpiredKeys } from '@probity/database/accounts/keys'
import { removeOldPayments } from '@probity/database/billing/payments'
import { reconcileLedger } from '@probity/database/billing/reconciliation'
import type { Db } from '@probity/database/connection/connect'
import { removeDecayedOutcomes } from '@probity/database/feedback/outcomes'
import { removeOldAuditEntries } from '@probity/database/operators/audit-log'
import { removeClosedAccounts } from '@probity/database/system/account-deletion'
import { deleteExpiredUploads, endExpired, keepPartitions } from '@probity/database/system/retention'
import { maintainNotifications } from '@probity/database/users/notifications'
import { removeEndedSessions } from '@probity/database/users/users'
import { deleteOldDomainDays } from '@probity/database/validations/probing'
import { removeStaleStreams } from '@probity/database/webhooks/event-streams'
import type { FileStorage } from '@probity/uploads/storage'
import type { Logger } from 'pino'
import type { MaintenanceMetrics } from './metrics.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Longer than any process caches a key. */
const CLOSED_FOR_S = 60
const EXPIRED_KEYS_MAX = 100
/** Limit per run; `probity-admin audit` lists all mismatches. */
const LOGGED_MISMATCHES_MAX = 100

export type MaintenanceContext = { db: Db; storage: FileStorage; metrics: MaintenanceMetrics; log: Logger }

export type Step = {
  /** The value of the label `step`; in the log as "maintenance step failed". */
  name: string
  everyMs: number
  /** Returns how much was done, by kind. */
  run(context: MaintenanceContext): Promise<Record<string, number>>
  /** Logged with these counts if one of them is above zero. */
  done?: string
  /** Log levels, if not `info` for changes and `warn` for failures. */
  levels?: { done: 'debug' | 'warn'; failed: 'warn' | 'error' }
}

/**
 * Steps with the same interval run one after the other, in this order: jobs end before their partitions are dropped. Each can run in any
 * number of processes.
 */
export const STEPS: readonly Step[] = [
  { name: 'reconcile_ledger', everyMs: MINUTE_MS, run: reconcile },
  {
    name: 'announce_expired_keys',
    everyMs: MINUTE_MS,
    run: async ({ db }) => ({ keys: await announceExpiredKeys(db, EXPIRED_KEYS_MAX) }),
    done: 'emitted key expiry events',
    levels: { done: 'debug', failed: 'warn' },
  },
  { name: 'delete_stale_streams', everyMs: MINUTE_MS, run: ({ db }) => withoutCounts(removeStaleStreams(db)) },
  {
    name: 'end_expired',
    everyMs: HOUR_MS,
    run: ({ db }) => endExpired(db),
    done: 'ended expired jobs and validations',
    levels: { done: 'warn', failed: 'error' },
  },
  {
    name: 'maintain_partitions',
    everyMs: HOUR_MS,
    run: ({ db }) => keepPartitions(db),
    done: 'created and dropped partitions',
  },
  {
    name: 'delete_expired_uploads',
    everyMs: HOUR_MS,
    run: ({ db, storage }) => deleteExpiredUploads(db, storage),
    done: 'deleted expired uploads',
  },
  {
    name: 'delete_closed_accounts',
    everyMs: HOUR_MS,
    run: async ({ db }) => ({ accounts: await removeClosedAccounts(db, CLOSED_FOR_S) }),
    done: 'removed deleted accounts',
  },
  {
    name: 'delete_ended_sessions',
    everyMs: HOUR_MS,
    run: async ({ db }) => ({ sessions: await removeEndedSessions(db) }),
    done: 'deleted ended sessions',
  },
  {
    name: 'queue_retention_warnings',
    everyMs: HOUR_MS,
    run: ({ db }) => withoutCounts(maintainNotifications(db)),
  },
  {
    name: 'delete_old_audit_entries',
    everyMs: HOUR_MS,
    run: async ({ db }) => ({ entries: await removeOldAuditEntries(db) }),
    done: 'deleted audit log entries older than a year',
  },
  {
    name: 'delete_decayed_outcomes',
    everyMs: HOUR_MS,
    run: async ({ db }) => ({ sums: await removeDecayedOutcomes(db) }),
    done: 'deleted outcomes without weight',
  },
  {
    name: 'delete_old_payments',
    everyMs: HOUR_MS,
    run: async ({ db }) => ({ rows: await removeOldPayments(db) }),
    done: 'deleted abandoned checkouts and old Stripe events',
  },
  { name: 'delete_old_domain_counts', everyMs: HOUR_MS, run: ({ db }) => withoutCounts(deleteOldDomainDays(db)) },
]

async function withoutCounts(work: Promise<unknown>): Promise<Record<string, number>> {
  await work
  return {}
}

/** Reconciles the ledger once, unless another process does. Mismatches are logged without addresses. */
export async function reconcile({
  db,
  log,
  metrics,
}: Pick<MaintenanceContext, 'db' | 'log' | 'metrics'>): Promise<Record<string, number>> {
  const result = await reconcileLedger(db)
  if (result === undefined) return {}
  metrics.reconciled(result.faults.length)
  for (const { accountId, ...fault } of result.faults.slice(0, LOGGED_MISMATCHES_MAX)) {
    log.error({ account: accountId, ...fault }, 'ledger mismatch')
  }
  for (const account of result.stopped) log.error({ account }, 'account put on hold: ledger mismatch')
  return {}
}
