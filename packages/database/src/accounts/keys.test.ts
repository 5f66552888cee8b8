import { createHash, randomUUID } from 'node:crypto'
import { isWellFormedKey } from '@probity/contract/constants/keys'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant, withoutTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import {
  findAuthKey,
  findKey,
  hashKey,
  insertKey,
  type KeyChange,
  type KeyView,
  listChangedKeys,
  listKeys,
  type NewKey,
  recordKeyUse,
  revokeKey,
  updateKey,
} from './keys.ts'

const { db } = await createTestDatabase()

async function makeKey(accountId: string, key: Partial<NewKey> = {}) {
  return inTenant(db, accountId, (trx) => insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [], ...key }))
}

async function openAccountWithKey(key: Partial<NewKey> = {}) {
  const { id: accountId } = await openTestAccount(db, 0)
  const made = await makeKey(accountId, key)
  return { accountId, keyId: made.key.id, text: made.text }
}

const find = (view: KeyView, keyId: string) => inTenant(db, view.accountId, (trx) => findKey(trx, view, keyId))
const list = (view: KeyView, page = { skip: 0, limit: 100 }) =>
  inTenant(db, view.accountId, (trx) => listKeys(trx, view, page))
const update = (view: KeyView, keyId: string, change: KeyChange) =>
  inTenant(db, view.accountId, (trx) => updateKey(trx, view, keyId, change))
const revoke = (view: KeyView, keyId: string) => inTenant(db, view.accountId, (trx) => revokeKey(trx, view, keyId))

test('insertKey creates a well-formed key of its mode and stores only its hash and hint', async () => {
  for (const mode of ['live', 'test'] as const) {
    const { accountId, keyId, text } = await openAccountWithKey({ mode })
    expect(isWellFormedKey(text)).toBe(true)
    expect(text).toMatch(new RegExp(`^pb_${mode}_`))

    const { rows } = await inTenant(db, accountId, (trx) =>
      sql<{ hash: Buffer; row: string }>`
        select hash, to_jsonb(k)::text as row from api_keys k where id = ${keyId}`.execute(trx),
    )
    expect(rows[0]?.hash).toEqual(createHash('sha256').update(text).digest())
    expect(rows[0]?.row).not.toContain(text.slice('pb_live_'.length, -4))
    expect(rows[0]?.row).toContain(`pb_${mode}_…${text.slice(-4)}`)
  }
})

test('insertKey adds the read scope of a write scope, except for publishable keys', async () => {
  const { id } = await openTestAccount(db, 0)
  const secret = await makeKey(id, { scopes: ['webhooks:write', 'jobs:write'] })
  expect(secret.key.scopes).toEqual(['jobs:read', 'jobs:write', 'webhooks:read', 'webhooks:write'])
  const page = { kind: 'publishable', allowedOrigins: ['https://www.example.com'], visitorCap: 1 } as const
  const publishable = await makeKey(id, {
    ...page,
    allowedOrigins: [...page.allowedOrigins],
    scopes: ['validations:write'],
  })
  expect(publishable.key.scopes).toEqual(['validations:write'])
})

test.each([
  ['an unknown scope', 'secret', '{validation}'],
  ['a write scope without its read scope', 'secret', '{jobs:write,keys:read}'],
  ['a read scope of a publishable key', 'publishable', '{validations:read,validations:write}'],
])('the table rejects %s', async (_, kind, scopes) => {
  const { id } = await openTestAccount(db, 0)
  const insert = (stored: string) =>
    inTenant(db, id, (trx) =>
      sql`insert into api_keys (account_id, mode, name, hash, hint, scopes, kind, allowed_origins, allowed_policies, visitor_cap)
        select ${id}, 'live', 'key', ${hashKey(randomUUID())}, 'hint', ${stored}::text[], ${kind},
          case ${kind} when 'publishable' then array['https://www.example.com'] else '{}' end,
          case ${kind} when 'publishable' then array['signup'] else '{}' end,
          case ${kind} when 'publishable' then 1 end`.execute(trx),
    )
  await expect(insert(scopes)).rejects.toThrow(/violates check constraint/)
  await insert(kind === 'publishable' ? '{validations:write}' : '{jobs:read}')
})

test('insertKey never creates the same key twice', async () => {
  const { id } = await openTestAccount(db, 0)
  const made = await Promise.all(Array.from({ length: 20 }, () => makeKey(id)))
  expect(new Set(made.map(({ text }) => text)).size).toBe(20)
})

test('findAuthKey finds a key of any account by its hash, with the features of its plan', async () => {
  for (const plan of ['payg', 'free']) {
    const { id: accountId } = await openTestAccount(db, 0, { plan })
    const { text, key } = await makeKey(accountId, { scopes: ['validations:write'], ipAllowList: ['192.0.2.0/24'] })
    const found = await findAuthKey(db, hashKey(text))
    expect(found).toMatchObject({ id: key.id, accountId, mode: 'live', plan, apiAccess: plan === 'payg' })
    expect(found).toMatchObject({
      scopes: ['validations:read', 'validations:write'],
      ipAllowList: ['192.0.2.0/24'],
      retentionDays: 30,
    })
    expect(found).toMatchObject({ windowS: 60, requestsPerWindow: plan === 'payg' ? 6000 : 60, revokedAt: null })
  }
})

test('findAuthKey finds nothing by a wrong hash or half of a correct one', async () => {
  const { text } = await openAccountWithKey()
  const hash = hashKey(text)
  for (const wrong of [hashKey(`${text} `), hash.subarray(0, 16), Buffer.concat([hash, hash]), Buffer.alloc(0)]) {
    expect(await findAuthKey(db, wrong)).toBeUndefined()
  }
})

test('findAuthKey returns the revocation, pause and expiry of a key', async () => {
  const { accountId, keyId, text } = await openAccountWithKey()
  const at = new Date('2026-01-02T03:04:05Z')
  await update({ accountId }, keyId, { pausedAt: at, expiresAt: at })
  expect(await findAuthKey(db, hashKey(text))).toMatchObject({ pausedAt: at, expiresAt: at, revokedAt: null })
  await revoke({ accountId }, keyId)
  expect(await findAuthKey(db, hashKey(text))).toMatchObject({ revokedAt: expect.any(Date) })
})

/** Sets the last change of all keys to an hour ago. */
async function ageChanges() {
  await asOwner(db, async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx) // otherwise the trigger would record this as a change
    await sql`update api_keys set changed_at = changed_at - interval '1 hour'`.execute(trx)
  })
}

type Owned = { accountId: string; keyId: string }
const CHANGES: [string, (key: Owned) => Promise<unknown>][] = [
  ['a revocation', ({ accountId, keyId }) => revoke({ accountId }, keyId)],
  ['a pause', ({ accountId, keyId }) => update({ accountId }, keyId, { pausedAt: new Date() })],
  ['a new name', ({ accountId, keyId }) => update({ accountId }, keyId, { name: 'renamed' })],
  ['other scopes', ({ accountId, keyId }) => update({ accountId }, keyId, { scopes: ['jobs:read'] })],
  ['another plan', ({ accountId }) => changeAccount(accountId, sql`plan = 'starter'`)],
  ['another retention', ({ accountId }) => changeAccount(accountId, sql`retention_days = 7`)],
  ['another bounce tolerance', ({ accountId }) => changeAccount(accountId, sql`send_threshold = 0.9`)],
]

function changeAccount(accountId: string, change: ReturnType<typeof sql>) {
  return asOwner(db, (trx) => sql`update accounts set ${change} where id = ${accountId}`.execute(trx))
}

test.for(CHANGES)('%s changes the key for all processes', async ([, change]) => {
  const { accountId, keyId } = await openAccountWithKey()
  const bystander = await openAccountWithKey()
  await ageChanges()
  expect(await listChangedKeys(db, 60)).toEqual([])

  await change({ accountId, keyId })
  expect(await listChangedKeys(db, 60)).toEqual([keyId])
  expect(await listChangedKeys(db, 7200)).toEqual(expect.arrayContaining([keyId, bystander.keyId]))
})

test('the use of a key does not count as a change', async () => {
  const { keyId } = await openAccountWithKey()
  await ageChanges()
  const now = new Date()
  await recordKeyUse(db, [{ keyId, requests: 3, lastUsedAt: now }])
  await recordKeyUse(db, [{ keyId, requests: 3, lastUsedAt: now }])
  expect(await listChangedKeys(db, 60)).toEqual([])
})

test('a revoked key stays revoked after every statement that the role of the API may run', async () => {
  const { accountId, keyId } = await openAccountWithKey()
  const first = await revoke({ accountId }, keyId)
  expect(await revoke({ accountId }, keyId)).toEqual(first)
  expect(await update({ accountId }, keyId, { name: 'back again' })).toBeUndefined()

  const attempts = [
    sql`update api_keys set revoked_at = null where id = ${keyId}`,
    sql`update api_keys set revoked_at = now() + interval '1 day' where id = ${keyId}`,
  ]
  for (const attempt of attempts) {
    await expect(inTenant(db, accountId, (trx) => attempt.execute(trx))).rejects.toThrow('stays revoked')
  }
  const removal = sql`delete from api_keys where id = ${keyId}`
  await expect(inTenant(db, accountId, (trx) => removal.execute(trx))).rejects.toThrow('permission denied')
  expect(await find({ accountId }, keyId)).toEqual(first)
})

async function listRequests(accountId: string) {
  const usage = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('usageDays').select(['keyId', 'requests']).where('accountId', '=', accountId).execute(),
  )
  return new Map(usage.map(({ keyId, requests }) => [keyId, requests]))
}

test("reports of use add up in the day's usage and never move the last use backward", async () => {
  const { accountId, keyId } = await openAccountWithKey()
  const [early, late] = [new Date('2026-01-01T10:00:00Z'), new Date('2026-01-01T11:00:00Z')]
  const lastUsedAfter = async (lastUsedAt: Date) => {
    await recordKeyUse(db, [{ keyId, requests: 2, lastUsedAt }])
    return (await find({ accountId }, keyId))?.lastUsedAt
  }

  expect(await lastUsedAfter(early)).toEqual(early)
  expect(await lastUsedAfter(late)).toEqual(late)
  expect(await lastUsedAfter(early)).toEqual(late)
  expect(await listRequests(accountId)).toEqual(new Map([[keyId, 6]]))
})

test('the last request is the latest one, in any order of reports, and is not a change of the key', async () => {
  const { accountId, keyId } = await openAccountWithKey()
  await ageChanges()
  const request = (occurred_at: string, http_status: number) => ({
    occurred_at,
    method: 'GET',
    route: '/api/v1/account',
    http_status,
    duration_ms: 3,
  })
  const [early, late] = [request('2026-01-01T10:00:00.000Z', 200), request('2026-01-01T11:00:00.000Z', 403)]
  const after = async (lastRequest?: typeof early) => {
    await recordKeyUse(db, [{ keyId, requests: 1, lastUsedAt: new Date('2026-01-01T09:00:00Z'), lastRequest }])
    return (await find({ accountId }, keyId))?.lastRequest
  }
  expect(await after()).toBeNull()
  expect(await after(early)).toEqual(early)
  expect(await after(late)).toEqual(late)
  expect(await after(early)).toEqual(late)
  expect(await after()).toEqual(late)
  expect(await listChangedKeys(db, 60)).toEqual([])
})

test('a report with a deleted key is recorded for the other keys', async () => {
  const { accountId, keyId } = await openAccountWithKey()
  const use = { requests: 1, lastUsedAt: new Date() }
  await recordKeyUse(db, [
    { keyId: randomUUID(), ...use },
    { keyId, ...use },
  ])
  expect(await listRequests(accountId)).toEqual(new Map([[keyId, 1]]))
})

test('20 concurrent reports about the same keys in different orders neither deadlock nor lose a count', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => openAccountWithKey()))
  const more = await Promise.all(
    accounts.flatMap(({ accountId }) => Array.from({ length: 9 }, () => makeKey(accountId))),
  )
  const keyIds = [...accounts.map(({ keyId }) => keyId), ...more.map(({ key }) => key.id)]
  const reports = Array.from({ length: 20 }, (_, n) => {
    const turned = [...keyIds.slice(n), ...keyIds.slice(0, n)]
    const uses = turned.map((keyId) => ({ keyId, requests: n + 1, lastUsedAt: new Date() }))
    return n % 2 === 0 ? uses : uses.toReversed()
  })
  await Promise.all(reports.map((uses) => recordKeyUse(db, uses)))

  const counted = await Promise.all(accounts.map(({ accountId }) => listRequests(accountId)))
  expect(counted.flatMap((requests) => [...requests.values()])).toEqual(keyIds.map(() => 210))
})

test('concurrent reports of use and plan changes do not deadlock', async () => {
  const { accountId } = await openAccountWithKey()
  const keys = await Promise.all(Array.from({ length: 40 }, () => makeKey(accountId)))
  for (let round = 0; round < 15; round++) {
    const plan = round % 2 === 0 ? 'growth' : 'scale'
    const uses = keys.map(({ key }) => ({ keyId: key.id, requests: 1, lastUsedAt: new Date() }))
    await Promise.all([recordKeyUse(db, uses), changeAccount(accountId, sql`plan = ${plan}`), recordKeyUse(db, uses)])
  }
  expect([...(await listRequests(accountId)).values()]).toEqual(keys.map(() => 30))
})

test('a test key reads and changes test keys only', async () => {
  const { accountId, keyId: live } = await openAccountWithKey({ mode: 'live' })
  const sandbox = (await makeKey(accountId, { mode: 'test' })).key.id
  const view = { accountId, mode: 'test' } as const

  expect(await find(view, live)).toBeUndefined()
  expect(await update(view, live, { name: 'mine' })).toBeUndefined()
  expect(await revoke(view, live)).toBeUndefined()
  expect(await find({ accountId }, live)).toMatchObject({ name: 'key', revokedAt: null })

  expect(await list(view)).toMatchObject({ keys: [{ id: sandbox }], total: 1 })
  expect(await update(view, sandbox, { name: 'mine' })).toMatchObject({ name: 'mine' })
  expect(await revoke(view, sandbox)).toMatchObject({ revokedAt: expect.any(Date) })
})

test("another account's key is not found", async () => {
  const { keyId } = await openAccountWithKey()
  const { id: accountId } = await openTestAccount(db, 0)
  expect(await find({ accountId }, keyId)).toBeUndefined()
  expect(await update({ accountId }, keyId, { name: 'mine' })).toBeUndefined()
  expect(await revoke({ accountId }, keyId)).toBeUndefined()
  expect(await list({ accountId })).toEqual({ keys: [], total: 0 })
})

test('listKeys returns pages, newest first, with the total', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await makeKey(accountId)).key.id)

  const pages = await Promise.all([0, 2, 4, 6].map((skip) => list({ accountId }, { skip, limit: 2 })))
  const ids = pages.map(({ keys }) => keys.map(({ id }) => id))
  expect(ids).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4), []])
  expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5])
})

test('listKeys returns neither a key nor its hash', async () => {
  const { accountId } = await openAccountWithKey()
  const { keys } = await list({ accountId })
  expect(keys[0]).not.toHaveProperty('hash')
  expect(await withoutTenant(db, (trx) => trx.selectFrom('apiKeys').select('hash').execute())).toEqual([])
})
