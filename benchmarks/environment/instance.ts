import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_SCOPES } from '@probity/contract/constants/keys'
import { insertAccount } from '@probity/database/accounts/accounts'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { startDns } from '@probity/lab/dns/start'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { sql } from 'kysely'

/** Heap limit of a process that may use 768 MB of memory, as in the units of deploy/. */
export const MEMORY_CEILING = '--max-old-space-size=384'

const ROOT = join(import.meta.dirname, '../..')

export type BenchInstance = {
  url: string
  key: string
  databaseUrl: string
  redisUrl: string
  start: typeof startProgram
  /** The processes of the instance, by name. */
  pids: Record<string, number>
  /** Runs ANALYZE, as autovacuum does within a minute of work. */
  analyze(): Promise<void>
  stop(): Promise<void>
}

/**
 * The service as in production (PostgreSQL waits for the disk), with an account without limits. `disk` is the parent of
 * PostgreSQL's data folder, and `more` are further settings of the API and the worker.
 */
export async function startBenchInstance(
  disk: string = tmpdir(),
  more: Record<string, string> = {},
): Promise<BenchInstance> {
  await using ifItFails = new AsyncDisposableStack()
  const [postgres, redis, dns] = await Promise.all([
    startPostgres({ fsync: true, parent: disk }),
    startRedis(),
    startDns(),
  ])
  for (const server of [postgres, redis, dns]) ifItFails.defer(() => server.stop())
  await migrate(postgres.url)
  const key = await openAccount(postgres.url)
  const port = await freePort()
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    STOP_NOTICE_MS: '0',
    NODE_OPTIONS: MEMORY_CEILING,
    ...more,
  }
  const api = startProgram('apps/api/src/server/main.ts', [], settings)
  const worker = startProgram('apps/worker/src/server/main.ts', [], settings)
  const maintenance = startProgram('apps/worker/src/server/main.ts', [], {
    ...settings,
    WORKER_TASKS: 'maintenance,notifications',
  })
  for (const program of [api, worker, maintenance]) ifItFails.defer(() => stopChild(program, 'SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  const started = ifItFails.move()
  return {
    url,
    key,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    start: startProgram,
    pids: { api: api.pid ?? 0, worker: worker.pid ?? 0, postgres: postgres.pid(), redis: redis.pid() },
    async analyze() {
      const db = connect(postgres.url, { connectionsMax: 1 })
      await asOwner(db, (trx) => sql`analyze`.execute(trx))
      await db.destroy()
    },
    stop: () => started.disposeAsync(),
  }
}

export function startProgram(path: string, args: string[], settings: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(ROOT, path), ...args], { stdio: ['ignore', 'ignore', 'inherit'], env: settings })
}

async function openAccount(url: string): Promise<string> {
  const db = connect(url, { connectionsMax: 1 })
  const account = await asOwner(db, async (trx) => {
    await sql`insert into plans select 'bench', api_access, ai_enhancement, catchall_detection, refund_unknown, 1000000000, 1,
      100000, emails_per_file from plans where name = 'scale'`.execute(trx)
    return insertAccount(trx, { name: 'bench', plan: 'bench', unlimited: true })
  })
  const made = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'bench', scopes: [...DEFAULT_SCOPES] }),
  )
  await db.destroy()
  return made.text
}

export async function untilReady(url: string, path = '/readyz'): Promise<void> {
  for (let tries = 1_200; tries > 0; tries--) {
    const answer = await fetch(url + path).catch(() => undefined) // not listening yet
    if (answer && answer.status < 500) return
    await sleep(50)
  }
  throw new Error(`${url} did not come up`)
}
