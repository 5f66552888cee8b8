import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { insertKey } from '@probity/database/accounts/keys'
import { connect, inTenant } from '@probity/database/connection/connect'
import { openTestAccount } from '@probity/database/connection/test-database'
import { migrate } from '@probity/database/system/migrate'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import type { InjectOptions } from 'fastify'
import { expect, test, vi } from 'vitest'
import { callApp, type TestApi, type TestClient } from '../testing/test-api.ts'
import { openBrowser, PASSWORD, signUp, startUsersApi } from '../testing/test-browser.ts'
import { startJob, uploadList } from '../testing/test-jobs.ts'

const SOON = { timeout: 30_000, interval: 50 }
/** An id that does not exist. */
const ID = '018f3b1c-0000-7000-8000-000000000000'
const READY = { method: 'GET', url: '/readyz' } as const

const primary = await startPostgres()
whenDone(() => primary.stop())
await migrate(primary.url)
const db = connect(primary.url)
whenDone(() => db.destroy())
const account = await openTestAccount(db, 100)
const { text: key, key: row } = await inTenant(db, account.id, (trx) =>
  insertKey(trx, account.id, { mode: 'live', name: 'test', scopes: Object.keys(KEY_SCOPES) as KeyScope[] }),
)

/** A client of any process, since all processes know the key. */
function openClient({ app }: TestApi): TestClient {
  const call = (request: InjectOptions) => callApp(app, { ...request, headers: { 'x-api-key': key } })
  return { accountId: account.id, keyId: row.id, key, call }
}

async function send({ call }: TestClient, { url, ...request }: InjectOptions) {
  const { status, body, headers } = await call({ ...request, url: `/api/v1${url}` })
  const isDelayed = Number(headers['retry-after']) > 0
  return { request: `${request.method} ${url}`, status, code: body['code'], isDelayed }
}

async function expectNotReady({ app }: TestApi): Promise<void> {
  const { status, body } = await callApp(app, READY)
  expect([status, body['missing']]).toEqual([503, ['postgresql (the server is read-only)']])
}

const UNAVAILABLE = { status: 503, code: 'service_unavailable', isDelayed: true }

test('every route is unavailable on a hot standby, and the process is ready once it is promoted', {
  timeout: 60_000,
}, async () => {
  const standby = await startPostgres({ standbyOf: primary })
  whenDone(() => standby.stop())
  const api = await startUsersApi({ config: { databaseUrl: standby.url } })
  const client = openClient(api)
  await expectNotReady(api)
  const { body: document } = await callApp(api.app, { url: '/api/v1/openapi.json' })
  const operations = Object.entries(document['paths'] as Record<string, object>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, ...(operation as { security?: object[] }) })),
  )
  const withKey = operations.filter(({ security }) => security?.length !== 0)
  expect(withKey.length).toBeGreaterThan(50)
  for (const { method, path } of withKey) {
    const url = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, ID)
    const request = { method: method.toUpperCase() as 'GET', url }
    expect(await send(client, request)).toEqual({ request: `${request.method} ${url}`, ...UNAVAILABLE })
  }

  await standby.query('select pg_promote()')
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(200), SOON)
  expect(await send(client, { method: 'GET', url: '/account' })).toMatchObject({ status: 200 })
})

test('readyz and requests are 503 within two seconds after the server became read-only', {
  tags: ['timed'],
}, async () => {
  const api = await startUsersApi({ config: { databaseUrl: primary.url } })
  const client = openClient(api)
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(200), SOON)
  whenDone(() => primary.setReadOnly('off'))
  await primary.setReadOnly('on')
  const statuses = async () => [
    (await callApp(api.app, READY)).status,
    (await send(client, { method: 'POST', url: '/validation/single', payload: { email: 'ada@example.com' } })).status,
  ]
  await vi.waitFor(async () => expect(await statuses()).toEqual([503, 503]), { timeout: 2_000, interval: 50 })
})

test('readyz names a server that became read-only before the process has tried to write', async () => {
  const api = await startUsersApi({ config: { databaseUrl: primary.url } })
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(200), SOON)
  whenDone(() => primary.setReadOnly('off'))
  await primary.setReadOnly('on')
  // An idle process writes a heartbeat every 10 s.
  await vi.waitFor(() => expectNotReady(api), { ...SOON, timeout: 5_000 })
})

test('writes and sign-in are unavailable when the server becomes read-only under a running process', {
  timeout: 60_000,
}, async () => {
  const api = await startUsersApi({ config: { databaseUrl: primary.url } })
  const [client, ada] = [openClient(api), await signUp(api)]
  const [upload, job] = [await uploadList(client, 'a@example.com\n'), await startJob(client, 2)]
  expect(await send(client, { method: 'GET', url: '/account' })).toMatchObject({ status: 200 })
  whenDone(() => primary.setReadOnly('off'))
  await primary.setReadOnly('on')
  await vi.waitFor(() => expectNotReady(api), SOON)

  const signIn = { email: ada.email, password: PASSWORD }
  for (const { status, body } of [
    await openBrowser(api.app).post('/auth/sign-in/email', signIn),
    await ada.post('/accounts', { name: 'Engines' }),
    await ada.get('/session'),
  ]) {
    expect([status, body['code']]).toEqual([503, 'service_unavailable'])
  }
  const writes: InjectOptions[] = [
    { method: 'POST', url: '/validation/single', payload: { email: 'a@example.com' } },
    { method: 'POST', url: '/validation/bulk', payload: { emails: ['a@example.com', 'b@example.com'] } },
    { method: 'POST', url: '/bulk/upload/confirm', payload: { upload_id: upload, email_column: '1' } },
    { method: 'POST', url: `/bulk/jobs/${job}/pause` },
    { method: 'DELETE', url: `/bulk/jobs/${job}` },
    { method: 'POST', url: '/keys', payload: { name: 'Other' } },
    { method: 'DELETE', url: `/keys/${row.id}` },
  ]
  for (const request of writes) {
    expect(await send(client, request)).toEqual({ request: `${request.method} ${request.url}`, ...UNAVAILABLE })
  }
  await primary.setReadOnly('off')
  await vi.waitFor(async () => expect((await callApp(api.app, READY)).status).toBe(200), SOON)
  expect((await openBrowser(api.app).post('/auth/sign-in/email', signIn)).status).toBe(200)
})
