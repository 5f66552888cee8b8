import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '@probity/contract/constants/operators'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { listOtherRoles, readClock, readServerSettings } from '@probity/database/system/server-settings'
import { type CheckContext, fail, guard, pass, unknown, warn } from './check.ts'

const POSTGRES_VERSION_MIN = 15

type Settings = Record<string, string>

/** Checks the PostgreSQL configuration and the schema version. */
export async function examinePostgres({ db }: Pick<CheckContext, 'db'>): Promise<Finding[]> {
  const found = await Promise.all([
    guard(['postgres-version', 'postgres-durability', 'postgres-log'], async () => {
      const settings = await readServerSettings(db)
      return [judgePostgresVersion(settings), judgeDurability(settings), judgeLog(settings)]
    }),
    guard(['migrations'], async () => [judgeMigrations(await listMissingMigrations(db))]),
  ])
  return found.flat()
}

function judgePostgresVersion({ server_version = '' }: Settings): Finding {
  const saw = `PostgreSQL ${server_version}.`
  if (Number.parseInt(server_version, 10) >= POSTGRES_VERSION_MIN) return pass('postgres-version', { saw })
  const says = `Create a backup, then upgrade to version ${POSTGRES_VERSION_MIN} or later.`
  return fail('postgres-version', { saw, says, lines: ['probity-admin backup /var/backups/probity'] })
}

/** The settings that make a commit survive a power failure. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

function judgeDurability(settings: Settings): Finding {
  const off = DURABLE.filter((name) => settings[name] === 'off')
  const saw = `${DURABLE.map((name) => `${name} is ${settings[name] ?? 'not shown'}`).join(', ')}.`
  if (off.length === 0) return pass('postgres-durability', { saw })
  const lines = [...off.map((name) => `alter system set ${name} = on;`), 'select pg_reload_conf();']
  return fail('postgres-durability', { saw, says: 'Run in psql as a superuser:', lines })
}

/** Statement parameters contain addresses, and so does the detail of a unique-violation error. */
function judgeLog(settings: Settings): Finding {
  const isLogged = settings['log_statement'] !== 'none' || Number(settings['log_min_duration_statement']) >= 0
  const wanted = {
    ...(isLogged && settings['log_parameter_max_length'] !== '0' && { log_parameter_max_length: '0' }),
    ...(settings['log_parameter_max_length_on_error'] !== '0' && { log_parameter_max_length_on_error: '0' }),
    ...(settings['log_error_verbosity'] !== 'terse' && { log_error_verbosity: 'terse' }),
  }
  const names = Object.keys(wanted)
  if (names.length === 0) return pass('postgres-log', { saw: 'Statement parameters and error details are not logged.' })
  const saw = `${names.map((name) => `${name} is ${settings[name] ?? 'not shown'}`).join(', ')}.`
  const lines = Object.entries(wanted).map(([name, value]) => `alter system set ${name} = ${value};`)
  return warn('postgres-log', {
    saw,
    says: 'Run in psql as a superuser:',
    lines: [...lines, 'select pg_reload_conf();'],
  })
}

function judgeMigrations(missing: string[]): Finding {
  if (missing.length === 0) return pass('migrations', { saw: 'All migrations are applied.' })
  const says = 'Apply them before starting processes of this version.'
  return fail('migrations', { saw: `Not applied: ${missing.join(', ')}.`, says, lines: ['probity-admin migrate'] })
}

const REDIS_VERSION_MIN = 7

/** Checks the Redis configuration. INFO is enough, and managed services often disable CONFIG. */
export function examineRedis({ redis }: Pick<CheckContext, 'redis'>): Promise<Finding[]> {
  return guard(['redis-version', 'redis-eviction', 'redis-saving'], async () => {
    const info = readInfo(await redis.info())
    return [judgeRedisVersion(info), judgeEviction(info), judgeSaving(info)]
  })
}

type Info = Record<string, string>

function readInfo(text: string): Info {
  return Object.fromEntries(
    [...text.matchAll(/^([a-z0-9_]+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

function judgeRedisVersion({ redis_version: version = 'unknown' }: Info): Finding {
  const saw = `Redis ${version}.`
  if (Number.parseInt(version, 10) >= REDIS_VERSION_MIN) return pass('redis-version', { saw })
  return fail('redis-version', {
    saw,
    says: `Upgrade to version ${REDIS_VERSION_MIN} or later. No data migration is needed.`,
  })
}

function judgeEviction({ maxmemory_policy: policy = 'unknown', maxmemory = '0' }: Info): Finding {
  const bound = maxmemory === '0' ? 'no memory limit' : `a memory limit of ${maxmemory} bytes`
  const saw = `maxmemory-policy is ${policy}, with ${bound}.`
  if (policy === 'noeviction') return pass('redis-eviction', { saw })
  const says = 'Set it now, and in redis.conf so that it survives a restart.'
  const lines = ['redis-cli config set maxmemory-policy noeviction', 'maxmemory-policy noeviction']
  // Without a memory limit nothing is evicted yet; it would be as soon as one is set.
  return maxmemory === '0' ? warn('redis-eviction', { saw, says, lines }) : fail('redis-eviction', { saw, says, lines })
}

function judgeSaving({
  rdb_last_bgsave_status: saved = 'ok',
  aof_last_write_status: written = 'ok',
  aof_enabled,
}: Info): Finding {
  const saw = `Last save to disk: ${saved}. Append-only file: ${aof_enabled === '1' ? `on, last write: ${written}` : 'off'}.`
  if (saved === 'ok' && written === 'ok') return pass('redis-saving', { saw })
  const says =
    'Check that the Redis folder exists, is writable and has free space. Or disable saving: Probity does not need Redis data to be durable.'
  const lines = ['redis-cli config get dir', 'redis-cli config set save ""', 'redis-cli config set appendonly no']
  return fail('redis-saving', { saw, says, lines })
}

type Access = Pick<CheckContext, 'db' | 'redis' | 'publicUrl'>

/** Checks the worker's database login and the Redis password. A development machine needs neither. */
export async function examineAccess({ db, redis, publicUrl }: Access): Promise<Finding[]> {
  const isLocal = publicUrl === undefined || LOOPBACK.test(new URL(publicUrl).hostname)
  const found = await Promise.all([
    guard(['worker-login'], async () => {
      if (db.programRole !== 'probity_worker') return [pass('worker-login', { saw: 'Workers check their own login.' })]
      return [judgeLogin(await listOtherRoles(db), isLocal)]
    }),
    guard(['redis-password'], async () => {
      await redis.ping()
      return [judgePassword(Boolean(redis.options.password), isLocal)]
    }),
  ])
  return found.flat()
}

/** RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3. */
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/i
const LOCAL_ONLY = 'PROBITY_PUBLIC_URL is not set or is on this host only.'

function judgeLogin(roles: string[], isLocal: boolean): Finding {
  if (roles.length === 0) return pass('worker-login', { saw: 'The login can switch to the role probity_worker only.' })
  const saw = `The login can also switch to ${roles.join(', ')}.`
  if (isLocal) return pass('worker-login', { saw: `${saw} ${LOCAL_ONLY}` })
  const lines = [
    "create role probity_worker_login login noinherit password 'choose one' in role probity_worker;",
    'grant connect on database probity to probity_worker_login;',
  ]
  return warn('worker-login', {
    saw,
    says: 'Create a separate login with psql and set it in the PROBITY_DATABASE_URL of the worker:',
    lines,
  })
}

function judgePassword(hasPassword: boolean, isLocal: boolean): Finding {
  if (hasPassword) return pass('redis-password', { saw: 'PROBITY_REDIS_URL has a password.' })
  const saw = 'PROBITY_REDIS_URL has no password.'
  if (isLocal) return pass('redis-password', { saw: `${saw} ${LOCAL_ONLY}` })
  const says = 'Set a password in redis.conf, restart Redis, and add the password to PROBITY_REDIS_URL:'
  const lines = ['requirepass choose-one', 'PROBITY_REDIS_URL=redis://:choose-one@127.0.0.1:6379']
  return warn('redis-password', { saw, says, lines })
}

/** Webhook signatures and one-time passwords tolerate 2 seconds of clock skew; at 30 seconds they fail. */
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 30_000

/** Free space that leaves an operator time to react. */
type DiskSpace = { lowBytes: number; fullBytes: number }
const DISK_SPACE_MIN: DiskSpace = { lowBytes: 2 * 1024 ** 3, fullBytes: 256 * 1024 ** 2 }

/** A busy worker holds several thousand connections. */
const OPEN_FILES_MIN = 4_096

export async function examineHost(
  context: Pick<CheckContext, 'db' | 'uploadsFolder' | 'databaseFolder' | 'now'>,
  space = DISK_SPACE_MIN,
): Promise<Finding[]> {
  const { db, uploadsFolder, databaseFolder, now } = context
  const found = await Promise.all([
    guard(['clock'], async () => [await compareClocks(db, now)]),
    guard(['disk'], async () => [await judgeDiskSpace('uploads', uploadsFolder, space)]),
    guard(['disk'], async () =>
      databaseFolder === undefined ? [] : [await judgeDiskSpace('PostgreSQL', databaseFolder, space)],
    ),
    guard(['open-files'], async () => [judgeOpenFiles(await readFile('/proc/self/limits', 'utf8'))]),
  ])
  return found.flat()
}

async function compareClocks(db: CheckContext['db'], now: () => number): Promise<Finding> {
  const before = now()
  const { at, isHere } = await readClock(db)
  const after = now()
  // The database clock was read between the two local readings, so a value in that range is no skew.
  const skewMs = at < before ? at - before : Math.max(0, at - after)
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  const whose = isHere ? 'PostgreSQL, which runs on this host, so both may be wrong' : 'PostgreSQL'
  const saw =
    skewMs === 0
      ? `The clock agrees with ${whose}.`
      : `The clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} ${whose}.`
  if (Math.abs(skewMs) < SKEW_WARN_MS) return pass('clock', { saw })
  const told = {
    saw,
    says: 'Synchronize both hosts with the same NTP servers.',
    lines: ['timedatectl set-ntp true', 'timedatectl timesync-status'],
  }
  return Math.abs(skewMs) < SKEW_FAIL_MS ? warn('clock', told) : fail('clock', told)
}

async function judgeDiskSpace(subject: string, folder: string, { lowBytes, fullBytes }: DiskSpace): Promise<Finding> {
  // The first upload creates the folder; until then, its parent folder is on the same disk.
  const there = existsSync(folder) ? folder : dirname(folder)
  const { bavail, bsize, blocks } = await statfs(there)
  const free = bavail * bsize
  const share = blocks === 0 ? 0 : Math.round((100 * bavail) / blocks)
  const saw = `${sizeOf(free)} free at ${folder}, ${share}% of the disk.`
  const told = {
    subject,
    saw,
    says: 'Free disk space, or move the folder to a larger disk.',
    lines: [`df -h ${there}`, `du -xhd1 ${there}`],
  }
  if (free < fullBytes) return fail('disk', told)
  return free < lowBytes ? warn('disk', told) : pass('disk', { subject, saw })
}

function sizeOf(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
}

/** `limits` is the text of /proc/self/limits on Linux. */
export function judgeOpenFiles(limits: string): Finding {
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  const max = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft || Number.NaN)
  if (Number.isNaN(max)) return unknown('open-files', { saw: 'The system does not report the open-file limit.' })
  const saw = `The open-file limit of the process is ${soft}.`
  if (max >= OPEN_FILES_MIN) return pass('open-files', { saw })
  const says = 'Raise the limit and restart the service. With systemd, in the service unit:'
  return warn('open-files', { saw, says, lines: ['LimitNOFILE=65536', 'ulimit -n 65536'] })
}
