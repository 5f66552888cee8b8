import { asOwner } from '@probity/database/connect'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../test-api.ts'

const READY = { method: 'GET', url: '/readyz' } as const

test('alive says nothing of anybody else', async () => {
  const api = await startTestApi({
    config: { databaseUrl: 'postgres://127.0.0.1:1/x', redisUrl: 'redis://127.0.0.1:1' },
  })
  expect((await callApp(api.app, { method: 'GET', url: '/livez' })).status).toBe(200)
})

test('ready when database, migrations and Redis are there', async () => {
  const api = await startTestApi()
  const ready = async () =>
    expect(await callApp(api.app, READY)).toMatchObject({ status: 200, body: { status: 'ready', missing: [] } })
  await vi.waitFor(ready)
})

test('not ready without the database, and it says so', async () => {
  const api = await startTestApi({ config: { databaseUrl: 'postgres://127.0.0.1:1/x' } })
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(503)
  expect(body['missing']).toContain('postgresql')
})

test('not ready while a migration is missing, and it names it', async () => {
  const api = await startTestApi()
  await asOwner(api.db, (trx) => sql`delete from migrations where name like '0005%'`.execute(trx))
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(503)
  expect(body['missing']).toContainEqual('migrations: 0005_partitions')
})

test('ready without Redis, and it says what that means', async () => {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const api = await startTestApi({ config: { redisUrl: redis.url } })
  await redis.halt()
  const { status, body } = await callApp(api.app, READY)
  expect(status).toBe(200)
  expect(String(body['missing'])).toMatch(/^redis \(requests are answered/)
})

test('not ready once it was told to stop, and callers are asked to connect elsewhere', async () => {
  const api = await startTestApi({ stopping: AbortSignal.abort() })
  const { status, body, headers } = await callApp(api.app, READY)
  expect([status, headers['connection']]).toEqual([503, 'close'])
  expect(String(body['missing'])).toContain('stopping')
})
