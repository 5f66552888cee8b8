import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import {
  confirmList,
  expectCleanLedger,
  expectCompleted,
  getDone,
  listSettings,
  startListLoad,
  startListWorker,
  startTestSimulation,
} from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'

/** `REDIS_AWAY_S=60` runs the documented length; a shorter outage uses the same code. */
const AWAY_S = Number(process.env['REDIS_AWAY_S'] ?? 8)
const ROWS = 6_000
const OTHERS = 5_000
/** The documented limit is ten seconds; the rest is for other load on the machine. */
const RESUMES_WITHIN_MS = 20_000

test(`reads and single validations succeed while Redis is down for ${AWAY_S} s, and a job continues afterwards`, {
  tags: ['timed'],
  timeout: 300_000 + AWAY_S * 2_000,
}, async () => {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [{ url, db }, simulation] = await Promise.all([createTestDatabase(), startTestSimulation(ROWS + OTHERS)])
  const settings = listSettings(url, redis.url)
  const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
  const apiClient = await createApiClient({ db, api }, { credits: 100_000 })
  const jobId = await confirmList(api.url, apiClient, simulation.draw(ROWS))
  const load = startListLoad(apiClient, { simulation, jobId: () => jobId, singles: 4, readers: 2 })
  await vi.waitFor(async () => expect(await getDone(db, jobId)).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })

  await redis.halt()
  const wentAt = performance.now()
  await sleep(AWAY_S * 1_000)
  const doneWithout = await getDone(db, jobId)
  expect(doneWithout).toBeLessThan(ROWS)
  await redis.restart()
  const backAt = performance.now()
  await vi.waitFor(async () => expect(await getDone(db, jobId)).toBeGreaterThan(doneWithout), {
    timeout: RESUMES_WITHIN_MS,
    interval: 50,
  })
  const resumedMs = performance.now() - backAt

  await expectCompleted(db, simulation, { id: jobId, rows: ROWS })
  const observed = await load.stop()
  const meanwhile = observed.filter(({ began, ended }) => ended > wentAt && began < backAt)
  const answered = meanwhile.filter(({ wrong }) => wrong === undefined)
  if (process.env['REDIS_AWAY_S'] !== undefined) {
    const figures = { asked: meanwhile.length, answered: answered.length, resumedMs: Math.round(resumedMs) }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  }
  expect(meanwhile.filter(({ what }) => what === 'single').length).toBeGreaterThan(AWAY_S)
  expect(answered.length / meanwhile.length).toBeGreaterThanOrEqual(0.99)
  await expectCleanLedger(db)
})
