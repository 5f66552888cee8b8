import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { DATA, type Passwords, prepareData } from './data.ts'
import { type End, findEnd, start, stopAll, waitForEnd } from './processes.ts'
import { composeSettings, databaseUrl, ownerSettings } from './settings.ts'
import { LOGINS, type Login, PATH } from './users.ts'

/**
 * The first process of the image `solo`: PostgreSQL, Redis and all of Probity in one container, with their data in one volume. It starts
 * them in order, each as a user of its own, prints the setup link, and stops all of them if one ends or a stop signal arrives. The first
 * process alone is root, because it starts the others as other users.
 */
const API = 'http://127.0.0.1:3000'
const READY_WITHIN_MS = 90_000
/** A full table in memory must be an error: eviction would remove rate limits and tasks. */
const REDIS_MEMORY = '96mb'

/** Sized for a small installation: the whole container uses less than 700 MB. */
const POSTGRES_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '/run/postgresql',
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_size: '512MB',
  // Addresses are personal data and must not be logged.
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
}

const passwords = prepareData(LOGINS)
const signalled = new Promise<undefined>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(undefined))
})
try {
  const end = await Promise.race([signalled, run()])
  if (end) throw new Error(`${end.name} ended with ${end.code}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stopAll()
}

/** Until one of the processes ends. */
async function run(): Promise<End> {
  startServers()
  await waitFor('PostgreSQL', () => isUp('pg_isready', ['--quiet', '--host=127.0.0.1']))
  createRoles(passwords)
  runAdmin(['migrate'])
  startProduct()
  await waitFor('the API', async () => (await fetch(`${API}/readyz`)).ok)
  announce()
  return waitForEnd()
}

function startServers(): void {
  const settings = Object.entries(POSTGRES_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // SIGINT closes connections; SIGTERM would wait for them.
  start('postgres', ['/usr/lib/postgresql/17/bin/postgres', '-D', `${DATA}/postgres`, ...settings], {
    login: LOGINS.postgres,
    isServer: true,
    stopSignal: 'SIGINT',
  })
  const memory = ['--maxmemory', REDIS_MEMORY, '--maxmemory-policy', 'noeviction']
  start('redis', ['redis-server', `${DATA}/redis/redis.conf`, '--appendonly', 'yes', ...memory], {
    login: LOGINS.redis,
    isServer: true,
  })
}

function createRoles({ owner, api, worker, maintenance }: Passwords): void {
  const env = { OWNER_PASSWORD: owner, API_PASSWORD: api, WORKER_PASSWORD: worker, MAINTENANCE_PASSWORD: maintenance }
  execFileSync('/opt/probity/deploy/postgres/roles.sh', {
    stdio: 'inherit',
    ...LOGINS.postgres,
    env: { PATH, PGHOST: '/run/postgresql', ...env },
  })
}

function startProduct(): void {
  const { probity, worker } = LOGINS
  const { api, worker: workerPassword, maintenance } = passwords
  startProgram('api', probity, { PROBITY_DATABASE_URL: databaseUrl('probity_api', api) })
  startProgram('worker', worker, { PROBITY_DATABASE_URL: databaseUrl('probity_worker_login', workerPassword) })
  startProgram('maintenance', probity, {
    PROBITY_DATABASE_URL: databaseUrl('probity_maintenance_login', maintenance),
    PROBITY_WORKER_TASKS: 'maintenance,notifications',
  })
}

function startProgram(name: 'api' | 'worker' | 'maintenance', login: Login, env: Record<string, string>): void {
  const program = name === 'api' ? 'api' : 'worker'
  start(name, ['node', `apps/${program}/src/server/main.ts`], {
    login,
    env: composeSettings(passwords, { program: name, given: process.env, own: env }),
  })
}

function runAdmin(command: string[]): string {
  const options = { ...LOGINS.probity, env: ownerSettings(passwords, process.env), encoding: 'utf8' } as const
  return execFileSync('node', ['apps/admin/src/main.ts', ...command], options)
}

/** Prints where the product is and, while no user exists, the setup link. */
function announce(): void {
  const url = process.env['PROBITY_PUBLIC_URL'] ?? API
  console.log(`\nWeb app: ${url}/app/\nAPI: ${url}/api/v1\nDocs: ${url}/docs`)
  try {
    const { link } = JSON.parse(runAdmin(['setup-link'])) as { link: string }
    console.log(`Setup link: ${link}\n`)
  } catch {
    console.log() // the installation has been set up
  }
}

function isUp(program: string, args: string[]): boolean {
  execFileSync(program, args, { stdio: 'ignore' })
  return true
}

async function waitFor(name: string, isReady: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  let last: unknown
  while (Date.now() < deadline) {
    const end = findEnd()
    if (end) throw new Error(`${end.name} ended with ${end.code}`)
    try {
      if (await isReady()) return
    } catch (error) {
      last = error // not yet
    }
    await sleep(200)
  }
  throw new Error(`${name} did not start within ${READY_WITHIN_MS / 1_000} s`, { cause: last })
}
