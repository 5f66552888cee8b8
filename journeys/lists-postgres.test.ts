import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@probity/database/connect'
import { migrate } from '@probity/database/migrate'
import { type PostgresServer, startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import {
  confirmList,
  expectCleanBooks,
  expectCompleted,
  getDone,
  listSettings,
  startListLoad,
  startListWorker,
  startTestWorld,
  type TestWorld,
} from './test-lists.ts'
import { startApiProcess } from './test-process.ts'
import { type Customer, openCustomer } from './test-product.ts'

const ROWS = 6_000
const OTHERS = 5_000
const AWAY_MS = 5_000
const TOLD_WITHIN_MS = 2_000
const NORMAL_WITHIN_MS = 10_000

test('PostgreSQL killed under load: callers are told at once, and seconds after its return all is as before', async () => {
  const [postgres, redis, world] = await Promise.all([
    startPostgres({ fsync: true }),
    startRedis(),
    startTestWorld(ROWS + OTHERS),
  ])
  whenDone(() => Promise.all([postgres.stop(), redis.stop()]))
  await migrate(postgres.url)
  const db = connect(postgres.url)
  whenDone(() => db.destroy())
  const settings = listSettings(postgres.url, redis.url)
  const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, world)])
  const customer = await openCustomer({ db, api }, { credits: 100_000 })
  const jobId = await confirmList(api.url, customer, world.draw(ROWS))
  const load = startListLoad(customer, { world, jobId: () => jobId, singles: 4, readers: 2 })
  await vi.waitFor(async () => expect(await getDone(db, jobId)).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })

  killWhole(postgres.pid())
  const wentAt = performance.now()
  await expectRefusals(customer, world, jobId)
  await sleep(Math.max(0, wentAt + AWAY_MS - performance.now()))
  const stillAwayAt = performance.now()
  await comeBack(postgres)
  const backAt = performance.now()
  expect(await getDone(db, jobId)).toBeLessThan(ROWS)
  await expectCompleted(db, world, { id: jobId, rows: ROWS })
  await sleep(Math.max(0, backAt + NORMAL_WITHIN_MS + 1_000 - performance.now()))
  const observed = await load.stop()

  const meanwhile = observed.filter(({ began, ended }) => began > wentAt && ended < stillAwayAt)
  expect(meanwhile.length).toBeGreaterThan(0)
  expect(meanwhile.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([])
  expect(observed.filter(({ began, wrong }) => began > backAt + NORMAL_WITHIN_MS && wrong !== undefined)).toEqual([])
  // Who waited for a worker when it happened may have waited in vain. Nobody was told anything that is not so.
  const misled = observed.filter(({ status, wrong }) => status === 200 && wrong && wrong !== 'unknown timeout')
  expect(misled).toEqual([])
  await expectCleanBooks(db)
}, 360_000)

/** Whatever is asked for, the caller is told that it cannot be had now. */
async function expectRefusals({ call }: Customer, world: TestWorld, jobId: string): Promise<void> {
  const asks = [
    () => call('GET', `/bulk/jobs/${jobId}`),
    () => call('GET', '/bulk/jobs'),
    () => call('POST', '/validation/single', { email: world.draw(1)[0]?.email }),
  ]
  for (const ask of asks) {
    const times: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const began = performance.now()
      const { status, headers } = await ask()
      times.push(performance.now() - began)
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(Math.min(...times)).toBeLessThan(TOLD_WITHIN_MS)
  }
}

/** Its sessions are processes of their own, which would go on for a moment without it. While it is stopped it makes no new ones. */
function killWhole(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  const sessions = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  for (const one of [...sessions.trim().split(/\s+/).map(Number), pid]) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // It has ended since it was listed, which is as good.
    }
  }
}

/** What it held is not free at the same moment. */
async function comeBack(postgres: PostgresServer): Promise<void> {
  await vi.waitFor(() => postgres.restart(), { timeout: 60_000, interval: 100 })
}
