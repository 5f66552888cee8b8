import { createSecretKey, randomUUID } from 'node:crypto'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { countApiProcesses, createAdmission } from './admission.ts'
import { createFactsStore, createRecentResults } from './cache.ts'
import { connectRedis } from './connection.ts'
import { domainFactsKey, probeCacheKey, REDIS_KEYS, recentKey, resultChannel, sandboxKey } from './keys.ts'
import { createRedisRateLimiter } from './rate-limiter.ts'
import { recordSuspension } from './rate-limiter-state.ts'
import { countZoneQuery, createErrorCounter } from './shared-counters.ts'
import { openBatchQueue, openInteractiveQueue, openWebhookQueue } from './task-queues.ts'

const PREFIX = 'test'
const ACCOUNT = randomUUID()

function findPatterns(key: string): string[] {
  return REDIS_KEYS.map(({ pattern }) => pattern).filter((pattern) => toRegExp(pattern).test(key))
}

/** The patterns have braces for Redis Cluster, parentheses with alternatives, and variable parts without a colon, except the last. */
function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replaceAll('<prefix>', PREFIX)
    .replaceAll(/[{}]/g, '\\$&')
    .replace(/<[^>]+>$/, '.+')
    .replaceAll(/<[^>]+>/g, '[^:{}]+')
  return new RegExp(`^${source}$`)
}

async function startServer() {
  const server = await startRedis()
  whenDone(() => server.stop())
  const redis = connectRedis(server.url)
  whenDone(() => redis.disconnect())
  await vi.waitFor(() => expect(redis.status).toBe('ready'), 10_000)
  return { url: server.url, redis }
}

test('every key that the package writes matches one row of REDIS_KEYS', async () => {
  const { url, redis } = await startServer()
  const target = { egress: 'egress', site: 'google' }
  const limiter = createRedisRateLimiter({ redis, prefix: PREFIX, log: pino({ level: 'silent' }) })
  await limiter.lease({ ...target, limits: PROVIDER_LIMITS[''] })
  await createErrorCounter(redis, PREFIX).add(target, [{ accountId: ACCOUNT, rejected: 1 }])
  const suspension = { provider: 'google', name: 'Google', egress: 'egress', reason: 'ip_blocked' }
  await recordSuspension(redis, PREFIX, { ...suspension, until: new Date(Date.now() + 60_000) })
  await countZoneQuery(redis, PREFIX, { window: 1, zone: 'example.com' })
  await createFactsStore(redis, domainFactsKey).set('example.com', '{}', 60_000)
  await createFactsStore(redis, (name) => probeCacheKey(PREFIX, name)).set('host:mx.example.com', '{}', 60_000)
  await createRecentResults(redis).save([{ key: `recent:{${ACCOUNT}}:digest`, text: '{}' }])
  const validation = { recentKey: undefined, recentStoredForMs: 0, slots: 1, slotName: 'request' }
  await createAdmission(redis).admit(ACCOUNT, { name: 'account', quota: 10, windowS: 60 }, validation)
  const processes = countApiProcesses(redis, () => {})
  whenDone(() => processes.stop())
  const queues = [
    openInteractiveQueue(url, PREFIX),
    openBatchQueue(url, PREFIX),
    openWebhookQueue(url, PREFIX),
  ] as const
  for (const queue of queues) whenDone(() => queue.close())
  const [interactive, batches, webhooks] = queues
  await vi.waitFor(() => interactive.add({ refs: [] }), 10_000)
  const batch = { expiresOn: '2026-01-01', accountId: ACCOUNT, jobId: 'job', no: 1, epoch: 1 }
  await vi.waitFor(() => batches.add([batch]), 10_000)
  await vi.waitFor(() => webhooks.add([{ accountId: ACCOUNT, id: 'delivery', epoch: 1 }]), 10_000)

  await vi.waitFor(async () => expect(await redis.exists('api-processes')).toBe(1), 10_000)
  const keys = await redis.keys('*')
  expect(keys.filter((key) => findPatterns(key).length !== 1)).toEqual([])
  const written = new Set(keys.flatMap(findPatterns))
  const others = REDIS_KEYS.filter(({ pattern }) => !written.has(pattern)).map(({ pattern }) => pattern)
  // Published and not stored, written by the sandbox of the API, and counted by packages/email.
  expect(others).toEqual([
    'answers:<API process>',
    'sandbox:recent:{<account>}:<keyed hash as above>',
    'rate:{people:email:<limit and hash of the recipient>}',
  ])
})

test('the key builders of the API match one row of REDIS_KEYS', () => {
  const options = { ai: true, catchall: true, sendThreshold: 0.9, excludedTraits: [] }
  const recent = recentKey(createSecretKey(Buffer.alloc(32)), ACCOUNT, 'ada@example.com', options)
  for (const key of [recent, sandboxKey(recent), resultChannel(randomUUID())]) expect(findPatterns(key)).toHaveLength(1)
})
