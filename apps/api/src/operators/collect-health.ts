import type { HealthPart } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { type KeptRow, listFindings } from '@probity/database/operators/doctor'
import { getSystemHealth, type SystemHealth } from '@probity/database/operators/health'
import { listProcesses, type Process } from '@probity/database/system/processes'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { readQueueDepths } from '@probity/redis/task-queues'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import type { UserAuthentication } from '../middleware/authentication/session.ts'
import { describeDoctor } from './describe-doctor.ts'
import { describeProcesses, describeVersions } from './describe-processes.ts'
import {
  describeAuditor,
  describeLetters,
  describeMigrations,
  describePostgres,
  describeQueue,
} from './health-checks.ts'

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
    describeAuditor(vitals),
    describeLetters(vitals, hasMail),
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
