import { randomUUID } from 'node:crypto'
import { BUILT_IN_POLICIES } from '@probity/contract/constants/data/policies'
import { OVERRIDES_AT_ONCE_MAX, OVERRIDES_MAX } from '@probity/contract/constants/policies'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import type { Override } from '@probity/contract/schemas/overrides'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { parse } from 'csv-parse/sync'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { ALL_FEATURES } from '../../http/validation-options.ts'
import { callApp, startTestApi, type TestClient } from '../../testing/test-api.ts'
import { balancesOf, startPlainWorker } from '../../testing/test-plain-worker.ts'

const api = await startTestApi()
startPlainWorker(api.db, (email) => ({
  ...pendingResult(email, 'not_probed'),
  ...(email.startsWith('nobody') && { status: 'invalid', sub_status: 'mailbox_not_found' }),
  ...(/^vera/i.test(email) && { status: 'valid', sub_status: '', is_valid: true, safe_to_send: true }),
  ...(email.startsWith('rick') && { status: 'risky', sub_status: 'catch_all' }),
}))

function add(caller: TestClient, action: 'allow' | 'block', targets: string[], note?: string) {
  const payload = { action, targets, ...(note !== undefined && { note }) }
  return caller.call({ method: 'POST', url: '/api/v1/overrides', payload })
}

async function listOverrides(caller: TestClient, query = ''): Promise<Override[]> {
  const { status, text } = await caller.call({ method: 'GET', url: `/api/v1/overrides${query}` })
  expect(status).toBe(200)
  return JSON.parse(text) as Override[]
}

function ask(caller: TestClient, payload: object) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload })
}

const outcomesOf = (body: Record<string, unknown>) =>
  (body['evidence'] as { check: string; outcome: string }[]).map(({ check, outcome }) => `${check} ${outcome}`)

test('overrides are stored once in normalized form, with creator and note', async () => {
  const caller = await api.openCaller()
  const targets = [' Ada@EXAMPLE.com', 'ada@example.com', '@Bücher.example', 'xn--bcher-kva.example', 'example.org.']
  const { status, body } = await add(caller, 'block', targets.slice(0, 4), 'Asked for it')
  expect([status, body]).toEqual([200, { added: 2, moved: 0, unchanged: 0, total: 2 }])
  const [ada, domain] = await listOverrides(caller)
  expect(ada).toMatchObject({ target: 'ada@example.com', action: 'block', note: 'Asked for it', created_by: 'test' })
  expect(domain?.target).toBe('xn--bcher-kva.example')
  expect(Date.now() - Date.parse(ada?.created_at ?? '')).toBeLessThan(60_000)
})

test('an override with the other action is changed, and one with the same action is kept', async () => {
  const caller = await api.openCaller()
  await add(caller, 'block', ['a@example.com', 'b@example.com'], 'first')
  const before = await listOverrides(caller)
  const { body } = await add(caller, 'allow', ['b@example.com', 'c@example.com'])
  expect(body).toEqual({ added: 1, moved: 1, unchanged: 0, total: 3 })
  expect((await add(caller, 'block', ['a@example.com'])).body).toMatchObject({ unchanged: 1, total: 3 })
  const after = await listOverrides(caller)
  expect(after.map(({ target, action, note }) => [target, action, note])).toEqual([
    ['a@example.com', 'block', 'first'],
    ['b@example.com', 'allow', 'first'],
    ['c@example.com', 'allow', ''],
  ])
  expect(after[0]).toEqual(before[0])
})

test('a request with an invalid target adds no overrides and names the target', async () => {
  const caller = await api.openCaller()
  const { status, body } = await add(caller, 'block', [
    'ada@example.com',
    'two@@example.com',
    'no domain',
    '[192.0.2.1]',
  ])
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
  expect((body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
    '/targets/1',
    '/targets/2',
    '/targets/3',
  ])
  expect(await listOverrides(caller)).toEqual([])
  const many = Array.from({ length: OVERRIDES_AT_ONCE_MAX + 1 }, (_, n) => `a${n}@example.com`)
  expect((await add(caller, 'block', many)).status).toBe(400)
})

test('overrides can be searched, filtered and paged', async () => {
  const caller = await api.openCaller()
  await add(caller, 'block', ['a@example.com', 'b@example.com', 'c_d@example.org'])
  await add(caller, 'allow', ['d@example.com'])
  const search = async (query: string) => (await listOverrides(caller, query)).map(({ target }) => target)
  expect(await search('?action=allow')).toEqual(['d@example.com'])
  expect(await search('?search=EXAMPLE.com&action=block')).toEqual(['a@example.com', 'b@example.com'])
  expect(await search('?search=_')).toEqual(['c_d@example.org'])
  const page = await caller.call({ method: 'GET', url: '/api/v1/overrides?action=block&skip=1&limit=1' })
  expect(page.headers['x-total-count']).toBe('3')
  expect(page.headers['link']).toContain('</api/v1/overrides?action=block&skip=2&limit=1>; rel="next"')
})

test('the export can be imported again and contains no formulas', async () => {
  const caller = await api.openCaller()
  await add(caller, 'block', ['+ada@example.com'], '=1+1')
  await add(caller, 'allow', ['example.org'])
  const { text, headers } = await caller.call({ method: 'GET', url: '/api/v1/overrides?format=csv' })
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const rows: string[][] = parse(text, { record_delimiter: '\r\n' })
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['action', 'target', 'note', 'created_by'],
    ['block', "'+ada@example.com", "'=1+1", 'test'],
    ['allow', 'example.org', '', 'test'],
  ])
})

test('an override is deleted, and deleting it again returns 404', async () => {
  const caller = await api.openCaller()
  await add(caller, 'block', ['ada@example.com'])
  const [ada] = await listOverrides(caller)
  const remove = () => caller.call({ method: 'DELETE', url: `/api/v1/overrides/${ada?.id}` })
  expect((await remove()).status).toBe(204)
  expect((await remove()).status).toBe(404)
  expect(await listOverrides(caller)).toEqual([])
})

test('reading needs account:read, changing needs account:write and a live key', async () => {
  const reader = await api.openCaller({ key: { scopes: ['account:read'] } })
  expect(await listOverrides(reader)).toEqual([])
  expect((await add(reader, 'block', ['ada@example.com'])).body['code']).toBe('missing_scope')
  const tester = await api.openCaller({ key: { mode: 'test' } })
  expect((await add(tester, 'block', ['ada@example.com'])).body['code']).toBe('live_key_required')
})

test('the limit of overrides per account is enforced exactly', async () => {
  const caller = await api.openCaller()
  await inTenant(api.db, caller.accountId, async (trx) => {
    const rows = Array.from({ length: OVERRIDES_MAX - 1 }, (_, n) => ({
      ...{ accountId: caller.accountId, target: `a${n}@example.com`, action: 'block' as const, createdBy: null },
    }))
    for (let at = 0; at < rows.length; at += 5_000) {
      await trx
        .insertInto('overrides')
        .values(rows.slice(at, at + 5_000))
        .execute()
    }
  })
  expect((await add(caller, 'block', ['x@example.com', 'y@example.com'])).body['code']).toBe('too_many_overrides')
  expect((await add(caller, 'block', ['x@example.com', 'a1@example.com'])).body['total']).toBe(OVERRIDES_MAX)
})

test('a blocked address is not safe to send and keeps its verdict', async () => {
  const caller = await api.openCaller({ credits: 5 })
  await add(caller, 'block', ['vera@example.com'])
  const { body, headers } = await ask(caller, { email: 'Vera@example.com', policy: 'newsletter' })
  expect(Value.Check(ValidationResult, body)).toBe(true)
  expect(body).toMatchObject({ status: 'valid', is_valid: true, safe_to_send: false, override: 'block' })
  expect(body['policy']).toMatchObject({ decision: 'block', rule: null, reason: expect.stringContaining('blocklist') })
  expect(outcomesOf(body)).toEqual(['override block'])
  // One unique address is one credit, with or without overrides.
  expect([headers['credits-charged'], await balancesOf(api.db, caller.accountId)]).toEqual(['1', [4, 1]])
})

test('an allowed address is safe to send unless it is invalid', async () => {
  const caller = await api.openCaller({ credits: 5 })
  await add(caller, 'allow', ['example.com'])
  const of = async (email: string) => (await ask(caller, { email, policy: 'newsletter' })).body
  const allowed = { override: 'allow', policy: { decision: 'allow' } }
  expect(await of('rick@example.com')).toMatchObject({ ...allowed, status: 'risky', safe_to_send: true })
  expect(await of('nobody@example.com')).toMatchObject({ ...allowed, status: 'invalid', safe_to_send: false })
  expect(await of('rick@sub.example.com')).toMatchObject({ override: null, safe_to_send: false })
})

test('an override of an address takes precedence over one of its domain, and a malformed address matches none', async () => {
  const caller = await api.openCaller({ credits: 5 })
  await add(caller, 'block', ['example.com'])
  await add(caller, 'allow', ['vera@example.com'])
  expect((await ask(caller, { email: 'vera@example.com' })).body['override']).toBe('allow')
  expect((await ask(caller, { email: 'vera2@example.com' })).body['override']).toBe('block')
  expect((await ask(caller, { email: 'two@@example.com' })).body['override']).toBe(null)
})

test('a recent result uses the current overrides of each request and stores none of them', async () => {
  const caller = await api.openCaller({ credits: 9 })
  const email = 'vera@recent.example'
  const { email: _, ...found } = pendingResult(email, 'not_probed')
  const kept = JSON.stringify({ id: randomUUID(), ...found, status: 'valid', safe_to_send: true })
  const recentKey = await vi.waitFor(async () => {
    const key = await api.services.keys.find(caller.key)
    const name = key && api.services.recentKeyOf(key, email, ALL_FEATURES)
    return name ?? expect.fail('the secret for names is not there yet')
  })
  await api.services.redis.set(recentKey, kept, 'EX', 60)
  const shown = async () => {
    const { body } = await ask(caller, { email })
    expect(Value.Check(ValidationResult, body)).toBe(true)
    expect(body['id']).toBe(JSON.parse(kept).id)
    return [body['override'], body['safe_to_send'], outcomesOf(body)]
  }
  expect(await shown()).toEqual([null, true, []])
  await add(caller, 'block', [email])
  expect(await shown()).toEqual(['block', false, ['override block']])
  const [entry] = await listOverrides(caller)
  await caller.call({ method: 'DELETE', url: `/api/v1/overrides/${entry?.id}` })
  expect(await shown()).toEqual([null, true, []])
  expect(await api.services.redis.get(recentKey)).toBe(kept)
})

test('each address of a bulk validation names its override and costs the usual credits', async () => {
  const caller = await api.openCaller({ credits: 5 })
  await add(caller, 'block', ['vera@example.com'])
  const payload = { emails: ['vera@example.com', 'nobody@example.com'], policy: 'signup' }
  const { body } = await caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload })
  expect(body).toMatchObject({ valid_count: 1, credits_used: 2 })
  expect(body['results']).toMatchObject([
    { status: 'valid', override: 'block', policy: { decision: 'block', rule: null } },
    { status: 'invalid', override: null, policy: { decision: 'allow' } },
  ])
})

test('overrides apply in test mode too, and the public sandbox key has none', async () => {
  const caller = await api.openCaller()
  await add(caller, 'block', ['valid@example.com'])
  const { text: key } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'test', name: 'test', scopes: ['validations:write', 'jobs:write'] }),
  )
  const asTester = (url: string, payload: object, by = key) =>
    callApp(api.app, { method: 'POST', url: `/api/v1/validation/${url}`, payload, headers: { 'x-api-key': by } })
  const email = 'valid@example.com'
  expect((await asTester('single', { email })).body).toMatchObject({
    status: 'valid',
    override: 'block',
    safe_to_send: false,
  })
  expect((await asTester('bulk', { emails: [email] })).body['results']).toMatchObject([{ override: 'block' }])
  expect((await asTester('single', { email }, PUBLIC_SANDBOX_KEY)).body).toMatchObject({
    override: null,
    safe_to_send: true,
  })
})

test('the reason that a publishable key receives does not reveal the override', async () => {
  const origin = 'https://www.example.com'
  const kind = { kind: 'publishable' as const, allowedOrigins: [origin], visitorCap: 100 }
  const page = await api.openCaller({ credits: 5, key: { ...kind, scopes: ['validations:write'] } })
  await inTenant(api.db, page.accountId, (trx) =>
    trx
      .insertInto('overrides')
      .values([
        { accountId: page.accountId, target: 'partner@example.com', action: 'allow', createdBy: null },
        { accountId: page.accountId, target: 'example.org', action: 'block', createdBy: null },
      ])
      .execute(),
  )
  const askAs = async (email: string) => {
    const request = {
      method: 'POST' as const,
      url: '/api/v1/validation/decision',
      payload: { email },
      headers: { origin },
    }
    return (await page.call(request)).text
  }
  expect(await askAs('partner@example.com')).toBe(await askAs('stranger@example.com'))
  const blocked = JSON.parse(await askAs('ada@example.org'))
  expect(blocked).toMatchObject({ decision: 'block', reason: 'This address is not accepted.' })
  expect(BUILT_IN_POLICIES.signup.default.decision).toBe('allow')
})

test.each(['%00', 'a%00b', '%ED%A0%80'])(
  'a search for %s, which no entry can contain, finds nothing',
  async (search) => {
    const caller = await api.openCaller()
    await add(caller, 'block', ['ada@example.com'])
    expect(await listOverrides(caller, `?search=${search}`)).toEqual([])
    const { status } = await caller.call({ method: 'GET', url: `/api/v1/overrides?format=csv&search=${search}` })
    expect(status).toBe(200)
  },
)
