import type { HealthPart } from '@probity/contract/schemas/operators'
import type { SystemHealth } from '@probity/database/operators/health'
import type { QueueDepth } from '@probity/redis/task-queues'

/** Slower than a healthy server responds, in milliseconds. */
const SLOW_MS = 500
/** Reconciliation runs every minute. */
const AUDIT_LATE_MS = 5 * 60_000
/** Single and bulk requests wait for seconds, so older tasks show that workers are too slow. */
const QUEUE_LATE_MS = 30_000

export function describePostgres({ serverVersion, serverSince }: SystemHealth, ms: number): HealthPart {
  const isSlow = ms > SLOW_MS
  return {
    name: 'PostgreSQL',
    state: isSlow ? 'degraded' : 'ok',
    detail: `PostgreSQL ${serverVersion} ${isSlow ? 'is slow: it responded in' : 'responded in'} ${Math.round(ms)} ms.`,
    since_at: serverSince.toISOString(),
  }
}

export function describeMigrations({ migration, migratedAt }: SystemHealth, missing: string[] | undefined): HealthPart {
  const since = migratedAt.toISOString()
  if (missing === undefined || missing.length > 0) {
    const detail = missing
      ? `Not applied: ${missing.join(', ')}. Run "pnpm admin migrate".`
      : 'The applied migrations could not be read.'
    return { name: 'Migrations', state: 'down', detail, since_at: since }
  }
  return {
    name: 'Migrations',
    state: 'ok',
    detail: `All migrations are applied. The last one is ${migration}.`,
    since_at: since,
  }
}

export function describeAuditor({ reconciledUntil, stoppedAccounts }: SystemHealth, now = Date.now()): HealthPart {
  const since = reconciledUntil.toISOString()
  if (stoppedAccounts > 0) {
    const accounts = stoppedAccounts === 1 ? 'One account is' : `${stoppedAccounts} accounts are`
    const detail = `${accounts} on hold: ledger mismatch. Run "pnpm admin audit" for details.`
    return { name: 'Ledger reconciliation', state: 'degraded', detail, since_at: since }
  }
  if (now - reconciledUntil.getTime() > AUDIT_LATE_MS) {
    const detail = 'Ledger reconciliation is overdue. The process with maintenance in PROBITY_WORKER_TASKS runs it.'
    return { name: 'Ledger reconciliation', state: 'degraded', detail, since_at: since }
  }
  return { name: 'Ledger reconciliation', state: 'ok', detail: 'All balances match the ledger.', since_at: since }
}

export function describeLetters({ lateLetters, oldestLetter }: SystemHealth, hasMail: boolean): HealthPart {
  if (!hasMail) {
    const detail =
      'No SMTP relay is configured (PROBITY_MAIL_URL). Links are written to the log, and email notifications are not sent.'
    return { name: 'SMTP relay', state: 'off', detail, since_at: null }
  }
  if (lateLetters > 0) {
    const detail = `${lateLetters} ${lateLetters === 1 ? 'email is' : 'emails are'} overdue.`
    return { name: 'SMTP relay', state: 'degraded', detail, since_at: oldestLetter?.toISOString() ?? null }
  }
  return { name: 'SMTP relay', state: 'ok', detail: 'Configured. No emails are overdue.', since_at: null }
}

export function describeQueue(
  { waiting, waitingSince }: SystemHealth,
  depths: QueueDepth[] | undefined,
  now = Date.now(),
): HealthPart {
  const isLate = waitingSince !== null && now - waitingSince.getTime() > QUEUE_LATE_MS
  const tasks = depths?.reduce((sum, { waiting: more }) => sum + more, 0)
  const inRedis = tasks === undefined ? '' : ` ${tasks} ${tasks === 1 ? 'task is' : 'tasks are'} waiting in Redis.`
  const rows =
    waiting === 0
      ? 'No requests are waiting for a worker.'
      : `${waiting} ${waiting === 1 ? 'address is' : 'addresses are'} waiting for a worker.`
  return {
    name: 'Queue',
    state: isLate ? 'degraded' : 'ok',
    detail: `${rows}${inRedis}`,
    since_at: waitingSince?.toISOString() ?? null,
  }
}
