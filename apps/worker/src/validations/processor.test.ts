import { randomUUID } from 'node:crypto'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner } from '@probity/database/connection/connect'
import { whenDone } from '@probity/lab/when-done'
import { type ResultNotification, subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { beforeEach, expect, test, vi } from 'vitest'
import { openServices } from '../server/services.ts'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'
import { workInteractive } from './processor.ts'

let world: Awaited<ReturnType<typeof startTestWorld>>
beforeEach(async () => {
  world = await startTestWorld()
})

test('a task from the queue settles each row: result, charge and notification of the client', async () => {
  const worker = await start({ ...world.config, release: false }, world.environment, world.log)
  whenDone(() => worker.stop())
  const queue = openInteractiveQueue(world.config.redisUrl, world.config.queuePrefix)
  whenDone(() => queue.close())
  const replyTo = randomUUID()
  const answers: ResultNotification[] = []
  const subscription = subscribeToResults(world.config.redisUrl, replyTo, (answer) => answers.push(answer))
  whenDone(() => subscription.stop())

  const refs = await world.open(['a@null-mx.example', 'a@two-mx.example', 'nonsense', 'a@not-there.example'])
  await vi.waitFor(() => queue.add({ refs, replyTo })) // the connection may not be established yet
  await vi.waitFor(() => expect(answers.length).toBe(4), 10_000)

  const verdictOf = (n: number) => {
    const result = answers.find(({ id }) => id === refs[n]?.id)?.result as StoredResult
    return `${result.status} ${result.sub_status}`
  }
  expect([0, 1, 2, 3].map(verdictOf)).toEqual([
    'invalid null_mx',
    'unknown not_probed',
    'invalid syntax_error',
    'invalid domain_not_found',
  ])
  const { available, spent, rows } = await world.look()
  expect([available, spent]).toEqual([997, 3])
  expect(rows.map((row) => row.state)).toEqual(['final', 'final', 'final', 'final'])
})

test('an echo returns to its sender and claims nothing', async () => {
  const services = await openServices(world.config, world.environment, { log: world.log, metrics: new Registry() })
  whenDone(() => services.close())
  const replyTo = randomUUID()
  const heard: ResultNotification[] = []
  const subscription = subscribeToResults(world.config.redisUrl, replyTo, (answer) => heard.push(answer))
  whenDone(() => subscription.stop())
  const work = workInteractive(services)
  await vi.waitFor(async () => {
    await work({ refs: [], replyTo, echo: 'echo:1' }) // repeated until the subscription is active
    expect(heard[0]).toEqual({ id: 'echo:1', result: null, retryAt: null, refunded: false })
  })
  expect((await world.look()).available).toBe(1_000)
})

test('the same task twice has one effect', async () => {
  const services = await openServices(world.config, world.environment, { log: world.log, metrics: new Registry() })
  whenDone(() => services.close())
  const refs = await world.open(['a@two-mx.example', 'a@null-mx.example'])
  const work = workInteractive(services)
  await Promise.all([work({ refs }), work({ refs })])
  await work({ refs })

  const { available, spent } = await world.look()
  expect([available, spent]).toEqual([999, 1])
  expect(await asOwner(world.db, listDrift)).toEqual([])
})

test('a row that fails with an internal error is retried, ends as internal_error and is refunded', async () => {
  const services = await openServices(world.config, world.environment, { log: world.log, metrics: new Registry() })
  whenDone(() => services.close())
  const broken = {
    classify: () => {
      throw new Error('planted: the lists cannot be read for someone@example.org')
    },
  }
  const work = workInteractive({ ...services, network: { ...services.network, lists: broken } })
  const refs = await world.open(['a@two-mx.example'])
  for (const attempt of [1, 2]) {
    await work({ refs })
    expect((await world.look()).rows[0]).toMatchObject({ state: 'open', attempts: attempt })
    await asOwner(world.db, (trx) => sql`update validations set claimed_until = now()`.execute(trx))
  }
  await work({ refs })
  const { available, rows } = await world.look()
  expect(rows[0]).toMatchObject({ state: 'final', result: { sub_status: 'internal_error' } })
  expect(available).toBe(1_000)
})

test('validations that were never enqueued are found in PostgreSQL, at once after a notification by the API', {
  tags: ['timed'],
}, async () => {
  const worker = await start(world.config, world.environment, world.log)
  whenDone(() => worker.stop())
  await world.open(['a@null-mx.example'])
  const isFinal = async () => expect((await world.look()).rows.every((row) => row.state === 'final')).toBe(true)
  await vi.waitFor(isFinal, 10_000) // found by polling

  await world.open(['b@null-mx.example'])
  const began = performance.now()
  await asOwner(world.db, (trx) => sql`select wake_workers()`.execute(trx))
  await vi.waitFor(isFinal, { timeout: 10_000, interval: 20 })
  expect(performance.now() - began).toBeLessThan(1_000)
})
