import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openTestAccount } from '@probity/database/connection/test-database'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { connectRedis } from '@probity/redis/connection'
import { subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { destination } from 'pino'
import { expect, inject, test, vi } from 'vitest'
import { openLog } from '../server/log.ts'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'
import { openErrorShares } from './error-shares.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const ERRORS_PER_HOUR = 40
const google = {
  ...PROVIDER_LIMITS['google'],
  errorsPerHour: ERRORS_PER_HOUR,
  connectionsPerMinute: 6_000,
  tls: 'never' as const,
}
const LIMITS = { ...PROVIDER_LIMITS, google }
const log = openLog('debug', destination({ dest: join(inject('logFolder'), `shares-${randomUUID()}.log`), sync: true }))

async function openShares(prefix = `test-${randomUUID()}`, url = inject('redisUrl')) {
  const redis = connectRedis(url)
  whenDone(() => redis.disconnect())
  await vi.waitFor(() => expect(redis.status).toBe('ready'), 10_000)
  return openErrorShares({ redis, prefix, providerLimits: LIMITS, log })
}

function useOf(accountId: string, provider = 'google') {
  return { accountId, provider, egress: EGRESS.name }
}

const soon = () => performance.now() + 100

/** Probes rejected recipients one after the other. Returns how many were admitted. */
async function reject(shares: Awaited<ReturnType<typeof openShares>>, accountId: string, count: number) {
  let admitted = 0
  for (let n = 0; n < count; n += 1) {
    if (!(await shares.admit(useOf(accountId), soon()))) break
    shares.settle(useOf(accountId), true)
    admitted += 1
  }
  return admitted
}

test('an account that alone uses a provider gets all of its errors', async () => {
  const shares = await openShares()
  expect(await reject(shares, 'one', 2 * ERRORS_PER_HOUR)).toBe(2 * ERRORS_PER_HOUR)
})

test('an account gets half of the errors while another account uses the provider, on any worker', async () => {
  const prefix = `test-${randomUUID()}`
  const [first, second] = [await openShares(prefix), await openShares(prefix)]
  expect(await reject(first, 'two', 1)).toBe(1)
  expect(await reject(second, 'one', ERRORS_PER_HOUR)).toBe(ERRORS_PER_HOUR / 2)
  await second.stop()
  expect(await reject(first, 'one', 1)).toBe(0)
  expect(await reject(first, 'two', 5)).toBe(5)
  expect(await second.admit(useOf('one', 'gmx'), soon())).toBe(true)
})

test('recipients in flight count as errors until their reply is known', async () => {
  const shares = await openShares()
  await reject(shares, 'two', 1)
  const limit = ERRORS_PER_HOUR / 2
  const asked = Array.from({ length: limit + 10 }, () => shares.admit(useOf('one'), performance.now() + 20_000))
  expect(await Promise.all(asked.slice(0, limit))).toEqual(Array(limit).fill(true))
  for (let n = 0; n < 10; n += 1) shares.settle(useOf('one'), false)
  expect(await Promise.all(asked.slice(limit))).toEqual(Array(10).fill(true))

  const late = Array.from({ length: 5 }, () => shares.admit(useOf('one'), performance.now() + 20_000))
  for (let n = 0; n < limit; n += 1) shares.settle(useOf('one'), true)
  expect(await Promise.all(late)).toEqual(Array(5).fill(false))
})

test('an account is admitted without Redis', async () => {
  const server = await startRedis()
  whenDone(() => server.stop())
  const shares = await openShares(undefined, server.url)
  await server.halt()
  expect(await shares.admit(useOf('one'), performance.now() + 5_000)).toBe(true)
})

test('a list of unknown mailboxes leaves half of the errors of a provider to another account', {
  timeout: 60_000,
}, async () => {
  const world = await startTestWorld()
  const port = await freePort()
  const host = '127.97.1.1'
  const server = await startScripted(
    { rcpt: (_peer, to) => (to.startsWith('known') ? '250 2.1.5 Ok' : '550 5.1.1 The account does not exist') },
    { host, port },
  )
  whenDone(() => server.stop())
  await world.dns.put({
    'one.example': { mx: [[10, 'aspmx.l.google.com']] },
    'two.example': { mx: [[10, 'aspmx.l.google.com']] },
    'aspmx.l.google.com': { a: [host] },
  })
  const config = { ...world.config, egresses: [EGRESS], concurrency: 200 }
  const policy = { port, allows: (address: string) => address === host }
  const worker = await start(config, { policy, providerLimits: LIMITS }, world.log)
  whenDone(() => worker.stop())
  const answered = new Map<string, string>()
  const replyTo = randomUUID()
  const subscription = subscribeToResults(config.redisUrl, replyTo, ({ id, result }) =>
    answered.set(id, (result as { status: string }).status),
  )
  whenDone(() => subscription.stop())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())
  const other = await openTestAccount(world.db, 1_000)
  async function validate(emails: string[], accountId = world.accountId): Promise<(string | undefined)[]> {
    const refs = await world.open(emails, { accountId })
    await vi.waitFor(() => queue.add({ refs, replyTo }))
    await vi.waitFor(() => expect(refs.filter(({ id }) => answered.has(id))).toHaveLength(refs.length), {
      timeout: 45_000,
      interval: 50,
    })
    return refs.map(({ id }) => answered.get(id))
  }

  expect(await validate(['known1@two.example'], other.id)).toEqual(['valid'])
  const found = await validate(Array.from({ length: 100 }, (_, n) => `absent${n}@one.example`))
  const rejected = found.filter((status) => status === 'invalid').length
  expect(rejected).toBeGreaterThan(0)
  expect(rejected).toBeLessThanOrEqual(ERRORS_PER_HOUR / 2)
  expect(await validate(['known2@two.example', 'known3@two.example'], other.id)).toEqual(['valid', 'valid'])
})
