import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { insertAccount } from '@probity/database/accounts/accounts'
import { insertKey } from '@probity/database/accounts/keys'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, connect, type Db, inTenant } from '@probity/database/connection/connect'
import { recordEndedBatches } from '@probity/database/jobs/test-jobs'
import { migrate } from '@probity/database/system/migrate'
import { freePort, makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { type PostgresServer, startPostgres } from '@probity/lab/services/postgres'
import { SIMULATED_NAMES } from '@probity/lab/simulation/data/resolver-names'
import type { SimulationSize } from '@probity/lab/simulation/population'
import type { ApiClient } from './api-client.ts'
import type { Victim, Victims } from './nemesis.ts'
import { killTree, signalTree } from './process-tree.ts'
import { type Persistence, startChaosRedis } from './redis.ts'
import { type ProcessOptions, type SupervisedProcess, startSupervised } from './supervisor.ts'
import type { WorkerTask } from './worker.ts'

/** An API and two workers in their own processes, over their own PostgreSQL and Redis and a simulation. */
export type Environment = {
  db: Db
  accountId: string
  client: ApiClient
  victims: Victims
  /** Number of unexpected process exits. */
  failures(): number
}

export type EnvironmentOptions = {
  size: SimulationSize
  redis: Persistence
  credits: number
  logFolder?: string | undefined
}

const ROOT = join(import.meta.dirname, '../..')
const ADDRESS_BASE = '127.77'
const UP_WITHIN_MS = 60_000
const ANSWERS_WITHIN_MS = 2_000

/** The identity of the probes: a reserved name (RFC 2606), since only simulated servers receive it. */
const IDENTITY = { SMTP_HELO_NAME: 'probe.probity.example', SMTP_MAIL_FROM: 'bounces@probity.example' }

export async function startEnvironment(
  options: EnvironmentOptions,
  cleanUp: AsyncDisposableStack,
): Promise<Environment> {
  const folder = makeFolder('probity-chaos')
  cleanUp.defer(() => removeFolder(folder))
  const logFolder = options.logFolder ?? folder
  mkdirSync(logFolder, { recursive: true })

  const simulation = await startSimulationProcess(options.size, cleanUp)
  const postgres = await startPostgres({ fsync: true })
  cleanUp.defer(() => postgres.stop())
  const redis = await startChaosRedis(options.redis, folder, await freePort())
  cleanUp.defer(() => redis.stop())
  await migrate(postgres.url)
  const db = connect(postgres.url, { connectionsMax: 5, applicationName: 'chaos' })
  cleanUp.defer(() => db.destroy())
  await recordEndedBatches(db)
  const { accountId, key } = await openAccount(db, options.credits)

  const port = await freePort()
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    UPLOADS_FOLDER: join(folder, 'uploads'),
    LOG_LEVEL: 'info',
  }
  const run = (name: string, options: Omit<ProcessOptions, 'logFile'>): SupervisedProcess => {
    const program = startSupervised({ ...options, logFile: join(logFolder, `${name}.log`) })
    cleanUp.defer(() => program.stop())
    return program
  }
  const url = `http://127.0.0.1:${port}`
  const api = run('api', {
    args: [join(ROOT, 'apps/api/src/server/main.ts')],
    env: { ...settings, PORT: String(port), STOP_NOTICE_MS: '0' },
    isUp: () => answers(url),
  })
  const task: WorkerTask = {
    // Maintenance too, because reconciliation watches the ledger while processes end.
    settings: {
      ...settings,
      ...IDENTITY,
      DNS_SERVERS: `127.0.0.1:${simulation.dnsPort}`,
      WORKER_TASKS: 'validations,jobs,webhooks,maintenance',
    },
    smtpPort: simulation.smtpPort,
    addressBase: ADDRESS_BASE,
    resolverNames: SIMULATED_NAMES,
  }
  const worker = { args: [join(import.meta.dirname, 'worker.ts'), JSON.stringify(task)] }
  const [first, second] = [run('worker-1', worker), run('worker-2', worker)]
  const programs = [api, first, second]
  await Promise.all(programs.map((program) => program.untilUp()))
  return {
    db,
    accountId,
    client: { url, key },
    victims: { api, worker_1: first, worker_2: second, redis, postgres: asVictim(postgres) },
    failures: () => programs.reduce((sum, program) => sum + program.failures(), 0),
  }
}

async function startSimulationProcess(size: SimulationSize, cleanUp: AsyncDisposableStack) {
  const task = JSON.stringify({ ...size, addressBase: ADDRESS_BASE })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'simulation.ts'), task], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  cleanUp.defer(() => stopChild(child, 'SIGTERM'))
  const [ports] = await once(child, 'message', { signal: AbortSignal.timeout(UP_WITHIN_MS) })
  return ports as { dnsPort: number; smtpPort: number }
}

async function openAccount(db: Db, credits: number): Promise<{ accountId: string; key: string }> {
  const { id } = await asOwner(db, (trx) => insertAccount(trx, { name: 'Chaos', plan: 'payg' }))
  return inTenant(db, id, async (trx) => {
    await postCredits(trx, { kind: 'grant', credits, subject: randomUUID() })
    const made = await insertKey(trx, id, { mode: 'live', name: 'chaos', scopes: ['jobs:write', 'account:read'] })
    return { accountId: id, key: made.text }
  })
}

/** PostgreSQL's sessions are separate processes that would run on briefly without their parent. */
function asVictim(postgres: PostgresServer): Victim {
  return {
    kill: () => killTree(postgres.pid()),
    revive: () => postgres.restart(),
    freeze: () => void signalTree(postgres.pid(), 'SIGSTOP'),
    thaw: () => void signalTree(postgres.pid(), 'SIGCONT'),
  }
}

/**
 * Any response counts: while PostgreSQL is down the API reports that it is not ready, and it may be killed then as
 * well.
 */
async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    return true
  } catch {
    return false // not listening yet
  }
}
