import { randomUUID } from 'node:crypto'
import { RequestDetail, RequestPage } from '@probity/contract/schemas/requests'
import { sandboxResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey, type NewKey } from '@probity/database/accounts/keys'
import { recordRequests } from '@probity/database/accounts/requests'
import { testRequest } from '@probity/database/accounts/test-requests'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { openRequestLog } from '../middleware/request-log/request-log.ts'
import { openLog } from '../server/log.ts'
import { connectAgent } from '../testing/test-agent.ts'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import { startPlainWorker } from '../testing/test-plain-worker.ts'

const api = await startTestApi()
const get = (query = '') => ({ method: 'GET', url: `/api/v1/requests${query}` }) as const
const SINGLE = { method: 'POST', url: '/api/v1/validation/single' } as const
const DECISION = { method: 'POST', url: '/api/v1/validation/decision' } as const

/** Waits until the log has so many requests: they are written shortly after the response. */
function waitFor({ call }: TestClient, count: number, query = ''): Promise<RequestPage> {
  return vi.waitFor(
    async () => {
      const { status, body } = await call(get(query))
      expect(status).toBe(200)
      expect((body as RequestPage).data.length).toBeGreaterThanOrEqual(count)
      return body as RequestPage
    },
    { timeout: 10_000, interval: 100 },
  )
}

const withoutOwn = ({ data }: RequestPage) => data.filter(({ route }) => route !== '/api/v1/requests')

test('the request log shows request and outcome without the address', async () => {
  const caller = await api.openCaller({ key: { mode: 'test', name: 'The form' } })
  const asked = await caller.call({ ...SINGLE, payload: { email: 'mailbox-full@example.com' } })
  const page = await waitFor(caller, 1)
  expect(Value.Check(RequestPage, page)).toBe(true)
  expect(withoutOwn(page)).toMatchObject([
    {
      id: asked.headers['request-id'],
      livemode: false,
      source: 'api',
      method: 'POST',
      route: '/api/v1/validation/single',
      http_status: 200,
      code: null,
      key_id: caller.keyId,
      key_name: 'The form',
      result_status: 'risky',
      sub_status: 'mailbox_full',
      credits: 0,
    },
  ])
  expect(JSON.stringify(page)).not.toContain('example.com')
  expect(page.retention_days).toBe(7)
})

test('rejected requests have their code and can be filtered by class, code and key', async () => {
  const caller = await api.openCaller({ credits: 0 })
  await caller.call({ ...SINGLE, payload: { email: 'ada@example.com' } })
  await caller.call({ ...SINGLE, payload: { email: 7 } })
  await caller.call({ method: 'GET', url: `/api/v1/keys/${randomUUID()}?email=ada@example.com` })
  await waitFor(caller, 3, '?class=client_error')
  const codes = async (query: string) =>
    ((await caller.call(get(query))).body as RequestPage).data.map(({ code }) => String(code)).toSorted()
  expect(await codes('?class=client_error')).toEqual(['insufficient_credits', 'invalid_request', 'not_found'])
  expect(await codes('?code=not_found')).toEqual(['not_found'])
  expect(await codes('?class=server_error')).toEqual([])
  expect(await codes(`?class=client_error&key_id=${caller.keyId}`)).toHaveLength(3)
  expect(await codes(`?class=client_error&key_id=${randomUUID()}`)).toEqual([])
  expect(await codes(`?class=client_error&from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
  expect(await codes(`?class=client_error&to=${new Date(Date.now() - 60_000).toISOString()}`)).toEqual([])
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ row: string }>`select r::text as row from requests r where account_id = ${caller.accountId}`.execute(trx),
  )
  expect(rows.map(({ row }) => row).join()).not.toContain('ada@')
  expect(rows.map(({ row }) => row).join()).toContain('/api/v1/keys/:key_id')
})

test('pages are linked by a cursor', async () => {
  const caller = await api.openCaller()
  const { accountId, keyId } = caller
  const rows = Array.from({ length: 5 }, (_, n) =>
    testRequest({ accountId, keyId, durationMs: n, at: new Date(Date.now() - 1_000 * (n + 1)) }),
  )
  await recordRequests(api.db, rows, 7)
  const met: number[] = []
  let cursor: string | null = null as string | null
  for (let page = 0; page < 5; page++) {
    const { body } = await caller.call(get(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`))
    const { data, has_more, next_cursor } = body as RequestPage
    expect(has_more).toBe(next_cursor !== null)
    met.push(...data.filter(({ method }) => method === 'POST').map(({ duration_ms }) => duration_ms))
    cursor = next_cursor
    if (cursor === null) break
  }
  expect(met).toEqual([0, 1, 2, 3, 4])
})

test.each(['cursor=bm9wZQ', 'class=bad', 'code=nothing', 'key_id=7', 'from=yesterday', 'limit=0'])(
  '%s is rejected',
  async (query) => {
    const { call } = await api.openCaller()
    const { status, body } = await call(get(`?${query}`))
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  },
)

test('GET /requests/{id} returns one request, with its result while that is stored', async () => {
  startPlainWorker(api.db, (email) => sandboxResult(email, { subStatus: 'mailbox_full' }))
  const caller = await api.openCaller({ credits: 2 })
  const asked = await caller.call({ ...SINGLE, payload: { email: 'ada@example.com' } })
  await waitFor(caller, 1)
  const show = (id: string) => caller.call({ method: 'GET', url: `/api/v1/requests/${id}` })
  const { status, body } = await show(String(asked.headers['request-id']))
  expect(status).toBe(200)
  expect(Value.Check(RequestDetail, body)).toBe(true)
  expect(body).toMatchObject({
    validation_id: asked.body['id'],
    result_status: 'risky',
    credits: 1,
    result: { email: 'ada@example.com', status: 'risky', sub_status: 'mailbox_full' },
  })

  await asOwner(api.db, (trx) => sql`delete from validations where account_id = ${caller.accountId}`.execute(trx))
  expect((await show(String(asked.headers['request-id']))).body).toMatchObject({ result_status: 'risky', result: null })
})

test('a request of the other mode is not found', async () => {
  const { accountId, call } = await api.openCaller()
  const row = testRequest({ accountId, mode: 'test' })
  await recordRequests(api.db, [row], 7)
  expect((await call({ method: 'GET', url: `/api/v1/requests/req_${row.id}` })).status).toBe(404)
})

test('the request log requires the scope account:read', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['validations:write'] } })
  expect(await call(get())).toMatchObject({ status: 403, body: { code: 'missing_scope' } })
})

test('a key without validation scopes sees the request and not the result', async () => {
  const { accountId, call } = await api.openCaller({ key: { scopes: ['account:read'] } })
  const row = testRequest({ accountId, validationId: randomUUID() })
  await recordRequests(api.db, [row], 7)
  await asOwner(api.db, (trx) =>
    sql`
      insert into validations (expires_on, account_id, id, email, email_key, state, conclusive, refunded, result, finished_at)
      values (utc_today() + 1, ${accountId}, ${row.validationId}, 'ada@example.com', 'ada@example.com', 'final', true, false,
        ${JSON.stringify(sandboxResult('ada@example.com', { subStatus: '' }))}::json, now())`.execute(trx),
  )
  const { text, status } = await call({ method: 'GET', url: `/api/v1/requests/req_${row.id}` })
  expect(status).toBe(200)
  expect(text).not.toContain('ada@')
})

test('the request log names the source: API, web page or MCP tool', async () => {
  const origin = 'https://shop.example'
  const page: Partial<NewKey> = { kind: 'publishable', allowedOrigins: [origin], visitorCap: 100 }
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const { text } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'test', name: 'page', scopes: ['validations:write'], ...page }),
  )
  const headers = { 'x-api-key': text, origin }
  await callApp(api.app, { ...DECISION, headers, payload: { email: 'valid@example.com' } })
  const agent = await connectAgent(api.app, { 'x-api-key': caller.key })
  await agent.call('validate_email', { email: 'valid@example.com' })
  await caller.call({ ...SINGLE, headers: { 'probity-inside': 'mcp' }, payload: { email: 'valid@example.com' } })
  const found = withoutOwn(await waitFor(caller, 3))
  expect(found.map(({ source, result_status }) => `${source} ${result_status}`).toSorted()).toEqual([
    'api valid',
    'mcp valid',
    'page unknown',
  ])
})

test('while the database is unavailable no request waits, and entries beyond the buffer are dropped and counted', async () => {
  const away = connect('postgres://nobody@127.0.0.1:1/none')
  const log = openRequestLog(away, openLog('silent'), 7)
  for (let n = 0; n < 5_000; n++) log.add(testRequest({ accountId: 'one that asks very much' }))
  expect(log.dropped()).toBe(3_000)
  for (let n = 0; n < 10_000; n++) log.add(testRequest({ accountId: `account ${n % 20}` }))
  expect(log.dropped()).toBe(5_000)
  await log.stop()
  await away.destroy()
})

test('nothing is stored if the retention is zero days', async () => {
  const quiet = await startTestApi({ config: { requestLogDays: 0 } })
  const caller = await quiet.openCaller({ key: { mode: 'test' } })
  await caller.call({ ...SINGLE, payload: { email: 'valid@example.com' } })
  await quiet.services.requestLog.stop()
  expect((await caller.call(get())).body).toEqual({
    data: [],
    has_more: false,
    next_cursor: null,
    retention_days: 0,
  })
})
