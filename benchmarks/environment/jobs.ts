import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyScope } from '@probity/contract/constants/keys'
import { insertAccount } from '@probity/database/accounts/accounts'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { freePort, makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { SIMULATED_NAMES } from '@probity/lab/simulation/data/resolver-names'
import { readCpu } from './cpu.ts'
import { startProgram, untilReady } from './instance.ts'
import { ADDRESS_BASE } from './simulation.ts'
import { untilRewritten } from './storage.ts'

const ROOT = join(import.meta.dirname, '../..')
const IDENTITY = { SMTP_HELO_NAME: 'bench.probity.example', SMTP_MAIL_FROM: 'bounce@probity.example' }
const UP_WITHIN_MS = 60_000
const LIST_WITHIN_MS = 15 * 60_000
const POLL_MS = 100

export type JobInstance = {
  url: string
  /** The account that `validate` uses. */
  key: string
  databaseUrl: string
  redisUrl: string
  /**
   * Validates several lists at once. The seconds are from their confirmation to the end of the last, as a customer sees
   * it. The CPU time includes the rewrite of the results after completion.
   */
  validate(csvs: string[]): Promise<{ jobIds: string[]; seconds: number; cpuMs: Record<string, number> }>
  /** The folder in which workers write their CPU profiles at exit. */
  listProfiles(): string[]
  stopWorkers(): Promise<void>
}

type Options = { dnsPort: number; smtpPort: number; workers: number; isProfiled?: boolean }

/**
 * An API and workers as in production, with a simulation: PostgreSQL waits for the disk, and each part is its own
 * process.
 */
export async function startJobInstance(options: Options, cleanUp: AsyncDisposableStack): Promise<JobInstance> {
  const folder = makeFolder('probity-bench')
  cleanUp.defer(() => removeFolder(folder))
  const profiles = join(folder, 'profiles')
  mkdirSync(profiles)
  const postgres = await startPostgres({ fsync: true })
  cleanUp.defer(() => postgres.stop())
  const redis = await startRedis()
  cleanUp.defer(() => redis.stop())
  await migrate(postgres.url)
  const { key } = await openAccount(postgres.url, ['jobs:write'])

  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    UPLOADS_FOLDER: join(folder, 'uploads'),
    LOG_LEVEL: 'warn',
  }
  const port = await freePort()
  const api = startProgram('apps/api/src/server/main.ts', [], { ...settings, PORT: String(port), STOP_NOTICE_MS: '0' })
  cleanUp.defer(() => stopChild(api, 'SIGTERM'))
  const task = {
    settings: { ...settings, ...IDENTITY, DNS_SERVERS: `127.0.0.1:${options.dnsPort}` },
    smtpPort: options.smtpPort,
    addressBase: ADDRESS_BASE,
    resolverNames: SIMULATED_NAMES,
  }
  const flags = options.isProfiled ? ['--cpu-prof', '--cpu-prof-dir', profiles] : []
  const workers = Array.from({ length: options.workers }, () => startWorker(flags, task))
  const working = workers.map((worker) => once(worker, 'message', { signal: AbortSignal.timeout(UP_WITHIN_MS) }))
  const stopWorkers = async () => void (await Promise.all(workers.map((worker) => stopChild(worker, 'SIGTERM'))))
  cleanUp.defer(stopWorkers)
  const url = `http://127.0.0.1:${port}`
  await Promise.all([untilReady(url), ...working])
  const pids = { api: api.pid ?? 0, postgres: postgres.pid(), redis: redis.pid() }
  const workerPids = Object.fromEntries(workers.map((worker, n) => [`worker_${n + 1}`, worker.pid ?? 0]))
  return {
    url,
    key,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    validate: (csvs) => validateMeasured({ url, key, databaseUrl: postgres.url }, csvs, { ...pids, ...workerPids }),
    listProfiles: () => readdirSync(profiles).map((name) => join(profiles, name)),
    stopWorkers,
  }
}

function startWorker(flags: string[], task: object): ChildProcess {
  const args = [...flags, join(ROOT, 'testing/chaos/worker.ts'), JSON.stringify(task)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: {} })
}

/** An account with unlimited credits and a key. */
export async function openAccount(
  databaseUrl: string,
  scopes: KeyScope[],
): Promise<{ accountId: string; key: string }> {
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    const { id } = await asOwner(db, (trx) => insertAccount(trx, { name: 'bench', plan: 'scale', unlimited: true }))
    return await inTenant(db, id, async (trx) => {
      const inserted = await insertKey(trx, id, { mode: 'live', name: 'bench', scopes })
      return { accountId: id, key: inserted.text }
    })
  } finally {
    await db.destroy()
  }
}

export type JobClient = { url: string; key: string }

type Measuring = JobClient & { databaseUrl: string }

async function validateMeasured(client: Measuring, csvs: string[], pids: Record<string, number>) {
  const uploads: Uploaded[] = []
  for (const csv of csvs) uploads.push(await uploadList(client, csv))
  const before = readCpu(pids)
  // The polling rate is the same for one list and for many, because polling has a cost too.
  const pollMs = POLL_MS * uploads.length
  const done = await Promise.all(uploads.map((uploaded) => validateUploaded(client, uploaded, pollMs)))
  const jobIds = done.map(({ jobId }) => jobId)
  await untilRewritten(client.databaseUrl, jobIds)
  const after = readCpu(pids)
  const cpuMs = Object.fromEntries(Object.keys(pids).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]))
  return { jobIds, seconds: Math.max(...done.map(({ seconds }) => seconds)), cpuMs }
}

type Uploaded = { upload_id: string; suggested_email_column: string }

export async function uploadList(client: JobClient, csv: string): Promise<Uploaded> {
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'list.csv')
  return JSON.parse(await call(client, '/bulk/upload/preview', { method: 'POST', body: form })) as Uploaded
}

/** The seconds from confirmation to completion. */
export async function validateUploaded(client: JobClient, uploaded: Uploaded, pollMs = POLL_MS) {
  const began = performance.now()
  const jobId = await confirmUpload(client, uploaded)
  await untilCompleted(client, jobId, pollMs)
  return { jobId, seconds: (performance.now() - began) / 1_000 }
}

export async function confirmUpload(client: JobClient, uploaded: Uploaded): Promise<string> {
  const { upload_id, suggested_email_column: email_column } = uploaded
  const confirmed = await call(client, '/bulk/upload/confirm', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ upload_id, email_column }),
  })
  return (JSON.parse(confirmed) as { id: string }).id
}

async function untilCompleted(client: JobClient, jobId: string, pollMs: number): Promise<void> {
  for (const deadline = Date.now() + LIST_WITHIN_MS; Date.now() < deadline; await sleep(pollMs)) {
    const { status } = JSON.parse(await call(client, `/bulk/jobs/${jobId}`, {})) as { status: string }
    if (status === 'completed') return
  }
  throw new Error('the list was not done in time')
}

/** The text of an API response; throws when the request is rejected. */
export async function call({ url, key }: JobClient, path: string, request: RequestInit): Promise<string> {
  const answer = await fetch(`${url}/api/v1${path}`, { ...request, headers: { ...request.headers, 'x-api-key': key } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the product answered ${answer.status}: ${text.slice(0, 500)}`)
  return text
}
