import { randomUUID } from 'node:crypto'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { insertKey, type NewKey } from '@probity/database/accounts/keys'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../../testing/test-api.ts'

const api = await startTestApi()
const ALL_SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]
const HOUR_MS = 3_600_000
const CAP = 100
const LIMITS = {
  scopes: ['keys:write', 'validations:write', 'account:read'] satisfies KeyScope[],
  expiresAt: new Date(Date.now() + HOUR_MS),
  ipAllowList: ['127.0.0.0/8', '2001:db8:1::/48'],
  monthlyCap: CAP,
}
/** Limits that a key of this test could have given to the keys that it creates. */
const WITHIN = {
  scopes: ['keys:write'],
  expires_at: new Date(Date.now() + HOUR_MS / 2).toISOString(),
  ip_allowlist: ['127.0.0.1'],
  monthly_cap: 10,
}

const later = (ms: number) => new Date(LIMITS.expiresAt.getTime() + ms).toISOString()

/** Each exceeds one limit of the calling key. */
const BEYOND = [
  ...[null, later(1_000), later(86_400_000), '9999-12-31T23:59:59Z'].map((expires_at) => ({ expires_at })),
  ...[
    [],
    ['0.0.0.0/0'],
    ['0.0.0.0/1'],
    ['::/0'],
    ['127.0.0.0/7'],
    ['126.0.0.0/8'],
    ['192.0.2.1'],
    ['127.0.0.1', '192.0.2.1'],
    ['::ffff:127.0.0.0/96'],
    ['::ffff:0:0/96'],
    ['2001:db8:1::/47'],
    ['2001:db8:2::1'],
  ].map((ip_allowlist) => ({ ip_allowlist })),
  ...[null, CAP + 1, 2_147_483_647].map((monthly_cap) => ({ monthly_cap })),
  ...[['account:write'], ['keys:write', 'jobs:read'], ['jobs:write'], ['webhooks:write'], ALL_SCOPES].map((scopes) => ({
    scopes,
  })),
]

async function makeKey({ accountId }: TestClient, key: Partial<NewKey>) {
  return inTenant(api.db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'other', scopes: ALL_SCOPES, ...key }),
  )
}

/** A key with all limits, in an account that has other keys: one without limits, an own one, and one of its own that expired. */
async function openBound() {
  const bound = await api.openCaller({ credits: 10_000, key: { name: 'bound', ...LIMITS } })
  const owner = await makeKey(bound, { name: 'owner' })
  const sibling = await makeKey(bound, { name: 'sibling', ...LIMITS })
  const { body: own } = await bound.call(post({ name: 'own', ...WITHIN }))
  const { body: expired } = await bound.call(post({ name: 'expired', ...WITHIN }))
  await asOwner(api.db, (trx) =>
    sql`update api_keys set expires_at = clock_timestamp() - interval '1 minute' where id = ${String(expired['id'])}`.execute(
      trx,
    ),
  )
  const ids = { itself: bound.keyId, owner: owner.key.id, sibling: sibling.key.id }
  return { bound, ids: { ...ids, own: String(own['id']), expired: String(expired['id']) } }
}

const post = (payload: object) => ({ method: 'POST', url: '/api/v1/keys', payload }) as const
const patch = (id: string, payload: object) => ({ method: 'PATCH', url: `/api/v1/keys/${id}`, payload }) as const
const revoke = (id: string) => ({ method: 'DELETE', url: `/api/v1/keys/${id}` }) as const
const rotate = (id: string) => ({ method: 'POST', url: `/api/v1/keys/${id}/rotate`, payload: {} }) as const

function listKeys({ accountId }: TestClient) {
  const columns = ['id', 'scopes', 'expiresAt', 'ipAllowList', 'monthlyCap', 'pausedAt', 'revokedAt', 'name'] as const
  return inTenant(api.db, accountId, (trx) => trx.selectFrom('apiKeys').select(columns).orderBy('id').execute())
}

type Ids = Awaited<ReturnType<typeof openBound>>['ids']

const PAGE = { type: 'publishable', allowed_origins: ['https://www.example.com'] }

type Attempt = readonly [name: string, request: (ids: Ids) => InjectOptions]

const ATTEMPTS: Attempt[] = [
  ...BEYOND.map(
    (beyond) => [`create ${JSON.stringify(beyond)}`, () => post({ name: 'x', ...WITHIN, ...beyond })] as const,
  ),
  ...BEYOND.map(
    (beyond) => [`change its own key to ${JSON.stringify(beyond)}`, ({ own }: Ids) => patch(own, beyond)] as const,
  ),
  ...[{ expires_at: null }, { ip_allowlist: [] }, { monthly_cap: null }, { monthly_cap: CAP + 1 }].flatMap((beyond) => [
    [`create for pages ${JSON.stringify(beyond)}`, () => post({ name: 'x', ...PAGE, ...beyond })] as const,
    [`create for test mode ${JSON.stringify(beyond)}`, () => post({ name: 'x', livemode: false, ...beyond })] as const,
  ]),
  ...[
    ...BEYOND,
    { name: 'renamed' },
    { paused: false },
    { expires_at: WITHIN.expires_at },
    { ip_allowlist: WITHIN.ip_allowlist },
    { monthly_cap: 1 },
    { scopes: ['keys:write'] },
  ].map(
    (change) => [`change itself to ${JSON.stringify(change)}`, ({ itself }: Ids) => patch(itself, change)] as const,
  ),
  ...[{ name: 'renamed' }, { paused: true }, { scopes: ['keys:write'] }, { monthly_cap: 10 }, WITHIN].flatMap(
    (change) => [
      [`change the owner's key to ${JSON.stringify(change)}`, ({ owner }: Ids) => patch(owner, change)] as const,
      [`change a key of others to ${JSON.stringify(change)}`, ({ sibling }: Ids) => patch(sibling, change)] as const,
    ],
  ),
  ...[{ name: 'renamed' }, { paused: false }, { expires_at: WITHIN.expires_at }, { expires_at: null }, WITHIN].map(
    (change) =>
      [`change an expired key to ${JSON.stringify(change)}`, ({ expired }: Ids) => patch(expired, change)] as const,
  ),
  ['rotate the owner key', ({ owner }) => rotate(owner)],
  ['rotate a key of others', ({ sibling }) => rotate(sibling)],
  ['rotate an expired key', ({ expired }) => rotate(expired)],
  ['revoke the owner key', ({ owner }) => revoke(owner)],
  ['revoke a key of others', ({ sibling }) => revoke(sibling)],
]

test(`a key with scope keys:write, an expiry, an IP allowlist and a cap makes ${ATTEMPTS.length} attempts to escape, and none works`, async () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(50)
  const { bound, ids } = await openBound()
  const before = await listKeys(bound)
  for (const [name, request] of ATTEMPTS) {
    const { status, body } = await bound.call(request(ids))
    expect([name, body['code']]).toEqual([
      name,
      expect.stringMatching(/^(scope_not_grantable|exceeds_own_key|inactive_api_key)$/),
    ])
    expect(status).toBeGreaterThanOrEqual(400)
  }
  expect(await listKeys(bound)).toEqual(before)
})

test('a key creates and changes keys within its limits', async () => {
  const { bound, ids } = await openBound()
  expect((await bound.call(post({ name: 'x', ...WITHIN }))).status).toBe(201)
  const changes = [
    { name: 'renamed' },
    { paused: true },
    { monthly_cap: 5 },
    { monthly_cap: CAP },
    { scopes: ['account:read'] },
  ]
  for (const change of changes)
    expect([change, (await bound.call(patch(ids.own, change))).status]).toEqual([change, 200])
  expect((await bound.call(rotate(ids.own))).status).toBe(201)
})

test('a key revokes the keys that it created and then itself', async () => {
  const { bound, ids } = await openBound()
  // Its own limits were lowered after it created the key.
  await asOwner(api.db, (trx) =>
    sql`update api_keys set scopes = '{keys:read,keys:write}', expires_at = clock_timestamp() + interval '1 minute' where id = ${bound.keyId}`.execute(
      trx,
    ),
  )
  for (const id of [ids.own, ids.expired, bound.keyId])
    expect([id, (await bound.call(revoke(id))).status]).toEqual([id, 200])
})

test('a key without cap revokes other keys within its limits, and no stronger ones', async () => {
  const scopes: KeyScope[] = ['keys:write', 'jobs:read']
  const caller = await api.openCaller({ key: { scopes } })
  const [weaker, stronger] = [
    await makeKey(caller, { scopes: ['jobs:read'] }),
    await makeKey(caller, { scopes: ['jobs:write'] }),
  ]
  expect((await caller.call(revoke(weaker.key.id))).status).toBe(200)
  expect((await caller.call(revoke(stronger.key.id))).body['code']).toBe('scope_not_grantable')
})

test('a chain of keys that create each other ends with the twentieth', async () => {
  const first = await api.openCaller({ key: { scopes: ['keys:write'] } })
  let text = first.key
  for (let n = 2; n <= 20; n++) {
    const { status, body } = await callApp(api.app, {
      ...post({ name: `key ${n}`, scopes: ['keys:write'] }),
      headers: { 'x-api-key': text },
    })
    expect([n, status]).toEqual([n, 201])
    text = String(body['key'])
  }
  const { status, body } = await callApp(api.app, {
    ...post({ name: 'key 21', scopes: ['keys:write'] }),
    headers: { 'x-api-key': text },
  })
  expect([status, body]).toMatchObject([
    403,
    { code: 'exceeds_own_key', detail: 'A chain of keys has at most 20 keys.' },
  ])
})

test('limits that the request leaves out are those of the calling key', async () => {
  const { bound } = await openBound()
  const inherited = { expires_at: LIMITS.expiresAt.toISOString(), ip_allowlist: LIMITS.ipAllowList, monthly_cap: CAP }
  for (const extra of [{ scopes: ['keys:write'] }, PAGE, { livemode: false }]) {
    const { status, body } = await bound.call(post({ name: 'x', ...extra }))
    expect([status, body]).toEqual([201, expect.objectContaining(inherited)])
  }
})

test('a key without limits of its own creates and changes any key', async () => {
  const owner = await api.openCaller()
  const { body } = await owner.call(post({ name: 'x', ...WITHIN }))
  const free = { expires_at: null, ip_allowlist: [], monthly_cap: null, scopes: ALL_SCOPES }
  expect((await owner.call(patch(String(body['id']), free))).body).toMatchObject(free)
})

async function spend({ accountId }: TestClient, keyId: unknown, credits: number) {
  const charge = { kind: 'charge' as const, credits, subject: randomUUID(), keyId: String(keyId) }
  return (await inTenant(api.db, accountId, (trx) => postCredits(trx, charge))).kind
}

test('credits of created keys count toward the cap of the creator, over any number of generations', async () => {
  const { bound } = await openBound()
  const { body: child } = await bound.call(post({ name: 'child', scopes: ['keys:write'], monthly_cap: CAP }))
  const asChild = (request: object) => callApp(api.app, { ...request, headers: { 'x-api-key': String(child['key']) } })
  const { body: grandchild } = await asChild(post({ name: 'grandchild', monthly_cap: CAP }))
  expect(await spend(bound, grandchild['id'], 60)).toBe('posted')
  expect(await spend(bound, child['id'], 41)).toBe('over_cap')
  expect(await spend(bound, bound.keyId, 41)).toBe('over_cap')
  expect((await bound.call(post({ name: 'x', scopes: ['keys:write'], monthly_cap: 41 }))).body['code']).toBe(
    'exceeds_own_key',
  )
  expect(await spend(bound, bound.keyId, 40)).toBe('posted')
  for (const { id } of [child, grandchild]) expect(await spend(bound, id, 1)).toBe('over_cap')
  const { body: late } = await bound.call(post({ name: 'late', scopes: ['keys:write'] }))
  expect(late).toMatchObject({ monthly_cap: 0 })
})

test('a rotated key and its successor share one monthly cap, and the successor keeps the limits', async () => {
  const { bound } = await openBound()
  expect(await spend(bound, bound.keyId, 90)).toBe('posted')
  const { status, body } = await bound.call(rotate(bound.keyId))
  expect([status, body]).toEqual([201, expect.objectContaining({ monthly_cap: CAP, ip_allowlist: LIMITS.ipAllowList })])
  expect(body['expires_at']).toBe(LIMITS.expiresAt.toISOString())
  expect(await spend(bound, body['id'], 11)).toBe('over_cap')
  expect(await spend(bound, body['id'], 10)).toBe('posted')
  expect(await spend(bound, bound.keyId, 1)).toBe('over_cap')
  // The old key still works, and for it the successor is another key.
  expect((await bound.call(patch(String(body['id']), { name: 'x' }))).body['code']).toBe('exceeds_own_key')
})

test('an expired key stays expired, also for members and in the database', async () => {
  const { bound, ids } = await openBound()
  const owner = await makeKey(bound, { name: 'all' })
  const asOwnerKey = (request: object) => callApp(api.app, { ...request, headers: { 'x-api-key': owner.text } })
  expect((await asOwnerKey(patch(ids.expired, { expires_at: null }))).body['code']).toBe('inactive_api_key')
  const revive = inTenant(api.db, bound.accountId, (trx) =>
    trx.updateTable('apiKeys').set({ expiresAt: null }).where('id', '=', ids.expired).execute(),
  )
  await expect(revive).rejects.toThrow('an expired key stays expired')
})
