import type { HealthPart } from '@probity/contract/operator'
import type { Vitals } from '@probity/database/operator-health'
import type { QueueDepth } from '@probity/queue/depth'

/** Slower than a machine that is well answers, in milliseconds. */
const SLOW_MS = 500
/** The auditor comes every minute. */
const AUDIT_LATE_MS = 5 * 60_000
/** Callers wait for seconds, not for longer. */
const QUEUE_LATE_MS = 30_000

export function describePostgres({ serverVersion, serverSince }: Vitals, ms: number): HealthPart {
  const isSlow = ms > SLOW_MS
  return {
    name: 'PostgreSQL',
    state: isSlow ? 'degraded' : 'ok',
    detail: `PostgreSQL ${serverVersion} ${isSlow ? 'is slow: it took' : 'answered in'} ${Math.round(ms)} ms.`,
    since_at: serverSince.toISOString(),
  }
}

export function describeMigrations({ migration, migratedAt }: Vitals, missing: string[] | undefined): HealthPart {
  const since = migratedAt.toISOString()
  if (missing === undefined || missing.length > 0) {
    const detail = missing ? `Not applied: ${missing.join(', ')}. Run "pnpm admin migrate".` : 'They could not be read.'
    return { name: 'Migrations', state: 'down', detail, since_at: since }
  }
  return { name: 'Migrations', state: 'ok', detail: `All are applied, ${migration} last.`, since_at: since }
}

export function describeAuditor({ reconciledUntil, stoppedAccounts }: Vitals, now = Date.now()): HealthPart {
  const since = reconciledUntil.toISOString()
  if (stoppedAccounts > 0) {
    const whose = stoppedAccounts === 1 ? 'One account is' : `${stoppedAccounts} accounts are`
    const detail = `${whose} not charged: the books do not add up. "pnpm admin audit" says where.`
    return { name: 'Auditor', state: 'degraded', detail, since_at: since }
  }
  if (now - reconciledUntil.getTime() > AUDIT_LATE_MS) {
    const detail =
      'The books have not been gone over for a while. It is done by workers that look for lost work (RELEASE).'
    return { name: 'Auditor', state: 'degraded', detail, since_at: since }
  }
  return { name: 'Auditor', state: 'ok', detail: 'The books add up.', since_at: since }
}

export function describeLetters({ lateLetters, oldestLetter }: Vitals, hasMail: boolean): HealthPart {
  if (!hasMail) {
    const detail =
      'No mail server is set (MAIL_URL). Links are written to the log, and nobody is written to about what happens.'
    return { name: 'Mail', state: 'off', detail, since_at: null }
  }
  if (lateLetters > 0) {
    const detail = `${lateLetters} ${lateLetters === 1 ? 'letter' : 'letters'} should have gone out by now.`
    return { name: 'Mail', state: 'degraded', detail, since_at: oldestLetter?.toISOString() ?? null }
  }
  return { name: 'Mail', state: 'ok', detail: 'A mail server is set, and no letter is late.', since_at: null }
}

export function describeQueue(
  { waiting, waitingSince }: Vitals,
  depths: QueueDepth[] | undefined,
  now = Date.now(),
): HealthPart {
  const isLate = waitingSince !== null && now - waitingSince.getTime() > QUEUE_LATE_MS
  const tasks = depths?.reduce((sum, { waiting: more }) => sum + more, 0)
  const inRedis = tasks === undefined ? '' : ` ${tasks} ${tasks === 1 ? 'task waits' : 'tasks wait'} in Redis.`
  const rows =
    waiting === 0
      ? 'No caller waits for a worker.'
      : `${waiting} ${waiting === 1 ? 'address waits' : 'addresses wait'} for a worker.`
  return {
    name: 'Queue',
    state: isLate ? 'degraded' : 'ok',
    detail: `${rows}${inRedis}`,
    since_at: waitingSince?.toISOString() ?? null,
  }
}
