import { readdirSync } from 'node:fs'
import { listDrift } from '@probity/database/billing/ledger'
import { keepSubscription, saveCustomer } from '@probity/database/billing/payments'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { removeClosedAccounts } from '@probity/database/system/account-deletion'
import { deleteExpiredUploads } from '@probity/database/system/retention'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { addMember, PASSWORD, signUp, startUsersApi } from '../../testing/test-browser.ts'
import { findText as findTextIn } from '../../testing/test-find-text.ts'
import { type FullAccount, openFullAccount } from '../../testing/test-full-account.ts'

const api = await startUsersApi()

function remove({ owner, account, canary }: FullAccount, changes: object = {}) {
  return owner.post('/deletion', { name: `Org ${canary}`, password: PASSWORD, ...changes }, account)
}

const findText = (text: string) => findTextIn(api, text)

test('GET lists the data that is deleted with the account', async () => {
  const full = await openFullAccount(api)
  const { status, body } = await full.owner.get('/deletion', full.account)
  const counts = { jobs: 2, running_jobs: 1, keys: 1, members: 1, webhooks: 1, overrides: 1 }
  expect([status, body]).toEqual([
    200,
    { name: `Org ${full.canary}`, ...counts, credits: 0, unlimited: true, subscribed: false },
  ])
}, 240_000)

test('deletion stops keys within a second, removes members, ends jobs and finally leaves only amounts', async () => {
  const [full, neighbour] = [await openFullAccount(api), await openFullAccount(api)]
  const before = await findText(full.canary)
  expect(before).toEqual(expect.arrayContaining(['invitations', 'jobs', 'overrides', 'users', 'validations']))
  expect(await findText(full.accountId)).toContain('result_chunks') // compressed, so that text search cannot find it
  expect(before).toEqual(
    expect.arrayContaining(['idempotency_records', 'uploads', 'uncollected_results', 'webhook_events']),
  )
  const neighbourBefore = await findText(neighbour.accountId)

  expect((await remove(full)).status).toBe(204)
  const account = { method: 'GET' as const, url: '/api/v1/account' }
  await vi.waitFor(async () => expect((await full.key.call(account)).body['code']).toBe('revoked_api_key'), 1_000)
  expect((await full.owner.get('/account', full.account)).status).toBe(404)
  expect((await full.owner.get('/session')).body['memberships']).toEqual([])
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ state: string; reserved: number }>`
      select j.state, a.reserved from jobs j join accounts a on a.id = j.account_id
      where j.account_id = ${full.accountId} order by j.created_at`.execute(trx),
  )
  expect(rows.map(({ state }) => state)).toEqual(['completed', 'canceled'])

  await deleteExpiredUploads(api.db, api.services.storage)
  expect(await removeClosedAccounts(api.db, 3_600)).toBe(0)
  expect(await removeClosedAccounts(api.db, 0)).toBe(1)
  // The user remains and can sign in again, without being a member of the account.
  expect(await findText(full.canary)).toEqual(['users'])
  expect(await findText(full.accountId)).toEqual(['audit_entries', 'ledger'])
  const { rows: told } = await asOwner(api.db, (trx) =>
    sql`select action, actor_name, ip from audit_entries where account_id = ${full.accountId}`.execute(trx),
  )
  expect(told).toEqual([{ action: 'account.deleted', actorName: null, ip: null }])
  expect((await full.key.call(account)).status).toBe(401)

  expect(await findText(neighbour.accountId)).toEqual(neighbourBefore)
  expect((await neighbour.key.call(account)).status).toBe(200)
  expect((await neighbour.owner.get('/account', neighbour.account)).status).toBe(200)
  expect(await asOwner(api.db, listDrift)).toEqual([])
  const { storage } = api.config
  const files = storage.kind === 'folder' ? readdirSync(storage.folder, { recursive: true, withFileTypes: true }) : []
  // The uploads of the other account, each with its preview.
  expect(files.filter((file) => file.isFile())).toHaveLength(8)
}, 240_000)

test('deletion requires the account name, the password and an owner', async () => {
  const full = await openFullAccount(api)
  const refused = [await remove(full, { name: 'Another' }), await remove(full, { password: 'not the right one' })]
  expect(refused.map(({ status, body }) => [status, body['errors']])).toEqual([
    [400, [{ pointer: '/name', detail: expect.stringContaining('not the name') }]],
    [400, [{ pointer: '/password', detail: 'The password is incorrect.' }]],
  ])
  const admin = await signUp(api)
  await addMember(api, full.accountId, admin, 'admin')
  const asAdmin = await remove({ ...full, owner: admin })
  expect([asAdmin.status, asAdmin.body['code']]).toEqual([403, 'missing_role'])
  expect((await admin.get('/deletion', full.account)).status).toBe(403)
  expect((await full.owner.get('/account', full.account)).status).toBe(200)
}, 240_000)

test('an account with a paid plan cannot be deleted until the subscription ends', async () => {
  const full = await openFullAccount(api)
  await inTenant(api.db, full.accountId, async (trx) => {
    await saveCustomer(trx, full.accountId, `cus_${full.accountId}`)
    const subscription = { id: `sub_${full.accountId}`, price: 'price_x', isPaid: true, beganAt: new Date() }
    await keepSubscription(trx, { ...subscription, checkedAt: new Date().toISOString() })
  })
  expect((await full.owner.get('/deletion', full.account)).body['subscribed']).toBe(true)
  const { status, body } = await remove(full)
  expect([status, body['code']]).toEqual([409, 'already_subscribed'])
  expect((await full.owner.get('/account', full.account)).status).toBe(200)
}, 240_000)
