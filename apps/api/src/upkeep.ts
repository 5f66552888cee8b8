import { startInterval } from '@probity/concurrency/scheduling'
import { removeOldPayments } from '@probity/database/billing/payments'
import type { Db } from '@probity/database/connection/connect'
import { removeDecayedOutcomes } from '@probity/database/feedback/outcomes'
import { removeOldAuditEntries } from '@probity/database/operators/audit-log'
import { removeClosedAccounts } from '@probity/database/system/account-deletion'
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

type Maintained = { db: Db; storage: FileStorage }

type Step = {
  /** For the log: "failed to <task>; retrying within an hour". */
  task: string
  run(maintained: Maintained): Promise<Record<string, number>>
  /** Logged with the counts of the step if one of them is above zero. */
  done?: string
  /** Log levels, if not `info` for changes and `warn` for failures. */
  levels?: { done: 'warn'; failed: 'error' }
}

/** Jobs end before their partitions are dropped; the other steps are independent. */
const STEPS: Step[] = [
  {
    task: 'end expired jobs and validations',
    run: ({ db }) => endExpired(db),
    done: 'ended expired jobs and validations',
    levels: { done: 'warn', failed: 'error' },
  },
  { task: 'maintain partitions', run: ({ db }) => keepPartitions(db), done: 'created and dropped partitions' },
  {
    task: 'delete expired uploads',
    run: ({ db, storage }) => removeExpired(db, storage),
    done: 'deleted expired uploads',
  },
  {
    task: 'remove deleted accounts',
    run: async ({ db }) => ({ accounts: await removeClosedAccounts(db, CLOSED_FOR_S) }),
    done: 'removed deleted accounts',
  },
  {
    task: 'delete ended sessions',
    run: async ({ db }) => ({ sessions: await removeEndedSessions(db) }),
    done: 'deleted ended sessions',
  },
  { task: 'queue retention warnings', run: async ({ db }) => withoutCounts(maintainNotifications(db)) },
  {
    task: 'delete old audit log entries',
    run: async ({ db }) => ({ entries: await removeOldAuditEntries(db) }),
    done: 'deleted audit log entries older than a year',
  },
  {
    task: 'delete outcomes without weight',
    run: async ({ db }) => ({ sums: await removeDecayedOutcomes(db) }),
    done: 'deleted outcomes without weight',
  },
  {
    task: 'delete abandoned checkouts and old Stripe events',
    run: async ({ db }) => ({ rows: await removeOldPayments(db) }),
    done: 'deleted abandoned checkouts and old Stripe events',
  },
  { task: 'delete old domain counts', run: async ({ db }) => withoutCounts(deleteOldDomainDays(db)) },
]

async function withoutCounts(work: Promise<unknown>): Promise<Record<string, number>> {
  await work
  return {}
}

/**
 * Runs maintenance at the start and once an hour: ends expired jobs, creates the partitions of coming days and deletes expired data,
 * including files. Any number of processes can run it. A failed step does not stop the next one: addresses are deleted when they
 * expire, and the credits of a job are in its own row, which is kept.
 */
export function startUpkeep({ log, ...maintained }: Maintained & { log: FastifyBaseLogger }): {
  stop(): Promise<void>
} {
  async function maintain(): Promise<void> {
    for (const { task, run, done, levels } of STEPS) {
      try {
        const counts = await run(maintained)
        if (done !== undefined && Object.values(counts).some((count) => count > 0)) {
          log[levels?.done ?? 'info'](counts, done)
        }
      } catch (error) {
        log[levels?.failed ?? 'warn']({ err: error }, `failed to ${task}; retrying within an hour`)
      }
    }
  }

  return startInterval(EVERY_MS, maintain, { unref: true })
}
