import { ApiKey, CreatedKey, KeyList } from '@probity/contract/keys'
import { asOwner } from '@probity/database/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../../test-api.ts'

const api = await startTestApi()
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const
const post = (payload: object) => ({ method: 'POST', url: '/api/v1/keys', payload }) as const

function withKey(key: unknown) {
  return { ...ACCOUNT, headers: { 'x-api-key': String(key) } }
}

test('a new key is shown once, works at once, and only its hash is kept', async () => {
  const { call } = await api.openCaller()
  const created = await call(post({ name: 'Sign-up form' }))

  expect(created.status).toBe(201)
  expect(Value.Check(CreatedKey, created.body)).toBe(true)
  expect(created.body).toMatchObject({
    name: 'Sign-up form',
    mode: 'live',
    status: 'active',
    scopes: ['validation', 'bulk', 'account'],
  })
  expect((await callApp(api.app, withKey(created.body['key']))).status).toBe(200)

  const shown = await call({ method: 'GET', url: `/api/v1/keys/${created.body['id']}` })
  expect(Value.Check(ApiKey, shown.body)).toBe(true)
  expect(shown.body).not.toHaveProperty('key')

  const rows = await asOwner(api.db, (trx) => sql`select api_keys::text as row from api_keys`.execute(trx))
  expect(JSON.stringify(rows.rows)).not.toContain(String(created.body['key']).slice(8, 40))
})

test('lists keys newest first, in pages, with the total and links', async () => {
  const { call } = await api.openCaller()
  for (const name of ['one', 'two', 'three']) await call(post({ name }))

  const page = await call({ method: 'GET', url: '/api/v1/keys?skip=1&limit=2' })
  expect(Value.Check(KeyList, page.body)).toBe(true)
  expect((page.body as unknown as { name: string }[]).map((key) => key.name)).toEqual(['two', 'one'])
  expect(page.headers['x-total-count']).toBe('4')
  expect(page.headers['link']).toBe(
    '</api/v1/keys?skip=0&limit=2>; rel="prev", </api/v1/keys?skip=3&limit=2>; rel="next"',
  )
})

test('a limit above a hundred counts as a hundred', async () => {
  const { call } = await api.openCaller()
  expect((await call({ method: 'GET', url: '/api/v1/keys?limit=100000' })).status).toBe(200)
})

test('changes what the body names and nothing else', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'before', monthly_cap: 5 }))
  const changed = await call({ method: 'PATCH', url: `/api/v1/keys/${body['id']}`, payload: { name: 'after' } })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ name: 'after', monthly_cap: 5, ip_allow_list: [] })
})

test('a paused key rests until it is resumed', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'resting' }))
  const set = (paused: boolean) => call({ method: 'PATCH', url: `/api/v1/keys/${body['id']}`, payload: { paused } })
  const status = async () => (await callApp(api.app, withKey(body['key']))).status

  expect((await set(true)).body['status']).toBe('paused')
  await vi.waitFor(async () => expect(await status()).toBe(403), 1_000)
  expect((await set(false)).body['status']).toBe('active')
  await vi.waitFor(async () => expect(await status()).toBe(200), 1_000)
})

test('a revoked key stays listed and stays revoked', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'ended' }))
  const url = `/api/v1/keys/${body['id']}`
  const first = await call({ method: 'DELETE', url })
  expect([first.status, first.body['status']]).toEqual([200, 'revoked'])

  const again = await call({ method: 'DELETE', url })
  expect([again.status, again.body['revoked_at']]).toEqual([200, first.body['revoked_at']])
  expect((await call({ method: 'PATCH', url, payload: { paused: false } })).status).toBe(404)
  expect((await call({ method: 'GET', url })).body['status']).toBe('revoked')
})

test('last use shows within seconds', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'used' }))
  await callApp(api.app, withKey(body['key']))
  const show = () => call({ method: 'GET', url: `/api/v1/keys/${body['id']}` })
  await vi.waitFor(async () => expect((await show()).body['last_used_at']).not.toBeNull(), {
    timeout: 6_000,
    interval: 200,
  })
})

test('nobody hands out power they do not have', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['keys', 'account'] } })
  const beyond = await call(post({ name: 'x', scopes: ['validation'] }))
  expect([beyond.status, beyond.body['code']]).toEqual([403, 'scope_not_held'])
  expect((await call(post({ name: 'x' }))).body['scopes']).toEqual(['account'])
})

test('a test key makes test keys only and knows of no live key', async () => {
  const live = await api.openCaller()
  const { body: sandbox } = await live.call(post({ name: 's', mode: 'test', scopes: ['keys'] }))
  const call = (request: object) => callApp(api.app, { ...request, headers: { 'x-api-key': String(sandbox['key']) } })

  expect((await call(post({ name: 'x', mode: 'live' }))).body['code']).toBe('scope_not_held')
  expect((await call({ method: 'GET', url: `/api/v1/keys/${live.keyId}` })).status).toBe(404)
  expect((await call({ method: 'DELETE', url: `/api/v1/keys/${live.keyId}` })).status).toBe(404)
  const list = await call({ method: 'GET', url: '/api/v1/keys' })
  expect((list.body as unknown as { id: string }[]).map((key) => key.id)).toEqual([sandbox['id']])
})

test.each([
  [{}, '/name'],
  [{ name: '' }, '/name'],
  [{ name: 7 }, '/name'],
  [{ name: 'x', scopes: ['everything'] }, '/scopes/0'],
  [{ name: 'x', ip_allow_list: ['192.0.2.1', 'nowhere'] }, '/ip_allow_list/1'],
  [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
  [{ name: 'x', monthly_cap: -1 }, '/monthly_cap'],
])('%j is refused with a pointer to %s', async (payload, pointer) => {
  const { call } = await api.openCaller()
  const { status, body } = await call(post(payload))
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
  expect(body['errors']).toContainEqual(expect.objectContaining({ pointer }))
})

test.each(['account_id', 'id', 'hash', 'revoked_at', 'credits', 'canary-7f3a'])(
  'a body cannot set %s, nor is it told back',
  async (field) => {
    const { call } = await api.openCaller()
    const { status, text } = await call(post({ name: 'x', [field]: 'canary-value' }))
    expect(status).toBe(400)
    expect(text).not.toContain('canary')
  },
)
