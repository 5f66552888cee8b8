import { DOCTOR_CHECKS } from '@probity/contract/constants/data/doctor-checks'
import { isDoctorCheck } from '@probity/contract/constants/operators'
import { probingReason } from '@probity/contract/constants/system'
import { Health, type HealthPart } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { type KeptRow, listFindings } from '@probity/database/operators/doctor'
import { getSystemHealth, type SystemHealth } from '@probity/database/operators/health'
import { listProcesses, type Process } from '@probity/database/system/processes'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { type QueueDepth, readQueueDepths } from '@probity/redis/task-queues'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import Type from 'typebox'
import Value from 'typebox/value'
import type { Route } from '../http/route.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'

/** Workers run the doctor once an hour. After two missed runs its findings are out of date. */
const LATE_MS = 2.5 * 3_600_000

/** Summary of the doctor findings. The Doctor page shows all of them. */
export function describeDoctor(findings: KeptRow[], now = Date.now()): HealthPart {
  const name = 'Doctor'
  const newest = Math.max(...findings.map(({ checkedAt }) => checkedAt.getTime()))
  if (findings.length === 0) {
    return {
      name,
      state: 'off',
      detail: 'No findings yet. Workers run the doctor shortly after they start.',
      since_at: null,
    }
  }
  const since = new Date(newest).toISOString()
  if (now - newest > LATE_MS) {
    return {
      name,
      state: 'degraded',
      detail: 'No findings for more than two hours. Workers run the doctor once an hour.',
      since_at: since,
    }
  }
  const failed = findings.filter(({ status }) => status === 'fail').toSorted(byCheck)
  const warned = findings.filter(({ status }) => status === 'warn')
  if (failed.length === 0) {
    const warnings =
      warned.length === 0 ? 'No warnings.' : `${warned.length} ${warned.length === 1 ? 'warning' : 'warnings'}.`
    return { name, state: 'ok', detail: `No failing checks. ${warnings}`, since_at: since }
  }
  const what = failed.map(({ checkId }) => (isDoctorCheck(checkId) ? DOCTOR_CHECKS[checkId].title : checkId))
  const more = what.length > 1 ? ` and ${what.length - 1} more` : ''
  return {
    name,
    state: 'degraded',
    detail: `Failing checks: “${what[0]}”${more}. See the Doctor page for the fix.`,
    since_at: since,
  }
}

const ORDER = Object.keys(DOCTOR_CHECKS)

function byCheck(a: KeptRow, b: KeptRow): number {
  return ORDER.indexOf(a.checkId) - ORDER.indexOf(b.checkId)
}

/** Processes send a heartbeat every ten seconds. After three missed heartbeats a process counts as stopped. */
const SILENT_AFTER_MS = 35_000

const NAMES = { api: 'API', worker: 'Workers', maintenance: 'Maintenance' } as const
const WITHOUT = {
  api: 'No API heartbeat yet. The process has just started.',
  worker: 'No worker heartbeat. Validation is stopped until a worker runs.',
  maintenance:
    'No heartbeat of a maintenance process. Without one, expired data is not deleted, the ledger is not reconciled, and no notifications are sent.',
} as const

/** Number of running processes of a kind, and of those that stopped sending heartbeats without a shutdown. */
export function describeProcesses(kind: Process['kind'], all: Process[], now = Date.now()): HealthPart {
  const name = NAMES[kind]
  const { live, silent } = divide(kind, all, now)
  const [oldest] = live
  if (oldest === undefined) {
    const last = silent.map(({ seenAt }) => seenAt.getTime())
    const since = last.length > 0 ? new Date(Math.max(...last)).toISOString() : null
    return { name, state: kind === 'worker' ? 'down' : 'degraded', detail: WITHOUT[kind], since_at: since }
  }
  const counted = `${live.length} ${live.length === 1 ? 'process is running' : 'processes are running'}.`
  const lost = silent.length > 0 ? ` ${silent.length} stopped sending heartbeats in the last 24 hours.` : ''
  const mute = kind === 'worker' ? whyDegraded(live) : undefined
  return {
    name,
    state: mute === undefined ? 'ok' : 'degraded',
    detail: `${counted}${lost}${mute ?? ''}`,
    since_at: oldest.startedAt.toISOString(),
  }
}

const Said = Type.Object({ mode: Type.String(), reason: Type.Union([Type.String(), Type.Null()]) })

/** Reason why mailboxes are not probed; undefined if at least one worker can probe. Workers of another version may not report it. */
function whyMute(live: Process[]): string | undefined {
  const reasons = live.map(({ facts: { probing, egresses } }) => {
    if (Value.Check(Said, probing)) return probing.mode === 'smtp' ? null : (probing.reason ?? '')
    return Array.isArray(egresses) && egresses.length > 0 ? null : 'no_helo_name'
  })
  if (reasons.includes(null)) return undefined
  const reason = reasons.find((one) => one !== 'no_helo_name') ?? 'no_helo_name'
  return ` Mailboxes are not probed: ${probingReason(reason)}`
}

/** Why workers leave addresses unknown; undefined if they do not. */
function whyDegraded(live: Process[]): string | undefined {
  const untrusted = live.filter(({ facts }) => facts['resolver_trusted'] === false).length
  const workers = untrusted === 1 ? 'one process' : `${untrusted} processes`
  const dns = untrusted > 0 ? ` The DNS resolver of ${workers} failed its check. See the Doctor page.` : ''
  return `${dns}${whyMute(live) ?? ''}` || undefined
}

/** Several versions are normal during an upgrade, for a few minutes. */
export function describeVersions(all: Process[], now = Date.now()): HealthPart {
  const live = all.filter((one) => isLive(one, now))
  const versions = [...new Set(live.map(({ version }) => version))].toSorted()
  const newest = live.map(({ startedAt }) => startedAt.getTime())
  return {
    name: 'Version',
    state: versions.length > 1 ? 'degraded' : 'ok',
    detail:
      versions.length > 1
        ? `Different versions are running: ${versions.join(', ')}.`
        : `All processes run ${versions[0] ?? 'the same version'}.`,
    since_at: newest.length > 0 ? new Date(Math.max(...newest)).toISOString() : null,
  }
}

function divide(kind: Process['kind'], all: Process[], now: number) {
  const own = all.filter((one) => one.kind === kind)
  return {
    live: own.filter((one) => isLive(one, now)),
    silent: own.filter((one) => !isLive(one, now)),
  }
}

export function isLive({ seenAt }: Process, now: number): boolean {
  return now - seenAt.getTime() < SILENT_AFTER_MS
}

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
      ? `Not applied: ${missing.join(', ')}. Run "probity-admin migrate".`
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

export function describeReconciliation(
  { reconciledUntil, stoppedAccounts }: SystemHealth,
  now = Date.now(),
): HealthPart {
  const since = reconciledUntil.toISOString()
  if (stoppedAccounts > 0) {
    const accounts = stoppedAccounts === 1 ? 'One account is' : `${stoppedAccounts} accounts are`
    const detail = `${accounts} on hold: ledger mismatch. Run "probity-admin audit" for details.`
    return { name: 'Ledger reconciliation', state: 'degraded', detail, since_at: since }
  }
  if (now - reconciledUntil.getTime() > AUDIT_LATE_MS) {
    const detail = 'Ledger reconciliation is overdue. The process with maintenance in PROBITY_WORKER_TASKS runs it.'
    return { name: 'Ledger reconciliation', state: 'degraded', detail, since_at: since }
  }
  return { name: 'Ledger reconciliation', state: 'ok', detail: 'All balances match the ledger.', since_at: since }
}

export function describeNotifications({ lateLetters, oldestLetter }: SystemHealth, hasMail: boolean): HealthPart {
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
  const inRedis =
    tasks === undefined ? '' : ` ${tasks || 'No'} ${tasks === 1 ? 'task is' : 'tasks are'} waiting in Redis.`
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

type Looked = { db: Db; redis: Redis; queuePrefix: string; storage: FileStorage; people: UserAuthentication }

/** Current state of every component. A component that does not respond is down and does not affect the others. */
export async function lookAtHealth(services: Looked): Promise<HealthPart[]> {
  const { db } = services
  const began = performance.now()
  const seen = await asOperator(db, async (trx) => ({
    vitals: await getSystemHealth(trx),
    processes: await listProcesses(trx),
    findings: await listFindings(trx),
  })).catch(() => undefined)
  const ms = performance.now() - began
  const [redis, storage] = await Promise.all([lookAtRedis(services), lookAtStorage(services)])
  if (seen === undefined) return [POSTGRES_AWAY, redis.part, storage]
  const missing = await listMissingMigrations(db).catch(() => undefined)
  return [
    ...describeSeen(seen, services.people.hasMail, missing),
    describePostgres(seen.vitals, ms),
    redis.part,
    storage,
  ].concat(describeQueue(seen.vitals, redis.depths))
}

const POSTGRES_AWAY: HealthPart = {
  name: 'PostgreSQL',
  state: 'down',
  detail: 'PostgreSQL does not respond. Other components cannot be shown.',
  since_at: null,
}

type Seen = { vitals: SystemHealth; processes: Process[]; findings: KeptRow[] }

function describeSeen(
  { vitals, processes, findings }: Seen,
  hasMail: boolean,
  missing: string[] | undefined,
): HealthPart[] {
  return [
    describeProcesses('api', processes),
    describeProcesses('worker', processes),
    describeProcesses('maintenance', processes),
    describeVersions(processes),
    describeMigrations(vitals, missing),
    describeReconciliation(vitals),
    describeNotifications(vitals, hasMail),
    describeDoctor(findings),
  ]
}

async function lookAtRedis({ redis, queuePrefix }: Looked) {
  try {
    const [info, depths] = await Promise.all([redis.info('server'), readQueueDepths(redis, queuePrefix)])
    const upS = Number(/uptime_in_seconds:(\d+)/.exec(info)?.[1] ?? Number.NaN)
    const version = /redis_version:(\S+)/.exec(info)?.[1] ?? '(unknown version)'
    const since = Number.isNaN(upS) ? null : new Date(Date.now() - upS * 1_000).toISOString()
    return {
      part: { name: 'Redis', state: 'ok', detail: `Redis ${version} responds.`, since_at: since } as HealthPart,
      depths,
    }
  } catch {
    const detail =
      'Redis does not respond. Requests are served more slowly, and each mail server is probed over one connection.'
    return { part: { name: 'Redis', state: 'down', detail, since_at: null } as HealthPart, depths: undefined }
  }
}

/** Writes a test file, which is the only proof that files can be written. Maintenance deletes the file if the process ends in between. */
async function lookAtStorage({ storage }: Looked): Promise<HealthPart> {
  try {
    const { key } = await storage.save(oneByte())
    await storage.remove(key)
    return { name: 'Uploads', state: 'ok', detail: 'Files can be written and deleted.', since_at: null }
  } catch {
    const detail = 'Files cannot be written. Uploads fail, and queued lists cannot be read.'
    return { name: 'Uploads', state: 'down', detail, since_at: null }
  }
}

async function* oneByte() {
  yield Buffer.from('.')
}

type HealthDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
  storage: FileStorage
  people: UserAuthentication
}

/** Health of each part of the installation. */
export const showHealth: Route<HealthDependencies> = async (app, services) => {
  app.get('/health', { schema: { response: { 200: Health } } }, async () => ({
    checked_at: new Date().toISOString(),
    parts: await lookAtHealth(services),
  }))
}
