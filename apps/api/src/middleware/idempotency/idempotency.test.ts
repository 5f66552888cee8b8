import { randomUUID } from 'node:crypto'
import type { KeyScope } from '@probity/contract/constants/keys'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { API_ROUTES } from '../../server/app.ts'
import { callApp, type TestClient, type TestResponse } from '../../testing/test-api.ts'
import { addMember, openNewAccount, signUp, startUsersApi } from '../../testing/test-browser.ts'

let failure: Error | undefined
let effects = 0

/** A route that counts its effects, among those of the API. */
const count: Route = async (app) => {
  app.post('/count', { schema: { body: Type.Object({ n: Type.Integer() }) } }, async () => {
    if (failure) throw failure
    effects += 1
    return { effects }
  })
}

const hurry = new AbortController()
const api = await startUsersApi({ routes: [...API_ROUTES, count], hurry: hurry.signal })

function post(caller: TestClient, path: string, payload: object | undefined, key: string): Promise<TestResponse> {
  const headers = { 'idempotency-key': key }
  return caller.call({ method: 'POST', url: `/api/v1${path}`, headers, ...(payload && { payload }) })
}

async function countRows(caller: TestClient, table: 'apiKeys' | 'webhookEndpoints' | 'policies'): Promise<number> {
  const rows = await inTenant(api.db, caller.accountId, (trx) => trx.selectFrom(table).select('accountId').execute())
  return rows.length
}

/** Another key of the same account, with the same scopes. */
async function addKey(caller: TestClient, mode: 'live' | 'test'): Promise<string> {
  const { body } = await caller.call({ method: 'GET', url: '/api/v1/account' })
  const { scopes } = body['key'] as { scopes: KeyScope[] }
  const { text } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode, name: 'other', scopes }),
  )
  return text
}

const RULES = { rules: [], default: { decision: 'allow', reason: 'Fine.' } }

test.each([
  ['/keys', { name: 'second' }, 'apiKeys', 2],
  ['/webhooks', { url: 'https://hooks.example.com/probity' }, 'webhookEndpoints', 1],
  ['/policies', { name: 'own', ...RULES }, 'policies', 1],
] as const)('POST %s sent twice with one Idempotency-Key creates one', async (path, payload, table, rows) => {
  const caller = await api.openCaller()
  const first = await post(caller, path, payload, 'create-1')
  expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined])
  const second = await post(caller, path, payload, 'create-1')
  expect([second.status, second.text]).toEqual([201, first.text])
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(await countRows(caller, table)).toBe(rows)

  const other = await post(caller, path, { ...payload, name: 'other' }, 'create-1')
  expect([other.status, other.body['code']]).toEqual(path === '/webhooks' ? [400, 'invalid_request'] : [422, MISMATCH])
})

const MISMATCH = 'idempotency_mismatch'

test('a rotation is replayed with its secret, which the database does not contain', async () => {
  const caller = await api.openCaller()
  const made = await post(caller, '/keys', { name: 'second' }, 'make')
  const hook = await post(caller, '/webhooks', { url: 'https://hooks.example.com/' }, 'make')
  const key = `/keys/${made.body['id']}/rotate`
  const secret = `/webhooks/${hook.body['id']}/rotate`
  const rotated = [await post(caller, key, undefined, 'turn'), await post(caller, secret, undefined, 'turn')]
  const again = [await post(caller, key, undefined, 'turn'), await post(caller, secret, undefined, 'turn')]
  expect(rotated.map(({ status }) => status)).toEqual([201, 201])
  expect(again.map(({ text }) => text)).toEqual(rotated.map(({ text }) => text))

  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ body: string }>`select body from idempotency_records where account_id = ${caller.accountId}`.execute(trx),
  )
  expect(rows.length).toBe(4)
  const secrets = [made.body['key'], hook.body['secret'], rotated[0]?.body['key'], rotated[1]?.body['secret']]
  for (const { body } of rows) {
    expect(body).toMatch(/^[A-Za-z0-9+/=]+$/)
    for (const text of secrets) {
      expect(body).not.toContain(text)
      expect(Buffer.from(body, 'base64').toString('latin1')).not.toContain(text)
    }
  }
})

test('another API key of the account does not get the stored response', async () => {
  const caller = await api.openCaller()
  const payload = { name: 'second' }
  await post(caller, '/keys', payload, 'mine')
  const headers = { 'idempotency-key': 'mine', 'x-api-key': await addKey(caller, 'live') }
  const { status, body } = await callApp(api.app, { method: 'POST', url: '/api/v1/keys', payload, headers })
  expect([status, body['code']]).toEqual([422, MISMATCH])
})

test('a session replays its own responses, and no other user of the account does', async () => {
  const [ada, grace] = [await signUp(api), await signUp(api)]
  const account = await openNewAccount(ada)
  await addMember(api, account['probity-account'], grace, 'admin')
  const headers = { ...account, 'idempotency-key': 'from-the-page' }
  const first = await ada.post('/keys', { name: 'second' }, headers)
  const again = await ada.post('/keys', { name: 'second' }, headers)
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect((await grace.post('/keys', { name: 'second' }, headers)).body['code']).toBe(MISMATCH)
})

test('ten requests at once with one Idempotency-Key have one effect and one response', async () => {
  const caller = await api.openCaller()
  const before = effects
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(caller, '/count', { n: 1 }, 'at-once')))
  expect(effects).toBe(before + 1)
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([JSON.stringify({ effects })]))
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length).toBe(9)
})

test('a rejected request frees its Idempotency-Key, and one that failed keeps it', async () => {
  const caller = await api.openCaller()
  failure = new Problem('policy_exists')
  expect((await post(caller, '/count', { n: 1 }, 'rejected')).status).toBe(409)
  failure = new Error('uncertain')
  expect((await post(caller, '/count', { n: 1 }, 'failed')).status).toBe(500)
  failure = undefined
  expect((await post(caller, '/count', { n: 2 }, 'rejected')).status).toBe(200)

  const before = effects
  setTimeout(() => hurry.abort(), 100)
  const held = await post(caller, '/count', { n: 1 }, 'failed')
  expect([held.status, held.body['code'], held.headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1'])
  expect(effects).toBe(before)
  await asOwner(api.db, (trx) => sql`update idempotency_records set locked_until = now()`.execute(trx))
  expect((await post(caller, '/count', { n: 1 }, 'failed')).body).toEqual({ effects: before + 1 })
})

test.each(['', 'with space', 'x'.repeat(256)])('POST /count rejects the Idempotency-Key "%s"', async (key) => {
  const { status, body } = await post(await api.openCaller(), '/count', { n: 1 }, key)
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})

const SANDBOX = [
  ['/validation/single', { email: 'valid@example.com' }, { email: 'other@example.com' }],
  ['/validation/bulk', { emails: ['valid@example.com'] }, { emails: ['other@example.com'] }],
] as const

test.each(SANDBOX)('a test key has idempotency and credit headers as a live key has: %s', async (path, one, other) => {
  const caller = await api.openCaller({ credits: 42, key: { mode: 'test' } })
  const key = randomUUID()
  const first = await post(caller, path, one, key)
  const { headers } = first
  expect([headers['credits-charged'], headers['credits-remaining'], headers['idempotency-replayed']]).toEqual([
    '0',
    '42',
    undefined,
  ])
  const replay = await post(caller, path, one, key)
  expect([replay.text, replay.headers['idempotency-replayed']]).toEqual([first.text, 'true'])
  expect([replay.headers['credits-charged'], replay.headers['credits-remaining']]).toEqual(['0', '42'])
  expect((await post(caller, path, other, key)).body['code']).toBe(MISMATCH)
  expect((await post(caller, path, one, 'with space')).body['code']).toBe('invalid_request')
})

test('live and test mode have separate Idempotency-Keys', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const payload = { email: 'valid@example.com' }
  expect((await post(caller, '/validation/single', payload, 'shared')).status).toBe(200)
  const headers = { 'idempotency-key': 'shared', 'x-api-key': await addKey(caller, 'live') }
  const url = '/api/v1/validation/single'
  const answer = await callApp(api.app, { method: 'POST', url, payload, headers })
  expect(answer.body['code']).toBe('insufficient_credits')
})

test('the public sandbox key has its Idempotency-Key checked and nothing stored', async () => {
  const ask = (key: string) =>
    callApp(api.app, {
      method: 'POST',
      url: '/api/v1/validation/single',
      payload: { email: 'valid@example.com' },
      headers: { 'x-api-key': PUBLIC_SANDBOX_KEY, 'idempotency-key': key },
      remoteAddress: '2001:db8:1d:e::1',
    })
  expect((await ask('with space')).status).toBe(400)
  const answers = [await ask('free'), await ask('free')]
  expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
    [200, undefined],
    [200, undefined],
  ])
  expect(answers[0]?.headers).toMatchObject({ 'credits-charged': '0' })
})
