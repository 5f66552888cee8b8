import { ApiKey, CreatedKey, KeyList } from '@probity/contract/schemas/keys'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const api = await startTestApi()
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const
const post = (payload: object) => ({ method: 'POST', url: '/api/v1/keys', payload }) as const

function withKey(key: unknown) {
  return { ...ACCOUNT, headers: { 'x-api-key': String(key) } }
}

test('a new key is returned once, works at once, and only its hash is stored', async () => {
  const { call } = await api.openCaller()
  const created = await call(post({ name: 'Sign-up form' }))

  expect(created.status).toBe(201)
  expect(Value.Check(CreatedKey, created.body)).toBe(true)
  expect(created.body).toMatchObject({
    name: 'Sign-up form',
    livemode: true,
    status: 'active',
    scopes: ['validations:read', 'validations:write', 'jobs:read', 'jobs:write', 'account:read'],
  })
  expect((await callApp(api.app, withKey(created.body['key']))).status).toBe(200)

  const shown = await call({ method: 'GET', url: `/api/v1/keys/${created.body['id']}` })
  expect(Value.Check(ApiKey, shown.body)).toBe(true)
  expect(shown.body).not.toHaveProperty('key')

  const rows = await asOwner(api.db, (trx) => sql`select api_keys::text as row from api_keys`.execute(trx))
  expect(JSON.stringify(rows.rows)).not.toContain(String(created.body['key']).slice(8, 40))
})

test('GET /keys lists keys newest first, in pages, with total and links', async () => {
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

test('a limit above 100 is reduced to 100', async () => {
  const { call } = await api.openCaller()
  expect((await call({ method: 'GET', url: '/api/v1/keys?limit=100000' })).status).toBe(200)
})

test('PATCH /keys/{id} changes the named settings and no others', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'before', monthly_cap: 5 }))
  const changed = await call({ method: 'PATCH', url: `/api/v1/keys/${body['id']}`, payload: { name: 'after' } })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ name: 'after', monthly_cap: 5, ip_allowlist: [] })
})

test('a paused key is rejected until it is resumed', async () => {
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

const SETTINGS = {
  name: 'rotated',
  scopes: ['account:read'],
  ip_allowlist: ['127.0.0.0/8'],
  monthly_cap: 7,
  expires_at: '2099-01-01T00:00:00.000Z',
}

test('a rotated key has a successor with its settings, and both work during the overlap', async () => {
  const { call } = await api.openCaller()
  const { body: old } = await call(post(SETTINGS))
  const rotated = await call({ method: 'POST', url: `/api/v1/keys/${old['id']}/rotate`, payload: {} })
  expect(rotated.status).toBe(201)
  expect(Value.Check(CreatedKey, rotated.body)).toBe(true)
  expect(rotated.body).toMatchObject({
    ...SETTINGS,
    livemode: true,
    replaces_key_id: old['id'],
    replaced_by_key_id: null,
  })
  expect(rotated.body['key']).not.toBe(old['key'])
  expect((await callApp(api.app, withKey(rotated.body['key']))).status).toBe(200)
  expect((await callApp(api.app, withKey(old['key']))).status).toBe(200)

  const { body: shown } = await call({ method: 'GET', url: `/api/v1/keys/${old['id']}` })
  expect(shown).toMatchObject({ status: 'active', replaces_key_id: null, replaced_by_key_id: rotated.body['id'] })
  const hoursLeft = (Date.parse(String(shown['expires_at'])) - Date.now()) / 3_600_000
  expect(hoursLeft).toBeGreaterThan(23.9)
  expect(hoursLeft).toBeLessThanOrEqual(24)
})

test('a rotation without overlap revokes the old key at once', async () => {
  const { call } = await api.openCaller()
  const { body: old } = await call(post({ name: 'leaked' }))
  const url = `/api/v1/keys/${old['id']}`
  expect((await call({ method: 'POST', url: `${url}/rotate`, payload: { overlap_s: 0 } })).status).toBe(201)
  expect((await call({ method: 'GET', url })).body['status']).toBe('expired')
  await vi.waitFor(async () => {
    expect((await callApp(api.app, withKey(old['key']))).body['code']).toBe('expired_api_key')
  }, 2_000)
})

test('an overlap never extends a key beyond its own expiry', async () => {
  const { call } = await api.openCaller()
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const { body: old } = await call(post({ name: 'short', expires_at }))
  const url = `/api/v1/keys/${old['id']}`
  const { body } = await call({ method: 'POST', url: `${url}/rotate`, payload: { overlap_s: 604_800 } })
  expect((await call({ method: 'GET', url })).body['expires_at']).toBe(expires_at)
  expect(body['expires_at']).toBe(expires_at)
})

test('a key is rotated once, and an ended key cannot be rotated', async () => {
  const { call } = await api.openCaller()
  const rotate = (id: unknown) => call({ method: 'POST', url: `/api/v1/keys/${id}/rotate`, payload: {} })
  const [{ body: twice }, { body: ended }] = [await call(post({ name: 'twice' })), await call(post({ name: 'ended' }))]
  const both = await Promise.all([rotate(twice['id']), rotate(twice['id'])])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  await call({ method: 'DELETE', url: `/api/v1/keys/${ended['id']}` })
  expect((await rotate(ended['id'])).body['code']).toBe('inactive_api_key')
})

test('a rotation cannot grant scopes that the calling key lacks', async () => {
  const owner = await api.openCaller()
  const { body: weak } = await owner.call(post({ name: 'weak', scopes: ['keys:write'] }))
  const { body: tester } = await owner.call(post({ name: 'tester', scopes: ['keys:write'], livemode: false }))
  const rotate = (key: unknown) =>
    callApp(api.app, {
      method: 'POST',
      url: `/api/v1/keys/${owner.keyId}/rotate`,
      payload: {},
      headers: { 'x-api-key': String(key) },
    })
  expect((await rotate(weak['key'])).body['code']).toBe('scope_not_grantable')
  expect((await rotate(tester['key'])).body['code']).toBe('not_found')
  expect((await owner.call(ACCOUNT)).status).toBe(200)
})

test.each([{ overlap_s: -1 }, { overlap_s: 604_801 }, { overlap_s: 1.5 }, { name: 'x' }])(
  'a rotation with %j is rejected',
  async (payload) => {
    const { call, keyId } = await api.openCaller()
    const { status, body } = await call({ method: 'POST', url: `/api/v1/keys/${keyId}/rotate`, payload })
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  },
)

test('webhooks receive an event with the successor and the replaced key', async () => {
  const { call, keyId } = await api.openCaller()
  await call({ method: 'POST', url: '/api/v1/webhooks', payload: { url: 'https://hooks.example.com/' } })
  const { body } = await call({ method: 'POST', url: `/api/v1/keys/${keyId}/rotate`, payload: {} })
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{
      body: string
    }>`select body from webhook_events where type = 'key.created' order by created_at desc limit 1`.execute(trx),
  )
  expect(JSON.parse(rows[0]?.body ?? '{}').data).toMatchObject({
    id: body['id'],
    livemode: true,
    replaces_key_id: keyId,
  })
})

test('the last use is visible within seconds', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'used' }))
  await callApp(api.app, withKey(body['key']))
  const show = () => call({ method: 'GET', url: `/api/v1/keys/${body['id']}` })
  await vi.waitFor(async () => expect((await show()).body['last_used_at']).not.toBeNull(), {
    timeout: 6_000,
    interval: 200,
  })
})

test('the last request of a key is visible within seconds, with its route pattern and without the address', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'first steps', livemode: false }))
  const lastRequest = async () =>
    (await call({ method: 'GET', url: `/api/v1/keys/${body['id']}` })).body['last_request']
  const use = (url: string) => callApp(api.app, { method: 'GET', url, headers: { 'x-api-key': String(body['key']) } })
  const shows = (expected: object) =>
    vi.waitFor(async () => expect(await lastRequest()).toEqual({ ...TIMES, ...expected }), {
      timeout: 6_000,
      interval: 200,
    })

  expect(await lastRequest()).toBeNull()
  await use('/api/v1/validation/single?email=mailbox-full%40example.com')
  await shows({ method: 'GET', route: '/api/v1/validation/single', http_status: 200, result_status: 'risky' })
  await use('/api/v1/bulk/jobs/0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1')
  await shows({ method: 'GET', route: '/api/v1/bulk/jobs/:job_id', http_status: 404 })
  await use('/api/v1/keys')
  await shows({ method: 'GET', route: '/api/v1/keys', http_status: 403 })
})

const TIMES = { occurred_at: expect.stringMatching(/^\d{4}-.*Z$/), duration_ms: expect.any(Number) }

test('a write scope adds the read scope of its subject when a key is created and when it is changed', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(post({ name: 'x', scopes: ['jobs:write'] }))
  expect(body['scopes']).toEqual(['jobs:read', 'jobs:write'])
  const change = (scopes: string[]) => call({ method: 'PATCH', url: `/api/v1/keys/${body['id']}`, payload: { scopes } })
  expect((await change(['keys:write', 'account:read'])).body['scopes']).toEqual([
    'account:read',
    'keys:read',
    'keys:write',
  ])
  expect((await change(['webhooks:read'])).body['scopes']).toEqual(['webhooks:read'])
})

test('a read scope permits no change, and a key with it grants no write scope', async () => {
  const { call, keyId } = await api.openCaller({ key: { scopes: ['keys:read'] } })
  expect((await call({ method: 'GET', url: '/api/v1/keys' })).status).toBe(200)
  const rejected = await call({ method: 'DELETE', url: `/api/v1/keys/${keyId}` })
  expect([rejected.status, rejected.body['code']]).toEqual([403, 'missing_scope'])
  expect(rejected.body['detail']).toContain('"keys:write"')
  const other = await api.openCaller({ key: { scopes: ['keys:write', 'jobs:read'] } })
  expect((await other.call(post({ name: 'x', scopes: ['jobs:read'] }))).status).toBe(201)
  expect((await other.call(post({ name: 'x', scopes: ['jobs:write'] }))).body['code']).toBe('scope_not_grantable')
})

test('a key cannot create a key with more permissions than its own', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['keys:write', 'account:read'] } })
  const beyond = await call(post({ name: 'x', scopes: ['validations:write'] }))
  expect([beyond.status, beyond.body['code']]).toEqual([403, 'scope_not_grantable'])
  expect((await call(post({ name: 'x' }))).body['scopes']).toEqual(['account:read'])
})

test('a test key creates only test keys and sees no live key', async () => {
  const live = await api.openCaller()
  const { body: sandbox } = await live.call(post({ name: 's', livemode: false, scopes: ['keys:write'] }))
  const call = (request: object) => callApp(api.app, { ...request, headers: { 'x-api-key': String(sandbox['key']) } })

  expect((await call(post({ name: 'x', livemode: true }))).body['code']).toBe('scope_not_grantable')
  expect((await call(post({ name: 'x' }))).body['livemode']).toBe(false)
  expect((await call({ method: 'GET', url: `/api/v1/keys/${live.keyId}` })).status).toBe(404)
  expect((await call({ method: 'DELETE', url: `/api/v1/keys/${live.keyId}` })).status).toBe(404)
  const list = await call({ method: 'GET', url: '/api/v1/keys' })
  expect((list.body as unknown as { id: string }[]).map((key) => key.id)).toContain(sandbox['id'])
  expect((list.body as unknown as { livemode: boolean }[]).map((key) => key.livemode)).toEqual([false, false])
})

test.each([
  [{}, '/name'],
  [{ name: '' }, '/name'],
  [{ name: 7 }, '/name'],
  [{ name: 'x', scopes: ['everything'] }, '/scopes/0'],
  [{ name: 'x', scopes: ['validation'] }, '/scopes/0'],
  [{ name: 'x', livemode: 'test' }, '/livemode'],
  [{ name: 'x', ip_allowlist: ['192.0.2.1', 'nowhere'] }, '/ip_allowlist/1'],
  [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
  [{ name: 'x', monthly_cap: -1 }, '/monthly_cap'],
])('%j is rejected with a pointer to %s', async (payload, pointer) => {
  const { call } = await api.openCaller()
  const { status, body } = await call(post(payload))
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
  expect(body['errors']).toContainEqual(expect.objectContaining({ pointer }))
})

test.each(['account_id', 'id', 'hash', 'revoked_at', 'credits', 'canary@example.org'])(
  'a body cannot set %s, and its value is not returned',
  async (field) => {
    const { call } = await api.openCaller()
    const { status, text } = await call(post({ name: 'x', [field]: 'canary-value' }))
    expect(status).toBe(400)
    expect(text).not.toContain('canary')
  },
)
