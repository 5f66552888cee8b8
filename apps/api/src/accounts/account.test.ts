import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { Account } from '@probity/contract/schemas/accounts'
import { updateRetention } from '@probity/database/accounts/accounts'
import type { NewKey } from '@probity/database/accounts/keys'
import { asOwner } from '@probity/database/connection/connect'
import { arePartitionsReady } from '@probity/database/system/retention'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

const api = await startTestApi()
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const
const patch = (payload: object) => ({ method: 'PATCH', url: '/api/v1/account', payload }) as const

test('GET /account returns plan, credits and limits in exactly the shape of the contract', async () => {
  const { call, accountId, keyId } = await api.openCaller({ credits: 1000 })
  const { status, body, headers } = await call(ACCOUNT)

  expect(status).toBe(200)
  expect(Value.Check(Account, body)).toBe(true)
  expect(body).toMatchObject({
    id: accountId,
    livemode: true,
    plan: { name: 'payg', api_access: true },
    credits: { available: 1000, reserved: 0, used: 0, unlimited: false, low_at: 100 },
    limits: { emails_per_request: 1000, emails_per_file: 100_000 },
    key: { id: keyId, name: 'test', livemode: true, scopes: Object.keys(KEY_SCOPES) },
  })
  expect(headers['credits-remaining']).toBe('1000')
})

test('concurrent requests each see the current data of their own account', async () => {
  const [one, other] = await Promise.all([api.openCaller({ credits: 10 }), api.openCaller({ credits: 20 })])
  const asked = []
  for (let name = 0; name < 10; name++) {
    for (let n = 0; n < 10; n++) asked.push(one.call(ACCOUNT)) // some of these are still being read when the next change is made
    await one.call({ ...ACCOUNT, method: 'PATCH', payload: { name: `Name ${name}` } })
    const [mine, theirs] = await Promise.all([one.call(ACCOUNT), other.call(ACCOUNT)])
    expect(mine.body).toMatchObject({ id: one.accountId, name: `Name ${name}`, key: { id: one.keyId } })
    expect(theirs.body).toMatchObject({ id: other.accountId, name: 'Test', credits: { available: 20 } })
  }
  for (const { status, body } of await Promise.all(asked)) expect([status, body['id']]).toEqual([200, one.accountId])
})

test('a key without account:read gets the name of the missing scope', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['validations:write'] } })
  const { status, body } = await call(ACCOUNT)
  expect([status, body['code']]).toEqual([403, 'missing_scope'])
  expect(body['detail']).toContain('"account:read"')
})

test('a live key of the free plan is rejected, and a test key is not', async () => {
  const live = await api.openCaller({ plan: 'free' })
  const refused = await live.call(ACCOUNT)
  expect([refused.status, refused.body['code']]).toEqual([403, 'api_not_in_plan'])

  const sandbox = await api.openCaller({ plan: 'free', key: { mode: 'test' } })
  const answer = await sandbox.call(ACCOUNT)
  expect([answer.status, answer.body['livemode']]).toEqual([200, false])
})

test('the low-credit threshold can be set, and removing it restores a tenth of the last grant', async () => {
  const { call } = await api.openCaller({ credits: 5_000 })
  const set = (low_at: unknown) => call({ method: 'PATCH', url: '/api/v1/account', payload: { credits: { low_at } } })
  expect((await set(42)).body).toMatchObject({ credits: { low_at: 42 } })
  expect((await call(ACCOUNT)).body).toMatchObject({ credits: { low_at: 42 } })
  expect((await set(null)).body).toMatchObject({ credits: { low_at: 500 } })
  for (const wrong of [-1, 1.5, 'many', undefined]) expect((await set(wrong)).status).toBe(400)
})

test('the low-credit threshold needs account:write or webhooks:write', async () => {
  const set = async (key: Partial<NewKey>) => {
    const { call } = await api.openCaller({ key })
    const { status, body } = await call(patch({ credits: { low_at: 1 } }))
    return [status, body['code']]
  }
  expect(await set({ scopes: ['account:read', 'webhooks:read'] })).toEqual([403, 'missing_scope'])
  expect(await set({ scopes: ['account:write'] })).toEqual([200, undefined])
  expect(await set({ scopes: ['webhooks:write'] })).toEqual([204, undefined])
  expect(await set({ scopes: ['webhooks:write'], mode: 'test' })).toEqual([204, undefined])
})

test('PATCH /account shows the account only to keys with account:read', async () => {
  for (const scopes of [
    ['webhooks:write'],
    ['webhooks:write', 'keys:write', 'validations:write'],
  ] satisfies KeyScope[][]) {
    const { call } = await api.openCaller({ key: { scopes } })
    const { status, text } = await call(patch({ credits: { low_at: 1 } }))
    expect([status, text]).toEqual([204, ''])
  }
  const { call, keyId } = await api.openCaller({ key: { scopes: ['webhooks:write', 'account:read'] } })
  const { status, body } = await call(patch({ credits: { low_at: 1 } }))
  expect([status, body]).toMatchObject([200, { credits: { low_at: 1 }, key: { id: keyId } }])
})

test('PATCH /account changes the named settings and no others', async () => {
  const { call } = await api.openCaller({ credits: 5_000 })
  expect((await call(patch({ name: 'Neu & Söhne' }))).body).toMatchObject({ name: 'Neu & Söhne', retention_days: 30 })
  const both = await call(patch({ retention_days: 90, credits: { low_at: 7 } }))
  expect(both.body).toMatchObject({ name: 'Neu & Söhne', retention_days: 90, credits: { low_at: 7 } })
  expect((await call(ACCOUNT)).body).toMatchObject({ retention_days: 90, credits: { low_at: 7 } })
  expect((await call(patch({ retention_days: 0 }))).body).toMatchObject({ retention_days: 0 })
})

test('sending settings can be changed in part and are kept within their limits', async () => {
  const { call } = await api.openCaller()
  const usual = { threshold: 0.97, excluded_traits: ['disposable', 'role_based', 'machine_generated'] }
  expect((await call(ACCOUNT)).body['sending']).toEqual(usual)
  expect((await call(patch({ sending: { threshold: 0.9 } }))).body['sending']).toEqual({ ...usual, threshold: 0.9 })
  const changed = await call(patch({ sending: { excluded_traits: ['free'] } }))
  expect(changed.body['sending']).toEqual({ threshold: 0.9, excluded_traits: ['free'] })
  expect((await call(ACCOUNT)).body['sending']).toEqual({ threshold: 0.9, excluded_traits: ['free'] })
})

test('a longer retention creates its partitions before it takes effect', async () => {
  const { call } = await api.openCaller({ credits: 10 })
  const isReady = () => asOwner(api.db, (trx) => arePartitionsReady(trx, 120))
  expect(await isReady()).toBe(false)
  expect((await call(patch({ retention_days: 120 }))).status).toBe(200)
  expect(await isReady()).toBe(true)
})

test.each([
  ['starter', 90],
  ['payg', 120],
  ['growth', 180],
])('an account on the plan %s sets a retention of at most %i days', async (plan, max) => {
  const { accountId, call } = await api.openCaller({ plan })
  expect((await call(ACCOUNT)).body).toMatchObject({ limits: { retention_days_max: max } })
  const before = await countPartitions()
  const refused = await call(patch({ retention_days: max + 1 }))
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/retention_days' }] } })
  expect(await countPartitions()).toBe(before)

  // A longer retention set by an operator stays allowed.
  await asOwner(api.db, (trx) => updateRetention(trx, accountId, 200))
  expect((await call(patch({ retention_days: 201 }))).status).toBe(400)
  expect((await call(patch({ retention_days: max }))).status).toBe(200)
})

async function countPartitions(): Promise<number> {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ n: number }>`select count(*) as n from pg_class where relispartition and relkind = 'r'`.execute(trx),
  )
  return rows[0]?.n ?? 0
}

test('another account keeps its settings', async () => {
  const [mine, theirs] = [await api.openCaller(), await api.openCaller()]
  const { body: before } = await theirs.call(ACCOUNT)
  await mine.call(patch({ name: 'mine alone', retention_days: 3 }))
  expect((await theirs.call(ACCOUNT)).body).toEqual(before)
})

test.each([
  { name: '' },
  { name: 'x'.repeat(201) },
  { name: null },
  { retention_days: -1 },
  { retention_days: 366 },
  { retention_days: 1.5 },
  { retention_days: null },
  { sending: {} },
  { sending: { threshold: 0.4 } },
  { sending: { threshold: 1 } },
  { sending: { excluded_traits: ['fools'] } },
  { sending: { excluded_traits: ['role_based', 'role_based'] } },
  { plan: 'scale' },
  {},
])('the change %j is rejected', async (payload) => {
  const { call } = await api.openCaller()
  const { status, body } = await call(patch(payload))
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})

test.each([
  [{ scopes: ['account:read', 'webhooks:write', 'keys:write'] }, { name: 'x' }, '"account:write"'],
  [{ scopes: ['webhooks:write'] }, { retention_days: 3, credits: { low_at: 1 } }, '"account:write"'],
  [{ scopes: ['account:read', 'validations:write'] }, { sending: { threshold: 0.9 } }, '"account:write"'],
  [{ scopes: ['account:write'], mode: 'test' }, { name: 'x' }, 'live key'],
] satisfies [Partial<NewKey>, object, string][])('a key with %j does not change %j', async (key, payload, lacks) => {
  const { call } = await api.openCaller({ key })
  const { status, body } = await call(patch(payload))
  expect([status, body['code']]).toEqual([403, lacks === 'live key' ? 'live_key_required' : 'missing_scope'])
  expect(`${body['detail']} ${body['advice']}`).toContain(lacks)
})

test('a key with account:write alone changes name and retention', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['account:write'] } })
  expect((await call(patch({ name: 'x', retention_days: 7 }))).body).toMatchObject({ name: 'x', retention_days: 7 })
})
