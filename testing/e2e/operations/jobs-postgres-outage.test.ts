import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { type PostgresServer, startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../environment/instance.ts'
import {
  confirmList,
  expectCleanLedger,
  expectCompleted,
  getDone,
  listSettings,
  startListLoad,
  startListWorker,
  startTestSimulation,
  type TestSimulation,
} from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'

const ROWS = 6_000
const OTHERS = 5_000
const AWAY_MS = 5_000
const REJECTED_WITHIN_MS = 2_000
const NORMAL_WITHIN_MS = 10_000

test('a job and its charges are exact when PostgreSQL is killed under load', { timeout: 360_000 }, async () => {
  const { db, observed } = await killUnderLoad({ rows: 3_000 })
  // A request that was waiting for a worker at that moment may time out. No response has a wrong verdict.
  const misled = observed.filter(({ status, wrong }) => status === 200 && wrong && wrong !== 'unknown timeout')
  expect(misled).toEqual([])
  await expectCleanLedger(db)
})

test('requests are rejected within 2 s while PostgreSQL is down and succeed 10 s after it is back', {
  tags: ['timed'],
  timeout: 360_000,
}, async () => {
  const { db, observed, wentAt, stillAwayAt, backAt, rejectedMs } = await killUnderLoad({
    rows: ROWS,
    loadMs: NORMAL_WITHIN_MS + 1_000,
  })
  for (const times of rejectedMs) expect(Math.min(...times)).toBeLessThan(REJECTED_WITHIN_MS)
  const meanwhile = observed.filter(({ began, ended }) => began > wentAt && ended < stillAwayAt)
  expect(meanwhile.length).toBeGreaterThan(0)
  expect(meanwhile.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([])
  expect(observed.filter(({ began, wrong }) => began > backAt + NORMAL_WITHIN_MS && wrong !== undefined)).toEqual([])
  const misled = observed.filter(({ status, wrong }) => status === 200 && wrong && wrong !== 'unknown timeout')
  expect(misled).toEqual([])
  await expectCleanLedger(db)
})

/** Kills PostgreSQL in the middle of a job while other requests come in, starts it again and waits until the job has all its results. */
async function killUnderLoad({ rows, loadMs = 0 }: { rows: number; loadMs?: number }) {
  const [postgres, redis, simulation] = await Promise.all([
    startPostgres({ fsync: true }),
    startRedis(),
    startTestSimulation(rows + OTHERS),
  ])
  whenDone(() => Promise.all([postgres.stop(), redis.stop()]))
  await migrate(postgres.url)
  const db = connect(postgres.url)
  whenDone(() => db.destroy())
  const settings = listSettings(postgres.url, redis.url)
  const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
  const apiClient = await createApiClient({ db, api }, { credits: 100_000 })
  const jobId = await confirmList(api.url, apiClient, simulation.draw(rows))
  const load = startListLoad(apiClient, { simulation, jobId: () => jobId, singles: 4, readers: 2 })
  await vi.waitFor(async () => expect(await getDone(db, jobId)).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })

  killAllProcesses(postgres.pid())
  const wentAt = performance.now()
  const rejectedMs = await expectRejections(apiClient, simulation, jobId)
  await sleep(Math.max(0, wentAt + AWAY_MS - performance.now()))
  const stillAwayAt = performance.now()
  await startAgain(postgres)
  const backAt = performance.now()
  expect(await getDone(db, jobId)).toBeLessThan(rows)
  await expectCompleted(db, simulation, { id: jobId, rows })
  await sleep(Math.max(0, backAt + loadMs - performance.now()))
  return { db, observed: await load.stop(), wentAt, stillAwayAt, backAt, rejectedMs }
}

/** Every request is rejected with 503 and Retry-After. Returns the latencies in milliseconds by kind of request. */
async function expectRejections({ call }: ApiClient, simulation: TestSimulation, jobId: string): Promise<number[][]> {
  const rejectedMs: number[][] = []
  const requests = [
    () => call('GET', `/bulk/jobs/${jobId}`),
    () => call('GET', '/bulk/jobs'),
    () => call('POST', '/validation/single', { email: simulation.draw(1)[0]?.email }),
  ]
  for (const sendRequest of requests) {
    const times: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const began = performance.now()
      const { status, headers } = await sendRequest()
      times.push(performance.now() - began)
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    rejectedMs.push(times)
  }
  return rejectedMs
}

/** PostgreSQL's sessions are separate processes that would run on briefly. The stopped server starts no new ones. */
function killAllProcesses(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  const sessions = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  for (const one of [...sessions.trim().split(/\s+/).map(Number), pid]) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // the session ended after it was listed
    }
  }
}

/** The port and the files of the old server are not free at once. */
async function startAgain(postgres: PostgresServer): Promise<void> {
  await vi.waitFor(() => postgres.restart(), { timeout: 60_000, interval: 100 })
}
