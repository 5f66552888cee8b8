import { randomInt } from 'node:crypto'
import { formatKey } from '@probity/contract/constants/keys'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { insertKey, revokeKey, updateKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { expect, test, vi } from 'vitest'
import { isOnList, isRange } from '../../http/networks.ts'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const api = await startTestApi({ config: { trustedProxies: ['127.0.0.1'] } })
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const
/** Part of a network that no earlier run has used: Redis keeps counters between runs. */
const FRESH = randomInt(0xffff).toString(16)

test('the key is accepted in the X-API-Key header, for GET and POST', async () => {
  const { call } = await api.openCaller()
  expect((await call(ACCOUNT)).status).toBe(200)
  expect((await call({ method: 'POST', url: '/api/v1/keys', payload: { name: 'second' } })).status).toBe(201)
})

test('a request without a key gets a hint where to put one', async () => {
  const { status, body } = await callApp(api.app, ACCOUNT)
  expect([status, body['code']]).toEqual([401, 'missing_api_key'])
  expect(body['detail']).toBe('The request has no API key.')
  expect(body['advice']).toContain('X-API-Key')
})

test('the key is accepted as a bearer token too', async () => {
  const { key } = await api.openCaller()
  const get = (headers: Record<string, string>) => callApp(api.app, { ...ACCOUNT, headers })
  expect((await get({ authorization: `Bearer ${key}` })).status).toBe(200)
  expect((await get({ authorization: `bearer  ${key}` })).status).toBe(200)
  expect((await get({ authorization: `Bearer ${key}`, 'x-api-key': key })).status).toBe(200)
  expect((await get({ authorization: 'Basic dTpw', 'x-api-key': key })).status).toBe(200)
  for (const authorization of ['Basic dTpw', key, 'Bearer', `Bearer ${key} ${key}`]) {
    const { status, body } = await get({ authorization })
    expect([authorization === key, status, body['code']]).toEqual([authorization === key, 401, 'missing_api_key'])
  }
})

test('two different keys in one request are rejected, whichever of them is valid', async () => {
  const [one, other] = [await api.openCaller(), await api.openCaller()]
  for (const authorization of [`Bearer ${other.key}`, 'Bearer nonsense']) {
    const { status, body, text } = await one.call({ ...ACCOUNT, headers: { authorization } })
    expect([status, body['code']]).toEqual([400, 'conflicting_api_keys'])
    expect(text).not.toContain('pb_live')
  }
})

test.each(['api_key', 'apikey', 'key', 'X-API-Key', 'anything'])(
  'a key in the query as %s is rejected with a hint',
  async (name) => {
    const { key } = await api.openCaller()
    const { status, body, text } = await callApp(api.app, { ...ACCOUNT, query: { [name]: key } })
    expect([status, body['code']]).toEqual([400, 'api_key_in_query'])
    expect(body['advice']).toContain('X-API-Key header')
    expect(text).not.toContain(key)
  },
)

test('a mistyped key is rejected without a database query', async () => {
  const away = await startTestApi({ config: { databaseUrl: 'postgres://127.0.0.1:1/nowhere' } })
  const mistyped = `${formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu').slice(0, -1)}!`
  const { status, body } = await callApp(away.app, { ...ACCOUNT, headers: { 'x-api-key': mistyped } })
  expect([status, body['code']]).toEqual([401, 'invalid_api_key'])

  // The same API cannot decide about a well-formed key without the database.
  const wellFormed = { 'x-api-key': formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu') }
  const unknown = await callApp(away.app, { ...ACCOUNT, headers: wellFormed })
  expect([unknown.status, unknown.body['code'], unknown.headers['retry-after']]).toEqual([
    503,
    'service_unavailable',
    '2',
  ])
})

test('unknown, revoked, expired and paused keys are rejected, each with its own code', async () => {
  const never = { 'x-api-key': formatKey('live', 'A7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu') }
  expect((await callApp(api.app, { ...ACCOUNT, headers: never })).body['code']).toBe('invalid_api_key')

  const revoked = await api.openCaller()
  await inTenant(api.db, revoked.accountId, (trx) => revokeKey(trx, { accountId: revoked.accountId }, revoked.keyId))
  expect((await revoked.call(ACCOUNT)).body['code']).toBe('revoked_api_key')

  const expiresAt = new Date(Date.now() - 1000)
  const expired = await api.openCaller({ key: { expiresAt } })
  expect((await expired.call(ACCOUNT)).body).toMatchObject({
    code: 'expired_api_key',
    detail: `The API key expired at ${expiresAt.toISOString()}.`,
  })

  const paused = await api.openCaller()
  const pause = { pausedAt: new Date() }
  await inTenant(api.db, paused.accountId, (trx) =>
    updateKey(trx, { accountId: paused.accountId }, paused.keyId, pause),
  )
  expect((await paused.call(ACCOUNT)).body['code']).toBe('paused_api_key')
})

test('a key that expires while it is cached is rejected from then on', async () => {
  const { call } = await api.openCaller({ key: { expiresAt: new Date(Date.now() + 20_000) } })
  for (let n = 0; n < 2; n++) expect((await call(ACCOUNT)).status).toBe(200)
  const later = Date.now() + 21_000
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later)
  try {
    const { status, body } = await call(ACCOUNT)
    expect([status, body['code']]).toEqual([401, 'expired_api_key'])
  } finally {
    clock.mockRestore()
  }
})

test('a key with an IP allowlist is accepted from the listed addresses only', async () => {
  const { call } = await api.openCaller({ key: { ipAllowList: ['192.0.2.0/24', '2001:db8::7'] } })
  const from = (address: string) => call({ ...ACCOUNT, headers: { 'x-forwarded-for': address } })
  expect((await from('192.0.2.9')).status).toBe(200)
  expect((await from('2001:db8::7')).status).toBe(200)
  expect((await from('192.0.3.9')).body['code']).toBe('ip_not_allowed')
})

test('requests of a rejected key do not use up the rate of its account', async () => {
  const paused = await api.openCaller()
  await inTenant(api.db, paused.accountId, (trx) =>
    updateKey(trx, { accountId: paused.accountId }, paused.keyId, { pausedAt: new Date() }),
  )
  const { text } = await inTenant(api.db, paused.accountId, (trx) =>
    insertKey(trx, paused.accountId, { mode: 'live', name: 'good', scopes: ['account:read'] }),
  )
  const remaining = async () => {
    const { status, headers } = await callApp(api.app, { ...ACCOUNT, headers: { 'x-api-key': text } })
    expect(status).toBe(200)
    return Number(/;r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1])
  }
  const before = await remaining()
  for (let n = 0; n < 20; n += 1) expect((await paused.call(ACCOUNT)).status).toBe(403)
  expect(await remaining()).toBeGreaterThanOrEqual(before - 1)
})

test('a forwarded address is used from a trusted proxy only', async () => {
  const direct = await startTestApi()
  const { call } = await direct.openCaller({ key: { ipAllowList: ['192.0.2.0/24'] } })
  const spoofed = await call({ ...ACCOUNT, headers: { 'x-forwarded-for': '192.0.2.9' } })
  expect(spoofed.body['code']).toBe('ip_not_allowed')
})

test('guessing keys is rate-limited, and valid keys of the same network are not', async () => {
  const fresh = await startTestApi()
  const { call } = await fresh.openCaller()
  expect((await call(ACCOUNT)).status).toBe(200)

  const guesses = await Promise.all(Array.from({ length: 80 }, () => callApp(fresh.app, ACCOUNT)))
  const refusedLater = guesses.filter((answer) => answer.status === 429)
  expect(refusedLater.length).toBeGreaterThanOrEqual(18)
  expect(Number(refusedLater[0]?.headers['retry-after'])).toBeGreaterThan(0)
  expect((await call(ACCOUNT)).status).toBe(200)
})

test('the addresses of an IPv6 /64 share the limit of clients without a known key and of the public sandbox', async () => {
  const fresh = await startTestApi()
  const ask = (n: number, headers = {}) =>
    callApp(fresh.app, { ...ACCOUNT, headers, remoteAddress: `2001:db8:1:2::${(n + 1).toString(16)}` })
  const guesses = await Promise.all(Array.from({ length: 80 }, (_, n) => ask(n)))
  expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(18)

  const sandbox = { 'x-api-key': PUBLIC_SANDBOX_KEY }
  const url = '/api/v1/validation/single'
  const tries = await Promise.all(
    Array.from({ length: 80 }, (_, n) =>
      callApp(fresh.app, {
        method: 'POST',
        url,
        payload: { email: 'valid@example.com' },
        headers: sandbox,
        remoteAddress: `2001:db8:3:${FRESH}::${(n + 1).toString(16)}`,
      }),
    ),
  )
  expect(tries.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(18)
})

test.each([
  ['192.0.2.1', ['192.0.2.0/24'], true],
  ['::ffff:192.0.2.1', ['192.0.2.1'], true],
  ['192.0.2.1', ['2001:db8::/32'], false],
  ['2001:db8:1::1', ['10.0.0.0/8', '2001:db8::/32'], true],
])('%s on %j: %s', (ip, list, expected) => {
  expect(isOnList(ip, list)).toBe(expected)
})

test.each(['192.0.2.1', '192.0.2.0/24', '2001:db8::/32', '::1'])('%s is accepted in an IP allowlist', (entry) => {
  expect(isRange(entry)).toBe(true)
})

test.each(['', 'localhost', '192.0.2.1/33', '192.0.2.0/', '192.0.2.0/24/1', '2001:db8::/129', '1', '10.0.0.0/-1'])(
  '"%s" is rejected in an IP allowlist',
  (entry) => expect(isRange(entry)).toBe(false),
)
