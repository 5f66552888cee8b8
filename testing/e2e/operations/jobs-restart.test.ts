import { asOwner, type Db } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { recordEndedBatches } from '@probity/database/jobs/test-jobs'
import { startHaproxy } from '@probity/lab/services/haproxy'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startListAfterList } from '../environment/consecutive-jobs.ts'
import { createApiClient } from '../environment/instance.ts'
import {
  expectCleanLedger,
  expectCompleted,
  listSettings,
  startListLoad,
  startListWorker,
  startTestSimulation,
} from '../environment/jobs.ts'
import { type Stopped, startApiProcess } from '../environment/processes.ts'

const TIMES = 3
const ROWS = 2_000
const OTHERS = 5_000
const GONE_WITHIN_MS = 30_000

test(`clients and jobs lose and repeat nothing while APIs and workers are replaced ${TIMES} times under load`, {
  tags: ['timed'],
  timeout: 600_000,
}, async () => {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [{ url, db }, simulation] = await Promise.all([createTestDatabase(), startTestSimulation(ROWS + OTHERS)])
  await recordEndedBatches(db)
  const settings = { ...listSettings(url, redis.url), STOP_NOTICE_MS: '3000' }
  const apis = await Promise.all([startApiProcess(settings), startApiProcess(settings)])
  const workers = await Promise.all([startListWorker(settings, simulation), startListWorker(settings, simulation)])
  const balancer = await startHaproxy(apis.map(({ port }) => port))
  whenDone(() => balancer.stop())
  const bothUp = () => vi.waitFor(async () => expect(await balancer.countServersUp()).toBe(2), { timeout: 60_000 })
  await bothUp()

  const apiClient = await createApiClient({ db, api: { ...apis[0], url: balancer.url } }, { credits: 1_000_000 })
  const lists = startListAfterList({ db, url: balancer.url, apiClient, simulation, rows: ROWS, atOnce: 1 })
  const jobId = await lists.first
  const load = startListLoad(apiClient, { simulation, jobId: () => jobId, singles: 3, readers: 2 })
  const stops: Stopped[] = []
  for (let n = 0; n < TIMES * 2; n += 1) {
    await lists.atWork()
    const [api, worker] = [apis[n % 2], workers[n % 2]]
    if (!api || !worker) throw new Error('no process to replace')
    stops.push(...(await Promise.all([api.stop(), worker.stop()])))
    const started = await Promise.all([startApiProcess(settings, api.port), startListWorker(settings, simulation)])
    apis[n % 2] = started[0]
    workers[n % 2] = started[1]
    await bothUp()
  }
  const jobs = await lists.stop()
  for (const id of jobs) await expectCompleted(db, simulation, { id, rows: ROWS })
  const observed = await load.stop()

  const batches = await readBatches(db)
  const wrong = observed.filter((one) => one.wrong !== undefined)
  expect(wrong.filter(({ status, wrong }) => status !== 200 || wrong !== 'unknown timeout')).toEqual([])
  expect(wrong.length / observed.length).toBeLessThan(0.01) // on a busy machine a request may time out
  expect(observed.length).toBeGreaterThan(100)
  expect(stops.map(({ code }) => code)).toEqual(stops.map(() => 0))
  expect(Math.max(...stops.map(({ ms }) => ms))).toBeLessThan(GONE_WITHIN_MS)
  // A released batch counts as not started; a batch mistaken for a crash would have been started twice or split.
  expect(batches).toMatchObject({ attemptsMax: 1, suspects: 0, open: 0 })
  await expectCleanLedger(db)
})

async function readBatches(db: Db) {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ attemptsMax: number; suspects: number; open: number; again: number }>`
      select max(attempts) as attempts_max, count(*) filter (where suspect)::integer as suspects,
        (select count(*) from job_queue)::integer as open, sum(greatest(epoch - 1, 0))::integer as again
      from ended_batches`.execute(trx),
  )
  return rows[0]
}
