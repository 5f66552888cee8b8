import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { recordProcess } from '@probity/database/system/processes'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi, type TestApi } from '../testing/test-api.ts'

const SOON = { timeout: 15_000, interval: 50 }
const READY = { method: 'GET', url: '/readyz' } as const

test('/livez returns 200 when PostgreSQL and Redis are down', async () => {
  const api = await startTestApi({
    config: { databaseUrl: 'postgres://127.0.0.1:1/x', redisUrl: 'redis://127.0.0.1:1' },
  })
  expect((await callApp(api.app, { method: 'GET', url: '/livez' })).status).toBe(200)
})

test('/readyz returns 200 when database, migrations and Redis are available', async () => {
  const api = await startTestApi()
  const ready = async () =>
    expect(await callApp(api.app, READY)).toMatchObject({ status: 200, body: { status: 'ready', missing: [] } })
  await vi.waitFor(ready, SOON)
})

test('/readyz returns 503 without the database and names it', async () => {
  const api = await startTestApi({ config: { databaseUrl: 'postgres://127.0.0.1:1/x' } })
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(503)
  expect(body['missing']).toContain('postgresql')
})

test('/readyz returns 503 while a migration is missing and names it', async () => {
  const api = await startTestApi()
  await asOwner(api.db, (trx) => sql`delete from migrations where name = '0001_baseline'`.execute(trx))
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(503)
  expect(body['missing']).toContainEqual('migrations: 0001_baseline')
})

test('/readyz returns 200 without Redis and describes the effect', async () => {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const api = await startTestApi({ config: { redisUrl: redis.url } })
  await redis.halt()
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(200)
  expect(String(body['missing'])).toMatch(/^redis \(requests are served/)
})

test('/readyz returns 200 and names dns while the resolver of a worker fails its check', async () => {
  const api = await startTestApi()
  const worker = { kind: 'worker', version: '1' } as const
  await recordProcess(api.db, { ...worker, id: randomUUID(), facts: { resolver_trusted: true } })
  expect(await callApp(api.app, READY)).toMatchObject({ status: 200, body: { missing: [] } })
  await recordProcess(api.db, { ...worker, id: randomUUID(), facts: { resolver_trusted: false } })
  await vi.waitFor(async () => {
    const { status, body } = await callApp(api.app, READY)
    expect([status, String(body['missing'])]).toEqual([200, expect.stringMatching(/^dns \(requests are served/)])
  }, SOON)
})

test('/readyz returns 503 during shutdown, and responses close the connection', async () => {
  const api = await startTestApi({ stopping: AbortSignal.abort() })
  const { status, body, headers } = await callApp(api.app, READY)
  expect([status, headers['connection']]).toEqual([503, 'close'])
  expect(String(body['missing'])).toContain('stopping')
})

test('readyz runs one check at a time, however many clients request it', async () => {
  const api = await startTestApi()
  const [locked, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = asOwner(api.db, async (trx) => {
    await sql`lock table migrations in access exclusive mode`.execute(trx)
    locked.resolve()
    await unlock.promise
  })
  await locked.promise
  whenDone(() => unlock.resolve())
  const responses = Array.from({ length: 50 }, () => callApp(api.app, READY))
  await vi.waitFor(async () => expect(await countBlocked(api)).toBeGreaterThan(0), SOON)
  // All 50 were sent before this one, which is served while they wait.
  expect((await callApp(api.app, { method: 'GET', url: '/livez' })).status).toBe(200)
  expect(await countBlocked(api)).toBe(1)
  unlock.resolve()
  await locking
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
})

test('readyz reuses the outcome of the last check for a second', async () => {
  const api = await startTestApi()
  const ping = vi.spyOn(api.services.redis, 'ping')
  for (let n = 0; n < 100; n++) await callApp(api.app, READY)
  expect(ping.mock.calls.length).toBeLessThan(50)
  await asOwner(api.db, (trx) => sql`delete from migrations where name = '0001_baseline'`.execute(trx))
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(503), SOON)
})

test.each([
  ['another host', { remoteAddress: '203.0.113.9' }],
  ['a proxy on this host', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
])('readyz returns only the status to a client of %s', async (_, client) => {
  const api = await startTestApi()
  await asOwner(api.db, (trx) => sql`delete from migrations where name = '0001_baseline'`.execute(trx))
  const { status, body } = await callApp(api.app, { ...READY, ...client })
  expect([status, body]).toEqual([503, { status: 'not ready' }])
})

async function countBlocked({ db }: TestApi): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%migrations%'`.execute(trx),
  )
  return rows[0]?.count ?? 0
}
