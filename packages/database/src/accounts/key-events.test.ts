import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, connect, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { openTestWebhook, readEvents } from '../webhooks/test-webhooks.ts'
import { announceExpiredKeys, insertKey, lockKey, type NewKey, replaceKey, revokeKey, updateKey } from './keys.ts'

const { db, url } = await createTestDatabase()
/** With the role of maintenance, which has no right on the table of keys. */
const maintenance = connect(url, { connectionsMax: 1, programRole: 'probity_maintenance' })

async function openKey(settings: Partial<NewKey> = {}) {
  const { id: accountId } = await openTestAccount(db, 0)
  const tenant = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(db, accountId, work)
  const { key } = await tenant((trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [], ...settings }),
  )
  await openTestWebhook(db, { accountId, mode: 'live' })
  const change = (changes: Parameters<typeof updateKey>[3]) =>
    tenant((trx) => updateKey(trx, { accountId }, key.id, changes))
  return { accountId, key, tenant, change, events: () => readEvents(db, accountId) }
}

const typesOf = (events: { type: string }[]) => events.map(({ type }) => type)

test('pausing and resuming a key emit one event each, however often it is done', async () => {
  const { change, events } = await openKey()
  for (const pausedAt of [new Date(), new Date(), null, null]) await change({ pausedAt })
  expect(typesOf(await events())).toEqual(['key.paused', 'key.resumed'])
  const [paused, resumed] = await events()
  expect(paused?.body.data.paused_at).toMatch(/Z$/)
  expect(resumed?.body.data.paused_at).toBeNull()
})

test('a change of settings emits key.updated, and a change to the same settings emits nothing', async () => {
  const { key, change, events } = await openKey()
  await change({ name: 'renamed', monthlyCap: 7 })
  await change({ name: 'renamed', scopes: [] })
  expect(await events()).toMatchObject([{ type: 'key.updated', body: { data: { id: key.id, name: 'renamed' } } }])
})

test('a change that also pauses emits both events', async () => {
  const { change, events } = await openKey()
  await change({ name: 'renamed', pausedAt: new Date() })
  expect(typesOf(await events())).toEqual(['key.updated', 'key.paused'])
})

test('a rotation emits key.created for the new key and key.rotated for the old one', async () => {
  const { accountId, key, tenant, events } = await openKey()
  const made = await tenant(async (trx) => {
    const old = await lockKey(trx, { accountId }, key.id)
    return old && replaceKey(trx, old, 60)
  })
  const [created, rotated] = await events()
  expect(created).toMatchObject({
    type: 'key.created',
    body: { data: { id: made?.key.id, replaces_key_id: key.id, replaced_by_key_id: null } },
  })
  expect(rotated).toMatchObject({
    type: 'key.rotated',
    body: { data: { id: key.id, replaces_key_id: null, replaced_by_key_id: made?.key.id } },
  })
  expect(rotated?.body.data.expires_at).toMatch(/Z$/)
})

test('an expired key emits key.expired once, also with several processes at the same time', async () => {
  const { key, events } = await openKey({ expiresAt: new Date(Date.now() - 1_000) })
  await Promise.all([announceExpiredKeys(maintenance, 100), announceExpiredKeys(maintenance, 100)])
  await announceExpiredKeys(maintenance, 100)
  expect(await events()).toMatchObject([{ type: 'key.expired', body: { data: { id: key.id, name: 'key' } } }])
})

test('an expired key without subscriber is not announced later', async () => {
  const { accountId, events } = await openKey({ expiresAt: new Date(Date.now() - 1_000) })
  await asOwner(db, (trx) => sql`delete from webhook_endpoints where account_id = ${accountId}`.execute(trx))
  await announceExpiredKeys(maintenance, 100)
  await openTestWebhook(db, { accountId, mode: 'live' })
  await announceExpiredKeys(maintenance, 100)
  expect(await events()).toEqual([])
})

test('a key that is valid, has no expiry or was revoked emits no key.expired', async () => {
  const later = await openKey({ expiresAt: new Date(Date.now() + 60_000) })
  const never = await openKey()
  const revoked = await openKey({ expiresAt: new Date(Date.now() + 60_000) })
  await revoked.tenant((trx) => revokeKey(trx, { accountId: revoked.accountId }, revoked.key.id))
  await asOwner(db, (trx) =>
    sql`alter table api_keys disable trigger changed; update api_keys set expires_at = clock_timestamp() where id = ${sql.lit(revoked.key.id)};
        alter table api_keys enable trigger changed`.execute(trx),
  )
  await announceExpiredKeys(maintenance, 100)
  expect(typesOf([...(await later.events()), ...(await never.events()), ...(await revoked.events())])).toEqual([
    'key.revoked',
  ])
})
