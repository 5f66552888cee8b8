import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { addMember, openNewAccount, signUp, startUsersApi } from '../testing/test-browser.ts'
import { startJob } from '../testing/test-jobs.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const operator = await signUpOperator(api)

type Seen = { id: string; name: string; available: number; plan: string; suspended_at: string | null }

async function find(search: string): Promise<Seen[]> {
  const { status, body } = await operator.get(`/operator/accounts?search=${encodeURIComponent(search)}`)
  expect(status).toBe(200)
  return body['accounts'] as Seen[]
}

async function entriesOf(accountId: string) {
  const { body } = await operator.get(`/operator/audit-log?account=${accountId}`)
  return body['entries'] as Record<string, unknown>[]
}

test('accounts are found by a part of the name or the start of the id, without addresses', async () => {
  const owner = await signUp(api)
  const { 'probity-account': id } = await openNewAccount(owner, 'Difference Engines 100%')
  const viewer = await signUp(api)
  await addMember(api, id, viewer, 'viewer')
  for (const search of ['difference ENGINES', '100%', id.slice(0, 13), id]) {
    const found = await find(search)
    expect(found.map((account) => account.id)).toContain(id)
  }
  expect(await find('nothing is called like this')).toEqual([])
  const [account] = await find(id)
  expect(account).toMatchObject({ name: 'Difference Engines 100%', plan: 'payg', unlimited: true, members: 2, keys: 0 })
  expect(JSON.stringify(account)).not.toContain('@')
})

test('operators grant and deduct credits with a note, within the balance, and both are audited', async () => {
  const { accountId } = await api.openCaller({ credits: 5 })
  const post = (body: object) => operator.post(`/operator/accounts/${accountId}/credits`, body)
  const given = await post({ credits: 100, note: 'Invoice 7' })
  expect([given.status, given.body['available']]).toEqual([200, 105])
  const taken = await post({ credits: -30, note: 'Mistyped' })
  expect([taken.status, taken.body['available']]).toEqual([200, 75])
  const tooMuch = await post({ credits: -76, note: 'Too much' })
  expect([tooMuch.status, tooMuch.body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/credits' })]])
  expect((await post({ credits: 1 })).status).toBe(400)
  expect((await post({ credits: 0, note: 'Nothing' })).status).toBe(400)

  const told = (await entriesOf(accountId)).filter(({ action }) => String(action).startsWith('credits.'))
  expect(told).toEqual([
    expect.objectContaining({ action: 'credits.taken', changes: { credits: [null, 30], note: [null, 'Mistyped'] } }),
    expect.objectContaining({
      action: 'credits.granted',
      actor: 'operator',
      actor_id: operator.personId,
      actor_name: 'Ada',
      ip: operator.ip,
      changes: { credits: [null, 100], note: [null, 'Invoice 7'] },
    }),
    expect.objectContaining({ action: 'credits.granted', actor: 'service' }), // those of openCaller
  ])
})

test('a plan change to an existing plan applies to keys within a second', async () => {
  const caller = await api.openCaller({ plan: 'free' })
  const call = () => caller.call({ method: 'GET', url: '/api/v1/account' })
  expect((await call()).body['code']).toBe('api_not_in_plan')
  const url = `/operator/accounts/${caller.accountId}/plan`
  expect((await operator.post(url, { plan: 'golden' })).status).toBe(400)
  expect((await operator.post(url, { plan: 'scale' })).body['plan']).toBe('scale')
  await vi.waitFor(async () => expect((await call()).status).toBe(200), 3_000)
  expect(await entriesOf(caller.accountId)).toContainEqual(
    expect.objectContaining({ action: 'account.plan_changed', changes: { plan: ['free', 'scale'] } }),
  )
})

test('a suspended account is rejected by key and session, its lists are paused, and it can be reactivated', async () => {
  const caller = await api.openCaller({ credits: 50 })
  const member = await signUp(api)
  await addMember(api, caller.accountId, member, 'owner')
  const here = { 'probity-account': caller.accountId }
  const job = await startJob(caller, 2)
  const call = () => caller.call({ method: 'GET', url: '/api/v1/account' })
  expect((await call()).status).toBe(200)

  const suspended = await operator.post(`/operator/accounts/${caller.accountId}/suspend`)
  expect(suspended.body['suspended_at']).toEqual(expect.any(String))
  await vi.waitFor(async () => expect((await call()).body['code']).toBe('account_suspended'), 3_000)
  const spent = await member.post('/validation/single', { email: 'ada@example.com', timeout: 1 }, here)
  expect([spent.status, spent.body['code']]).toEqual([403, 'account_suspended'])
  expect((await member.get('/account', here)).status).toBe(200)
  const paused = await asOwner(api.db, (trx) =>
    trx.selectFrom('jobs').select('pausedAt').where('id', '=', job).executeTakeFirstOrThrow(),
  )
  expect(paused.pausedAt).not.toBeNull()

  const again = await operator.post(`/operator/accounts/${caller.accountId}/suspend`)
  expect(again.body['suspended_at']).toBe(suspended.body['suspended_at'])
  const back = await operator.post(`/operator/accounts/${caller.accountId}/reactivate`)
  expect(back.body['suspended_at']).toBeNull()
  await vi.waitFor(async () => expect((await call()).status).toBe(200), 3_000)
  const told = (await entriesOf(caller.accountId)).map(({ action }) => action)
  expect(told.filter((action) => /suspended|reactivated/.test(String(action)))).toEqual([
    'account.reactivated',
    'account.suspended',
  ])
})

test('operator actions on an unknown account return 404', async () => {
  const nowhere = '/operator/accounts/00000000-0000-0000-0000-000000000001'
  for (const [verb, body] of [
    ['credits', { credits: 1, note: 'x' }],
    ['plan', { plan: 'payg' }],
    ['suspend', {}],
    ['reactivate', {}],
  ] as const) {
    expect((await operator.post(`${nowhere}/${verb}`, body)).status).toBe(404)
  }
})

test('the operator role can read no address, result or secret and write no audit entry', async () => {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ column: string }>`
      select c.relname || '.' || a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
        and a.attname ~ '(email|results?$|provisional|body|secret|hash|token|password|filename|address|data|url)'
        and has_column_privilege('probity_operator', c.oid, a.attnum, 'select') and c.relname <> 'plans'`.execute(trx),
  )
  expect(rows).toEqual([])
})

test('GET /operator/accounts responds with 400 to a search with NUL, which PostgreSQL rejects', async () => {
  expect((await operator.get('/operator/accounts?search=%00')).status).toBe(400)
})
