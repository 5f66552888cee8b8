import { setTimeout as sleep } from 'node:timers/promises'
import { revokeKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { startRedis } from '@probity/lab/services/redis'
import { afterAll, expect, test, vi } from 'vitest'
import { start } from '../../server/start.ts'
import { startTestApi } from '../../testing/test-api.ts'

const redis = await startRedis()
afterAll(() => redis.stop())
const api = await startTestApi({ config: { redisUrl: redis.url } })
const others = await Promise.all(
  [1, 2, 3].map(() => start({ ...api.config, databaseConnections: 2 }, api.services.log)),
)
afterAll(() => Promise.all(others.map((other) => other.stop())))

const ports = others.map((other) => other.address.port)

async function statusAt(port: number, key: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/account`, { headers: { 'x-api-key': key } })
  await answer.arrayBuffer()
  return answer.status
}

/** Revokes a key that all processes have cached, and returns how long afterwards the last accepted request was sent. */
async function letInAfterRevoking(caller: { accountId: string; keyId: string; key: string }): Promise<number> {
  for (const port of ports) expect(await statusAt(port, caller.key)).toBe(200)
  await inTenant(api.db, caller.accountId, (trx) => revokeKey(trx, { accountId: caller.accountId }, caller.keyId))
  const revokedAt = performance.now()
  // Each process gets requests without a pause until it rejects one.
  const times = ports.map(async (port) => {
    for (let last = 0; ; ) {
      const began = performance.now() - revokedAt
      if ((await statusAt(port, caller.key)) !== 200) return last
      last = began
    }
  })
  return Math.max(...(await Promise.all(times)))
}

test('every process rejects a revoked key within a second', { tags: ['timed'] }, async () => {
  for (let round = 0; round < 5; round++) expect(await letInAfterRevoking(await api.openCaller())).toBeLessThan(1_000)
})

test('every process rejects a revoked key within a second when Redis is unavailable', { tags: ['timed'] }, async () => {
  await redis.halt()
  for (let round = 0; round < 3; round++) expect(await letInAfterRevoking(await api.openCaller())).toBeLessThan(1_000)
  await redis.restart()
})

test('a cached key costs no database queries while nothing changes', async () => {
  const { keys } = api.services
  const { key } = await api.openCaller()
  expect(keys.recall(key)).toBeUndefined()
  // The notification of the key's creation may arrive after the first lookup and cause one more.
  await vi.waitFor(async () => {
    const found = await keys.find(key)
    await sleep(50)
    expect(keys.recall(key)).toBe(found)
  })
})

test('fifty first requests with one key cause one database query', async () => {
  const { key } = await api.openCaller()
  const found = await Promise.all(Array.from({ length: 50 }, () => api.services.keys.find(key)))
  expect(new Set(found).size).toBe(1)
})
