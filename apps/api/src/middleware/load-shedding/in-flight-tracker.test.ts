import { setTimeout as sleep } from 'node:timers/promises'
import { withoutTenant } from '@probity/database/connection/connect'
import { whenDone } from '@probity/lab/when-done'
import { connectRedis } from '@probity/redis/connection'
import { publishResults } from '@probity/redis/result-notification'
import { startInteractiveWorker } from '@probity/redis/task-queues'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { trackInFlight } from './in-flight-tracker.ts'

function watch(echo: () => Promise<number | undefined>) {
  const inFlight = trackInFlight(512, echo)
  whenDone(() => inFlight.stop())
  return inFlight
}

test('late echoes reduce the limit, and fast ones raise it again', async () => {
  let ms = 5_000
  const inFlight = watch(async () => ms)
  inFlight.working = 300
  await vi.waitFor(() => expect(inFlight.places()).toBeLessThanOrEqual(150), 3_000)
  ms = 5
  await vi.waitFor(() => expect(inFlight.places()).toBeGreaterThan(180), 5_000)
})

test('the utilization follows the slots in use within a few seconds, and not at once', {
  tags: ['timed'],
}, async () => {
  const inFlight = watch(async () => undefined)
  inFlight.working = 192
  expect(inFlight.busy).toBe(0)
  await vi.waitFor(() => expect(inFlight.busy).toBeGreaterThan(0.15), 3_000)
  expect(inFlight.busy).toBeLessThan(0.5)
  await vi.waitFor(() => expect(inFlight.busy).toBeGreaterThan(0.9), 10_000)
  inFlight.working = 0
  await vi.waitFor(() => expect(inFlight.busy).toBeLessThan(0.1), 10_000)
})

test('lost echoes change nothing, because workers that restart lose them too', async () => {
  const echo = vi.fn(async () => undefined)
  const inFlight = watch(echo)
  inFlight.working = 300
  await vi.waitFor(() => expect(echo.mock.calls.length).toBeGreaterThan(2), 3_000)
  expect(inFlight.places()).toBe(192)
})

test('no echo is sent while the process is idle or while another echo is on its way', async () => {
  const echo = vi.fn(() => new Promise<undefined>(() => {}))
  const inFlight = watch(echo)
  await sleep(500)
  expect(echo).not.toHaveBeenCalled()
  inFlight.working = 1
  await sleep(900)
  expect(echo).toHaveBeenCalledTimes(1)
})

async function startEchoing(workMs: number) {
  const api = await startTestApi()
  const { redisUrl, queuePrefix } = api.config
  const redis = connectRedis(redisUrl)
  whenDone(() => redis.disconnect())
  const worker = startInteractiveWorker(redisUrl, queuePrefix, 1, async ({ replyTo = '', echo = '' }) => {
    await sleep(workMs)
    await publishResults(redis, replyTo, [{ id: echo, result: null, retryAt: null, refunded: false }])
  })
  whenDone(() => worker.close())
  worker.resume()
  const echo = () =>
    vi.waitFor(async () => {
      const taken = await api.services.dispatch.echo()
      expect(taken).toBeDefined() // else the connection is not established yet
      return taken
    }, 15_000)
  return { ...api, echo }
}

test('the echo measures the round trip through Redis to a worker', { tags: ['timed'] }, async () => {
  const { echo } = await startEchoing(300)
  expect(await echo()).toBeGreaterThan(290)
})

test('the echo includes the wait for a PostgreSQL connection, which charged requests share', {
  tags: ['timed'],
}, async () => {
  const { echo, services, config } = await startEchoing(0)
  await echo()
  const holding = Array.from({ length: config.databaseConnections }, () =>
    withoutTenant(services.db, (trx) => sql`select pg_sleep(0.5)`.execute(trx)),
  )
  expect(await echo()).toBeGreaterThan(400)
  await Promise.all(holding)
})
