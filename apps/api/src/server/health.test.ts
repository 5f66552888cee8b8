import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
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

test('readyz returns 503 while its check waits, and runs one check at a time, however many clients request it', async () => {
  const api = await startTestApi()
  const { unlock } = await lockMigrations(api)
  const responses = Array.from({ length: 50 }, () => callApp(api.app, READY))
  await vi.waitFor(async () => expect(await countBlocked(api)).toBeGreaterThan(0), SOON)
  // All 50 were sent before this one, which is served while they wait.
  expect((await callApp(api.app, { method: 'GET', url: '/livez' })).status).toBe(200)
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 503))
  // The check still waits for the lock: the responses did not wait for its end.
  expect(await countBlocked(api)).toBe(1)
  await unlock()
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(200), SOON)
})

test('readyz logs no error when the client has reset the connection before it is accepted', async () => {
  const api = await startTestApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const accepted = once(api.app.server, 'connection') as Promise<[Socket]>
  // Another process, which this one waits for without accepting its connection.
  execFileSync(process.execPath, [
    '--eval',
    `const checker = require('net').connect(${port}, '127.0.0.1')
     checker.write('GET /readyz HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n', () => checker.resetAndDestroy())`,
  ])
  const [socket] = await accepted
  await new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
  await callApp(api.app, READY) // not before the outcome of a request on that connection
  const lines = readFileSync(api.logFile, 'utf8').split('\n')
  expect(lines.filter((line) => /"level":[56]0/.test(line))).toEqual([])
})

/** Holds a lock that the check of the migrations waits for. */
async function lockMigrations({ db }: TestApi): Promise<{ unlock(): Promise<void> }> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = asOwner(db, async (trx) => {
    await sql`lock table migrations in access exclusive mode`.execute(trx)
    locked.resolve()
    await released.promise
  })
  whenDone(() => released.resolve())
  await locked.promise
  return {
    async unlock() {
      released.resolve()
      await locking
    },
  }
}

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
