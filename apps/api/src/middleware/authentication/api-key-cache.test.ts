import { setTimeout as sleep } from 'node:timers/promises'
import { revokeKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { startRelay } from '@probity/lab/relay'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { start } from '../../server/start.ts'
import { callApp, startTestApi } from '../../testing/test-api.ts'

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

/** A process empties its cache after such a gap. */
const SHORT_GAP_MS = 2_500
/** Longer than a check for changed keys looks back. */
const LONG_GAP_MS = 15_000

test('a key that was revoked during a gap in the connection to PostgreSQL is rejected afterwards', async () => {
  const { cutOff, revoke, setBack, firstStatus } = await cacheKeyBehindRelay()
  await cutOff(SHORT_GAP_MS, async () => {
    await revoke()
    await setBack() // as if the gap were long
  })
  expect(await firstStatus()).toBe(401)
})

test('a key that was revoked during a gap of 15 s is rejected at the first request afterwards', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const { cutOff, revoke, firstStatus } = await cacheKeyBehindRelay()
  await cutOff(LONG_GAP_MS, revoke)
  expect(await firstStatus()).toBe(401)
})

/** A process that has cached a key and can be cut off from PostgreSQL. */
async function cacheKeyBehindRelay() {
  const direct = new URL(api.url)
  const path = await startRelay({ host: '127.0.0.1', port: 0, to: { host: '127.0.0.1', port: Number(direct.port) } })
  whenDone(() => path.stop())
  const databaseUrl = Object.assign(new URL(direct), { port: String(path.port) }).href
  const { app, services } = await startTestApi({ config: { databaseUrl, redisUrl: redis.url } })
  const [{ accountId, keyId, key }, other] = [await api.openCaller(), await api.openCaller()]

  async function statusOf(text: string): Promise<number> {
    return (await callApp(app, { url: '/api/v1/account', headers: { 'x-api-key': text } })).status
  }
  /** Moves the last change of the key to before the time that a check looks back. */
  async function setBack(): Promise<void> {
    await asOwner(api.db, async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx) // without the trigger that sets the time
      await sql`update api_keys set changed_at = changed_at - interval '1 minute' where id = ${keyId}`.execute(trx)
    })
  }
  async function cutOff(gapMs: number, meanwhile: () => Promise<unknown>): Promise<void> {
    path.pause()
    await meanwhile()
    await sleep(gapMs)
    path.resume()
    // The process uses its cache again.
    await vi.waitFor(async () => {
      expect(await statusOf(other.key)).toBe(200)
      expect(services.keys.recall(other.key)).toBeDefined()
    }, SOON)
  }
  // The process may have been cut off while it held a lock on the key, which the server releases after 5 s.
  const revoke = () =>
    vi.waitFor(() => inTenant(api.db, accountId, (trx) => revokeKey(trx, { accountId }, keyId)), SOON)

  await setBack() // or each check would remove the new key from the cache
  await vi.waitFor(async () => {
    expect(await statusOf(key)).toBe(200)
    await sleep(500) // longer than the time between two checks
    expect(services.keys.recall(key)).toBeDefined()
  }, SOON)
  return { cutOff, revoke, setBack, firstStatus: () => statusOf(key) }
}

const SOON = { timeout: 60_000, interval: 50 }
