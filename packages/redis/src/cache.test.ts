import { randomUUID } from 'node:crypto'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { createCacheBudget, createRecentResults } from './cache.ts'
import { connectWithRetries } from './connection.ts'

const MIB = 1024 * 1024

async function startSmallRedis() {
  const server = await startRedis()
  whenDone(() => server.stop())
  const redis = connectWithRetries(server.url)
  whenDone(() => redis.disconnect())
  await redis.config('SET', 'maxmemory', '32mb')
  const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
  return { redis, usedBytes, errors: () => redis.info('errorstats') }
}

test('recent results take at most half of the memory of Redis and one allowance, however many there are', async () => {
  const { redis, usedBytes, errors } = await startSmallRedis()
  const recents = createRecentResults(redis)
  const text = 'a'.repeat(5_000)
  for (let saved = 0; saved < 10_000; saved += 200) {
    await recents.save(Array.from({ length: 200 }, () => ({ key: `recent:{account}:${randomUUID()}`, text })))
  }
  expect(await redis.dbsize()).toBeGreaterThan(1_000)
  expect(await usedBytes()).toBeLessThan(18 * MIB)
  expect(await errors()).not.toContain('OOM')
  await expect(redis.set('rate limit', 'a'.repeat(MIB))).resolves.toBe('OK')
})

test('a cache budget allows writes again once memory is free', async () => {
  const { redis } = await startSmallRedis()
  const budget = createCacheBudget(redis)
  const others = Array.from({ length: 18 }, (_, n) => `other ${n}`)
  for (const name of others) await redis.set(name, 'a'.repeat(MIB))
  expect(await budget.allows(100)).toBe(false)
  await redis.del(others)
  await expect.poll(() => budget.allows(100)).toBe(true)
})

test('a cache budget allows writes to a server without maxmemory', async () => {
  const { redis } = await startSmallRedis()
  await redis.config('SET', 'maxmemory', '0')
  expect(await createCacheBudget(redis).allows(100)).toBe(true)
})
