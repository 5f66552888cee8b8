import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listDrift } from '@probity/database/billing/ledger'
import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, type Db, withoutTenant } from '@probity/database/connection/connect'
import { listTestResults } from '@probity/database/jobs/results/test-results'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import type { SimulatedAddress } from '@probity/lab/simulation/population'
import { type RunningSimulation, startSimulation } from '@probity/lab/simulation/start'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, inject, vi } from 'vitest'
import type { ApiClient } from './instance.ts'
import type { WorkerProcess } from './processes.ts'
import { ROOT } from './programs.ts'

const ADDRESS_BASE = '127.78'
const UP_WITHIN_MS = 60_000
const GONE_WITHIN_MS = 35_000
export const COMPLETES_WITHIN_MS = 180_000

/** Servers that reply at once and whose replies have a single correct interpretation in every session. */
const PROMPT = new Set<SimulatedAddress['behaviour']>([
  'gmail',
  'icloud',
  'google_workspace',
  'rackspace',
  'zoho',
  'strato',
  'ovh',
  'comcast',
  'postfix',
  'exim',
])
const ADDRESSES_PER_ROW = 3
const DOMAINS = 300

/** A simulation with addresses to validate. */
export type TestSimulation = {
  running: RunningSimulation
  /** The next addresses, starting again with the first when all were used. */
  draw(count: number): SimulatedAddress[]
  /** Whether this is the correct verdict of the address. */
  isRight(email: string, status: unknown, subStatus: unknown): boolean
}

export async function startTestSimulation(count: number): Promise<TestSimulation> {
  const size = { seed: 7, domains: DOMAINS, addresses: count * ADDRESSES_PER_ROW }
  const running = await startSimulation({ ...size, addressBase: ADDRESS_BASE })
  whenDone(() => running.stop())
  const { simulation } = running
  const isPlain = ({ behaviour, email }: SimulatedAddress) => PROMPT.has(behaviour) && /^[\x21-\x7e]+$/.test(email)
  const plain = simulation.addresses.filter(isPlain)
  if (plain.length < count) throw new Error(`the world has ${plain.length} addresses, not ${count}`)
  let drawn = 0
  return {
    running,
    draw(wanted) {
      drawn += wanted
      return Array.from({ length: wanted }, (_, n) => plain[(drawn - wanted + n) % plain.length] as SimulatedAddress)
    },
    isRight: (email, status, subStatus) =>
      simulation.expected(email).verdicts.some((right) => right.status === status && right.subStatus === subStatus),
  }
}

/** Settings shared by the API and the worker, with a separate folder for uploads. */
export function listSettings(databaseUrl: string, redisUrl: string): Record<string, string> {
  const uploads = makeFolder('probity-uploads')
  whenDone(() => removeFolder(uploads))
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, UPLOADS_FOLDER: uploads, STOP_NOTICE_MS: '0' }
}

/**
 * A worker as in production, except that it can connect to the simulation only. `root` is the tree of another version.
 */
export function startListWorker(settings: Record<string, string>, { running }: TestSimulation): Promise<WorkerProcess> {
  const task = {
    settings: {
      ...settings,
      DNS_SERVERS: `127.0.0.1:${running.dnsPort}`,
      SMTP_HELO_NAME: 'probe.probity.example',
      SMTP_MAIL_FROM: 'bounce@probity.example',
    },
    smtpPort: running.smtpPort,
    addressBase: ADDRESS_BASE,
    resolverNames: running.resolverNames,
  }
  return startTaskWorker(task)
}

const WORKER_SCRIPT = join(ROOT, 'testing/chaos/worker.ts')

/** A worker as in production, in the environment that the task describes. */
export async function startTaskWorker(task: object, { flags = [] }: { flags?: string[] } = {}): Promise<WorkerProcess> {
  const log = openSync(join(inject('logFolder'), `list-worker-${randomUUID()}.log`), 'a')
  const args = [...flags, WORKER_SCRIPT, JSON.stringify(task)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', log, log, 'ipc'] })
  whenDone(() => stopChild(child, 'SIGTERM', GONE_WITHIN_MS))
  await once(child, 'message', { signal: AbortSignal.timeout(UP_WITHIN_MS) })
  return {
    async stop() {
      const began = performance.now()
      await stopChild(child, 'SIGTERM', GONE_WITHIN_MS)
      return { code: child.exitCode, ms: performance.now() - began }
    },
    kill: () => stopChild(child, 'SIGKILL'),
  }
}

/** Uploads and confirms a list of these addresses, and returns the job id. */
export async function confirmList(url: string, apiClient: ApiClient, addresses: { email: string }[]): Promise<string> {
  const csv = `email\n${addresses.map(({ email }) => `${email}\n`).join('')}`
  const form = new FormData()
  form.append('file', new Blob([csv]), 'list.csv')
  const headers = { 'x-api-key': apiClient.key }
  const answer = await fetch(`${url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
  const { upload_id } = (await answer.json()) as { upload_id: string }
  const { status, body } = await apiClient.call('POST', '/bulk/upload/confirm', { upload_id, email_column: 'email' })
  expect(status).toBe(201)
  return String(body['id'])
}

export async function getDone(db: Db, jobId: string): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ doneCount: number }>`select done_count from jobs where id = ${jobId}`.execute(trx),
  )
  return rows[0]?.doneCount ?? 0
}

/** The job completes: each address has the correct verdict and was charged once. */
export async function expectCompleted(
  db: Db,
  simulation: TestSimulation,
  job: { id: string; rows: number },
): Promise<void> {
  const state = () =>
    asOwner(db, (trx) => sql<{ state: string }>`select state from jobs where id = ${job.id}`.execute(trx))
  await vi.waitFor(async () => expect((await state()).rows[0]?.state).toBe('completed'), {
    timeout: COMPLETES_WITHIN_MS,
    interval: 250,
  })
  const results = await listTestResults(db, job.id)
  expect(new Set(results.map(({ email }) => email)).size).toBe(job.rows)
  expect(results.filter(({ email, status, subStatus }) => !simulation.isRight(email, status, subStatus))).toEqual([])
}

/** The ledger has no mismatch and no credit stays reserved. */
export async function expectCleanLedger(db: Db): Promise<void> {
  expect(await asOwner(db, listDrift)).toEqual([])
  expect(await withoutTenant(db, (trx) => listLedgerMismatches(trx, { all: true }))).toEqual([])
  const { rows } = await asOwner(db, (trx) =>
    sql<{ reserved: number }>`select coalesce(sum(reserved), 0)::integer as reserved from accounts`.execute(trx),
  )
  expect(rows).toEqual([{ reserved: 0 }])
}

/** One request of a customer: its outcome, start and end, in milliseconds of this process. */
export type Observed = {
  what: string
  status: number
  began: number
  ended: number
  wrong?: string
  retryAfter: boolean
}

/**
 * The pause between a response and the next request: without it the load would take the CPU time of all other
 * processes.
 */
const PAUSE_MS = 50

type Load = { simulation: TestSimulation; jobId(): string; singles: number; readers: number }

/** Clients that validate single addresses, and others that read their jobs, each again shortly after a response. */
export function startListLoad({ call }: ApiClient, { simulation, jobId, singles, readers }: Load) {
  const observed: Observed[] = []
  let going = true

  async function observe(what: string, path: string, email?: string): Promise<void> {
    const began = performance.now()
    const say = (rest: Pick<Observed, 'status' | 'wrong' | 'retryAfter'>) =>
      observed.push({ what, began, ended: performance.now(), ...rest })
    try {
      const asked = email === undefined ? call('GET', path) : call('POST', path, { email, timeout: 30 })
      const { status, body, headers, text } = await asked
      const isWrong =
        email !== undefined && status === 200 && !simulation.isRight(email, body['status'], body['sub_status'])
      say({
        status,
        retryAfter: headers.has('retry-after'),
        ...(isWrong && { wrong: `${body['status']} ${body['sub_status']}` }),
        ...(status !== 200 && { wrong: text.slice(0, 200) }),
      })
    } catch (error) {
      say({ status: 0, retryAfter: false, wrong: String(error) })
    }
    await sleep(PAUSE_MS)
  }
  async function askOn(): Promise<void> {
    while (going) await observe('single', '/validation/single', simulation.draw(1)[0]?.email)
  }
  async function readOn(): Promise<void> {
    while (going) {
      await observe('job', `/bulk/jobs/${jobId()}`)
      await observe('jobs', '/bulk/jobs')
    }
  }
  const clients = [...Array.from({ length: singles }, askOn), ...Array.from({ length: readers }, readOn)]
  return {
    observed,
    async stop() {
      going = false
      await Promise.all(clients)
      return observed
    },
  }
}
