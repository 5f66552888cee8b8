import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Lease,
  type ProviderRateLimiter,
  RATE_LIMITER,
  type Target,
} from '@probity/engine/smtp/connections/rate-limiter'
import { followSteps } from '@probity/engine/smtp/connections/test-rate-limiter'
import { RATE_LIMITER_STEPS } from '@probity/engine/smtp/connections/test-rate-limiter-steps'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { ProviderLimits } from '@probity/engine/smtp/providers/limits'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import type { Redis } from 'ioredis'
import { destination, pino } from 'pino'
import { expect, inject, test, vi } from 'vitest'
import { connectRedis, connectWithRetries } from './connection.ts'
import { createRedisRateLimiter } from './rate-limiter.ts'
import { liftSuspension } from './rate-limiter-state.ts'

const log = pino(
  { level: 'debug' },
  destination({ dest: join(inject('logFolder'), `rate-limiter-${randomUUID()}.log`), sync: true }),
)
const redis = await connected(connectWithRetries(inject('redisUrl')))

async function connected(connection: Redis): Promise<Redis> {
  whenDone(() => connection.disconnect())
  await vi.waitFor(() => expect(connection.status).toBe('ready'), 10_000)
  return connection
}

/** Two workers on two hosts with the same Redis. */
function openHosts(
  prefix = `test-${randomUUID()}`,
  options: { leaseMs?: number } = {},
): [ProviderRateLimiter, ProviderRateLimiter] {
  const open = () => createRedisRateLimiter({ redis, prefix, log, ...options })
  return [open(), open()]
}

function at(site: string, limits: Partial<ProviderLimits> = {}): Target {
  return { egress: 'egress', site, limits: { ...PROVIDER_LIMITS[''], connectionsPerMinute: 60_000, ...limits } }
}

/** Gets a lease, immediately or after the few milliseconds of the rate. */
async function take(pace: ProviderRateLimiter, target: Target): Promise<Lease> {
  const lease = await pace.lease(target)
  if (lease.kind === 'lease') return lease
  if (lease.why !== 'rate' || lease.retryAfterMs > 20) throw new Error(`held: ${lease.why}`)
  await sleep(lease.retryAfterMs)
  return take(pace, target)
}

/** Makes the state in Redis older by this time. */
async function age(prefix: string, ms: number): Promise<void> {
  const slots = Math.round(ms / RATE_LIMITER.slotMs)
  for (const key of await redis.keys(`${prefix}:*`)) {
    const leftMs = (await redis.pttl(key)) - ms
    const aged = Object.entries(await redis.hgetall(key)).map(([field, value]): [string, string] => {
      const [name = '', slot] = field.split(':')
      if (name === 'refused') return [`refused:${Number(slot) - slots}`, value]
      const [time = '', ...rest] = value.split(':')
      return [field, name === 'level' || name === 'reason' ? value : [Number(time) - ms, ...rest].join(':')]
    })
    await redis.del(key)
    if (leftMs > 0) await redis.multi().hset(key, Object.fromEntries(aged)).pexpire(key, leftMs).exec()
  }
}

test.each(RATE_LIMITER_STEPS)('$promise', async ({ limits, steps }) => {
  const prefix = `test-${randomUUID()}`
  let ahead = 0
  const pace = createRedisRateLimiter({ redis, prefix, log, now: () => performance.now() + ahead })
  const pass = async (ms: number) => {
    ahead += ms
    await age(prefix, ms)
  }
  await followSteps({ pace, pass }, limits, steps)
})

test('a rate limiter with a time factor of 60 grants per second what it grants per minute, and suspends for the given time', async () => {
  const prefix = `test-${randomUUID()}`
  const pace = createRedisRateLimiter({ redis, prefix, log, timeFactor: 60 })
  const target = at('fast', { connectionsPerEgress: 1, connectionsPerMinute: 1, errorsPerHour: 1 })
  const lease = await take(pace, target)
  await lease.release({ refused: 0 })
  const throttle = await pace.lease(target)
  expect(throttle).toMatchObject({ why: 'rate', retryAfterMs: expect.any(Number) })
  expect((throttle as { retryAfterMs: number }).retryAfterMs).toBeLessThanOrEqual(1_000)
  await age(prefix, 1_000)
  await (await take(pace, target)).release({ refused: 1 })
  expect(await pace.lease(target)).toMatchObject({ why: 'budget' })
  await pace.suspend(at('blocking'), 'ip_blocked', 60_000)
  const suspended = await createRedisRateLimiter({ redis, prefix, log, timeFactor: 60 }).lease(at('blocking'))
  expect(suspended).toMatchObject({ why: 'suspended' })
  expect((suspended as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(50_000)
})

test('two workers together stay within the connection limit of a target', async () => {
  const hosts = openHosts()
  const target = at('crowded', { connectionsPerEgress: 3 })
  let open = 0
  let most = 0
  let held = 0
  async function work(pace: ProviderRateLimiter) {
    for (let n = 0; n < 20; n += 1) {
      const lease = await pace.lease(target)
      if (lease.kind === 'throttle') {
        held += 1
        await sleep(Math.min(lease.retryAfterMs, 5))
        continue
      }
      open += 1
      most = Math.max(most, open)
      await sleep(1)
      open -= 1
      await lease.release({ refused: 0 })
    }
  }
  await Promise.all([...hosts, ...hosts, ...hosts, ...hosts, ...hosts].map(work))
  expect(most).toBe(3)
  expect(held).toBeGreaterThan(0)
})

test('two workers share one rate', async () => {
  const hosts = openHosts()
  const target = at('rated', { connectionsPerEgress: 5, connectionsPerMinute: 1 })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => hosts[n % 2 === 0 ? 0 : 1].lease(target)))
  const leases = answers.filter((answer) => answer.kind === 'lease')
  await Promise.all(leases.map((lease) => lease.release({ refused: 0 })))
  expect(leases.length).toBe(5)
  expect(await hosts[0].lease(target)).toMatchObject({ why: 'rate' })
  expect(await hosts[1].lease(target)).toMatchObject({ why: 'rate' })
})

test('the connection of a dead worker is free again when its lease expires', async () => {
  const [dead, alive] = openHosts(undefined, { leaseMs: 300 })
  const target = at('lost', { connectionsPerEgress: 1 })
  await take(dead, target)
  expect(await alive.lease(target)).toMatchObject({ kind: 'throttle', why: 'connections' })
  await vi.waitFor(() => take(alive, target), { timeout: 5_000, interval: 20 })
})

test('rejections of fifty accounts on two workers stay within the hourly limit of a domain', async () => {
  const hosts = openHosts()
  const target = at('victim', { connectionsPerEgress: 4, errorsPerHour: 150 })
  let refused = 0
  let open = 0
  let most = 0
  async function ask(pace: ProviderRateLimiter): Promise<string> {
    for (let tries = 0; tries < 500; tries += 1) {
      const lease = await pace.lease(target)
      if (lease.kind === 'throttle' && lease.why === 'budget' && lease.retryAfterMs > 60_000) return 'budget'
      if (lease.kind === 'throttle') {
        await sleep(20)
        continue
      }
      open += 1
      most = Math.max(most, open)
      await sleep(0)
      refused += lease.errorsMax
      open -= 1
      await lease.release({ refused: lease.errorsMax })
    }
    return 'never told to stop'
  }
  const customers = Array.from({ length: 50 }, (_, customer) =>
    Array.from({ length: 20 }, () => ask(hosts[customer % 2 === 0 ? 0 : 1])),
  )
  const ends = await Promise.all(customers.flat())
  expect(new Set(ends)).toEqual(new Set(['budget']))
  expect(refused).toBe(150)
  expect(most).toBeLessThanOrEqual(4)
})

test('a suspension applies to the other worker and ends', async () => {
  const [first, second] = openHosts()
  const target = at('angry')
  await first.suspend(target, 'ip_blocked', 400)
  expect(await second.lease(target)).toMatchObject({ why: 'suspended' })
  await vi.waitFor(() => take(second, target), { timeout: 5_000, interval: 20 })
})

test('the longest of several suspensions applies', async () => {
  const prefix = `test-${randomUUID()}`
  const [first, second] = openHosts(prefix)
  const [third] = openHosts(prefix)
  await first.suspend(at('angry'), 'ip_blocked', 600_000)
  await second.suspend(at('angry'), 'rate_limited', 1_000)
  const answer = await third.lease(at('angry'))
  expect(answer.kind === 'throttle' && answer.retryAfterMs).toBeGreaterThan(500_000)
})

test('a lifted suspension is not restored by the worker that requested it', async () => {
  const prefix = `test-${randomUUID()}`
  const [first, second] = openHosts(prefix)
  const target = at('gmx')
  const lift = () => liftSuspension(redis, prefix, { provider: 'gmx', egresses: ['egress'] })
  await first.suspend(target, 'ip_blocked', 600_000)
  expect(await second.lease(target)).toMatchObject({ why: 'suspended' })
  await lift()
  await take(first, target)
  await take(second, target)

  await first.suspend(target, 'ip_blocked', 600_000)
  expect(await second.lease(target)).toMatchObject({ why: 'suspended' })
})

test('two workers together stay within the connection limit of a destination of several sites', async () => {
  const hosts = openHosts()
  const address = { ...at('[192.0.2.1]', { connectionsPerEgress: 4, errorsPerHour: null }), egress: '' }
  const asked = Array.from({ length: 40 }, (_, n) => hosts[n % 2 === 0 ? 0 : 1].lease(at(`site-${n}`), address))
  const leases = (await Promise.all(asked)).filter((answer) => answer.kind === 'lease')
  expect(leases.length).toBe(4)
  const [one] = leases
  await Promise.all([one?.release({ refused: 0 }), one?.destination?.release({ refused: 0 })])
  await vi.waitFor(async () => expect(await hosts[1].lease(at('next'), address)).toMatchObject({ kind: 'lease' }))
  expect(await hosts[0].lease(at('late'), address)).toMatchObject({ why: 'connections', of: 'destination' })
})

test('slowDown of one worker slows the other down', async () => {
  const [first, second] = openHosts()
  const target = at('tired', { connectionsPerEgress: 2 })
  await first.slowDown(target)
  await take(second, target)
  expect(await second.lease(target)).toMatchObject({ why: 'connections' })
})

test('keys have a fixed length and expire', async () => {
  const prefix = `test-${randomUUID()}`
  const [pace] = openHosts(prefix)
  const names = ['x'.repeat(100_000), 'a}:{b', '', '\r\nDEL *', 'mx.example mx2.example']
  for (const name of names) {
    const lease = await take(pace, at(name))
    await lease.release({ refused: 1 })
    await pace.slowDown(at(name))
  }
  const keys = await redis.keys(`${prefix}:*`)
  expect(keys.length).toBe(names.length)
  for (const key of keys) {
    expect(key.slice(prefix.length)).toMatch(/^:pace:\{[\w-]{43}\}$/)
    const leftMs = await redis.pttl(key)
    expect(leftMs).toBeGreaterThan(RATE_LIMITER.forgetMs - 60_000)
    expect(leftMs).toBeLessThanOrEqual(RATE_LIMITER.forgetMs)
  }
})

test('a key expires no earlier than its suspension', async () => {
  const prefix = `test-${randomUUID()}`
  const [pace] = openHosts(prefix)
  await pace.suspend(at('angry'), 'ip_blocked', 5 * 3_600_000)
  await pace.lease(at('angry'))
  const [key = ''] = await redis.keys(`${prefix}:*`)
  expect(await redis.pttl(key)).toBeGreaterThan(5 * 3_600_000 - 60_000)
  expect(await redis.hget(key, 'reason')).toBe('ip_blocked')
})

test('rejections older than an hour are removed', async () => {
  const prefix = `test-${randomUUID()}`
  const [pace] = openHosts(prefix)
  const target = at('busy', { errorsPerHour: 1_000 })
  for (let n = 0; n < 30; n += 1) {
    const lease = await take(pace, target)
    await lease.release({ refused: 1 })
    await age(prefix, RATE_LIMITER.slotMs)
  }
  const [key = ''] = await redis.keys(`${prefix}:*`)
  const slots = (await redis.hkeys(key)).filter((field) => field.startsWith('refused:'))
  expect(slots.length).toBeLessThanOrEqual(RATE_LIMITER.slotsInHour + 1)
})

type Host = { pace: ProviderRateLimiter; isBack(): Promise<void> }

/** A Redis that the test stops and starts again, and hosts that share it. */
async function startOwnRedis() {
  const server = await startRedis()
  whenDone(() => server.stop())
  const prefix = `test-${randomUUID()}`
  const connection = await connected(connectRedis(server.url))
  async function open(): Promise<Host> {
    const own = await connected(connectRedis(server.url))
    const pace = createRedisRateLimiter({ redis: own, prefix, log })
    async function isBack() {
      await vi.waitFor(() => expect(own.status).toBe('ready'), 10_000)
      await pace.slowDown(at('something else')) // the first call that succeeds
    }
    return { pace, isBack }
  }
  return { server, connection, open }
}

test('a lease and its release take one round trip each', async () => {
  const { connection, open } = await startOwnRedis()
  const { pace } = await open()
  const target = at('fast', { connectionsPerEgress: 200 })
  const pair = async () => (await take(pace, target)).release({ refused: 0 })
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await connection.info('stats'))?.[1])
  await pair() // the first call also sends the script
  const before = await reads()
  for (let n = 0; n < 50; n += 1) await pair()
  expect((await reads()) - before).toBe(100 + 1) // the second INFO counts itself
})

test('a lease for a site and its destination takes one round trip', async () => {
  const { connection, open } = await startOwnRedis()
  const { pace } = await open()
  const [target, address] = [
    at('fast', { connectionsPerEgress: 200 }),
    at('[192.0.2.1]', { connectionsPerEgress: 200 }),
  ]
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await connection.info('stats'))?.[1])
  await pace.lease(target, address) // the first call also sends the script
  const before = await reads()
  for (let n = 0; n < 50; n += 1) await pace.lease(target, address)
  expect((await reads()) - before).toBe(50 + 1) // the second INFO counts itself
})

test('without Redis each worker holds one connection per target, and shares the limits again afterwards', async () => {
  const { server, open } = await startOwnRedis()
  const [first, second] = [await open(), await open()]
  const target = at('provider', { connectionsPerEgress: 4, connectionsPerMinute: 60, errorsPerHour: 50 })
  const shared = [await take(first.pace, target), await take(first.pace, target)]
  await server.halt()

  // The first host still has two connections from before, so it gets no other; the second has none.
  expect(await first.pace.lease(target)).toMatchObject({ kind: 'throttle', why: 'connections' })
  const asked = await Promise.all(Array.from({ length: 20 }, () => second.pace.lease(target)))
  const alone = asked.filter((answer) => answer.kind === 'lease')
  expect(alone.map((lease) => lease.errorsMax)).toEqual([5])
  expect(await second.pace.lease({ ...target, site: 'another' })).toMatchObject({ kind: 'lease' })

  // A tenth of the rate: ten seconds between two connections. A tenth of the hourly limit: five rejections.
  await alone[0]?.release({ refused: 4 })
  const next = await second.pace.lease(target)
  expect(next).toMatchObject({ kind: 'throttle', why: 'rate' })
  expect(next.kind === 'throttle' && next.retryAfterMs).toBeGreaterThan(5_000)
  for (const lease of shared) await lease.release({ refused: 1 })
  await (await take(first.pace, target)).release({ refused: 5 })
  expect(await first.pace.lease(target)).toMatchObject({ kind: 'throttle', why: 'budget' })

  await server.restart()
  await Promise.all([first.isBack(), second.isBack()])
  for (const { pace } of [first, second, first, second]) await take(pace, target)
  expect(await first.pace.lease(target)).toMatchObject({ kind: 'throttle', why: 'connections' })
  expect(await second.pace.lease(target)).toMatchObject({ kind: 'throttle', why: 'connections' })
})

test('without Redis each worker holds one connection to a destination', async () => {
  const { server, open } = await startOwnRedis()
  const { pace } = await open()
  const address = { ...at('[192.0.2.1]', { connectionsPerEgress: 4, errorsPerHour: null }), egress: '' }
  await server.halt()
  expect(await pace.lease(at('one'), address)).toMatchObject({ kind: 'lease', destination: { kind: 'lease' } })
  expect(await pace.lease(at('two'), address)).toMatchObject({
    kind: 'throttle',
    why: 'connections',
    of: 'destination',
  })
  expect(await pace.lease(at('two'), { ...address, site: '[192.0.2.2]' })).toMatchObject({ kind: 'lease' })
})

test('rejections during a Redis outage are counted afterwards', async () => {
  const { server, open } = await startOwnRedis()
  const [first, second] = [await open(), await open()]
  const target = at('counted', {
    connectionsPerEgress: 1,
    errorsPerHour: 10,
    errorsPerConnection: 10,
    errorsByFamily: {},
  })
  const lease = await take(first.pace, target)
  await server.halt()
  await lease.release({ refused: 7 })
  await (await take(first.pace, target)).release({ refused: 1 })
  await server.restart()
  await Promise.all([first.isBack(), second.isBack()])

  const again = await take(first.pace, target)
  expect(again.errorsMax).toBe(2)
  await again.release({ refused: 1 })
  expect((await take(second.pace, target)).errorsMax).toBe(1)
})

test('a suspension applies without Redis and is reported to Redis afterwards', async () => {
  const { server, open } = await startOwnRedis()
  const [first, second, third] = [await open(), await open(), await open()]
  await first.pace.suspend(at('before'), 'ip_blocked', 600_000)
  expect(await second.pace.lease(at('before'))).toMatchObject({ why: 'suspended' })
  await server.halt()
  await first.pace.suspend(at('meanwhile'), 'ip_blocked', 600_000)
  expect(await first.pace.lease(at('before'))).toMatchObject({ why: 'suspended' })
  expect(await first.pace.lease(at('meanwhile'))).toMatchObject({ why: 'suspended' })
  expect(await second.pace.lease(at('before'))).toMatchObject({ why: 'suspended' })

  await server.restart()
  await Promise.all([first.isBack(), second.isBack(), third.isBack()])
  await second.pace.lease(at('before'))
  await first.pace.lease(at('meanwhile'))
  expect(await third.pace.lease(at('before'))).toMatchObject({ why: 'suspended' })
  expect(await third.pace.lease(at('meanwhile'))).toMatchObject({ why: 'suspended' })
})

test('connections that Redis does not know are counted after an outage', async () => {
  const { server, open } = await startOwnRedis()
  const [first, second] = [await open(), await open()]
  const target = at('adopted', { connectionsPerEgress: 2 })
  await take(first.pace, at('forgotten', { connectionsPerEgress: 1 }))
  await server.halt()
  await take(first.pace, target)
  await server.restart()
  await Promise.all([first.isBack(), second.isBack()])

  await take(first.pace, target)
  expect(await second.pace.lease(target)).toMatchObject({ kind: 'throttle', why: 'connections' })
  expect(await first.pace.lease(at('forgotten', { connectionsPerEgress: 1 }))).toMatchObject({ why: 'connections' })
  expect(await second.pace.lease(at('forgotten', { connectionsPerEgress: 1 }))).toMatchObject({ why: 'connections' })
})

test('calls do not reject while Redis is unavailable', async () => {
  const { server, open } = await startOwnRedis()
  const { pace } = await open()
  const lease = await take(pace, at('gone'))
  await server.halt()
  await pace.slowDown(at('gone'))
  await pace.suspend(at('gone'), 'rate_limited', 1_000)
  await lease.release({ refused: 1 })
})

test('a hanging Redis delays no lease, and a lease granted too late is released', { tags: ['timed'] }, async () => {
  const { server, connection, open } = await startOwnRedis()
  const { pace } = await open()
  const target = at('slow', { connectionsPerEgress: 2 })
  await (await take(pace, target)).release({ refused: 0 })

  process.kill(server.pid(), 'SIGSTOP')
  const startedAt = performance.now()
  const first = pace.lease(target)
  await sleep(150)
  const second = pace.lease(target)
  const alone = await first
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  process.kill(server.pid(), 'SIGCONT')

  // Whether or not the second call returns in time, Redis may not have counted its connection correctly.
  expect(alone.kind).toBe('lease')
  expect(await second).toMatchObject({ kind: 'throttle' })
  await vi.waitFor(async () => {
    const [key = ''] = await connection.keys('test-*')
    expect((await connection.hkeys(key)).filter((field) => field.startsWith('lease:'))).toEqual([])
  })
})
