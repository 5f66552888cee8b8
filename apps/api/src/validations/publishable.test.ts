import { randomUUID } from 'node:crypto'
import { BUILT_IN_POLICIES } from '@probity/contract/constants/data/policies'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import { DecisionResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey, type NewKey, revokeKey } from '@probity/database/accounts/keys'
import { insertPolicy } from '@probity/database/accounts/policies'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { ALL_FEATURES } from '../http/validation-options.ts'
import { callApp, startTestApi, type TestClient, type TestResponse } from '../testing/test-api.ts'
import { balancesOf, startPlainWorker } from '../testing/test-plain-worker.ts'

const api = await startTestApi()
const ORIGIN = 'https://www.example.com'
const KEY = {
  kind: 'publishable',
  scopes: ['validations:write'],
  allowedOrigins: [ORIGIN],
  allowedPolicies: ['signup', 'newsletter', 'telling'],
  visitorCap: 100,
} satisfies Partial<NewKey>

/** The result of a worker that probes the mail server, by the local part. */
startPlainWorker(api.db, (email) => {
  const subStatus = (email.split('@')[0] ?? '').replaceAll('-', '_') as SubStatus
  const found = pendingResult(email, 'not_probed')
  if (!Object.hasOwn(SUB_STATUSES, subStatus)) return found
  const { status } = SUB_STATUSES[subStatus]
  return { ...found, status, sub_status: subStatus, deliverability: status === 'valid' ? 0.99 : 0.01 }
})

function ask(caller: TestClient, payload: object, headers: Record<string, string> = {}): Promise<TestResponse> {
  return caller.call({
    method: 'POST',
    url: '/api/v1/validation/decision',
    payload,
    headers: { origin: ORIGIN, ...headers },
  })
}

const openPage = (credits = 60) => api.openCaller({ credits, key: KEY })

test('a publishable key receives only the decision, its reason and a suggestion, in body and headers', async () => {
  const { status, body, headers } = await ask(await openPage(), { email: 'ada@example.com' })
  expect(status).toBe(200)
  expect(Value.Check(DecisionResult, body)).toBe(true)
  expect(body).toEqual({ ...BUILT_IN_POLICIES.signup.default, did_you_mean: null, livemode: true })
  expect(headers['access-control-allow-origin']).toBe(ORIGIN)
  expect(headers['vary']).toBe('X-API-Key, Authorization, Origin')
  expect(headers['ratelimit-policy']).toBe('"visitor";q=100;w=3600')
  const names = Object.keys(headers)
  expect(names.filter((name) => /credit|idempot|allow-credentials|cookie/.test(name))).toEqual([])
})

test('the response is byte-identical whatever the state of the mailbox', async () => {
  const caller = await openPage()
  const shown = new Set(['syntax_error', 'domain_not_found', 'no_mail_server', 'null_mx'])
  const reasons = Object.keys(SUB_STATUSES).filter((reason) => reason !== '' && !shown.has(reason))
  const asked = ['valid', ...reasons].map((reason) => `${reason.replaceAll('_', '-')}@one.example`)
  const texts = await Promise.all(asked.map(async (email) => (await ask(caller, { email })).text))
  expect(texts.length).toBeGreaterThan(20)
  expect(new Set(texts).size).toBe(1)
  expect((await ask(caller, { email: 'domain-not-found@two.example' })).text).not.toBe(texts[0])
})

test('a publishable key causes no probe and uses no cached results', async () => {
  const caller = await openPage()
  const email = 'grace@example.com'
  // An own policy that would reveal probe results, if there were any.
  const telling = {
    name: 'telling',
    rules: [{ when: { status: ['invalid'] }, decision: 'block', reason: 'The mailbox does not exist.' }],
    fallback: { decision: 'allow', reason: 'Nothing known.' },
  } as const
  await inTenant(api.db, caller.accountId, (trx) => insertPolicy(trx, caller.accountId, telling))
  const key = await api.services.keys.find(caller.key)
  const name = await vi.waitFor(
    () => (key && api.services.recentKeyOf(key, email, ALL_FEATURES)) ?? expect.fail('no secret for names yet'),
  )
  const known = { ...pendingResult(email, 'not_probed'), status: 'invalid', sub_status: 'mailbox_not_found' }
  await api.services.redis.set(name, JSON.stringify({ id: randomUUID(), ...known }), 'EX', 60)

  expect((await ask(caller, { email, policy: 'telling' })).body).toMatchObject({ decision: 'allow' })
  const rows = await asOwner(api.db, (trx) =>
    trx.selectFrom('validations').select(['mailbox', 'emailKey']).where('accountId', '=', caller.accountId).execute(),
  )
  expect(rows).toEqual([{ mailbox: false, emailKey: 'grace@example.com mailbox=false' }])
})

test('requests from another origin or without one are rejected, and the page cannot read the response', async () => {
  const caller = await openPage()
  for (const origin of ['https://www.example.com.evil.example', 'http://www.example.com', 'null', '']) {
    const { status, body, headers } = await ask(caller, { email: 'ada@example.com' }, { origin })
    expect([status, body['code']]).toEqual([403, 'origin_not_allowed'])
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers['vary']).toBe('X-API-Key, Authorization, Origin')
  }
  const withoutOrigin = {
    method: 'POST',
    url: '/api/v1/validation/decision',
    payload: { email: 'a@example.com' },
  } as const
  expect((await caller.call(withoutOrigin)).body['code']).toBe('origin_not_allowed')
  expect(await balancesOf(api.db, caller.accountId)).toEqual([60, 0])
})

test.each([
  ['POST', '/validation/single', { email: 'ada@example.com' }],
  ['GET', '/validation/single?email=ada@example.com', undefined],
  ['POST', '/validation/bulk', { emails: ['ada@example.com'] }],
  ['GET', '/account', undefined],
  ['GET', '/policies', undefined],
  ['POST', '/feedback', { messages: [{ email: 'ada@example.com', delivery: 'delivered' }] }],
  ['GET', '/keys', undefined],
] as const)('a publishable key cannot %s %s', async (method, path, payload) => {
  const caller = await openPage()
  const request = { method, url: `/api/v1${path}`, ...(payload && { payload }) }
  // The key type is reported as the problem for every origin.
  for (const headers of [{ origin: ORIGIN }, { origin: 'https://evil.example' }, {}]) {
    expect((await caller.call({ ...request, headers })).body).toMatchObject({
      status: 403,
      code: 'key_type_not_allowed',
    })
  }
  expect(await balancesOf(api.db, caller.accountId)).toEqual([60, 0])
})

test('each visitor has an hourly limit that does not affect other visitors', async () => {
  const caller = await api.openCaller({ credits: 60, key: { ...KEY, visitorCap: 3 } })
  const from = (remoteAddress: string) =>
    caller.call({
      method: 'POST',
      url: '/api/v1/validation/decision',
      payload: { email: 'ada@example.com' },
      headers: { origin: ORIGIN },
      remoteAddress,
    })
  for (let n = 0; n < 3; n++) expect((await from('2001:db8::1')).status).toBe(200)
  const refused = await from('2001:db8::2')
  expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['access-control-allow-origin']).toBe(ORIGIN)
  expect((await from('2001:db8:0:1::1')).status).toBe(200)
})

test('visitors of pages do not use up the rate and the concurrency of secret keys', async () => {
  await asOwner(api.db, (trx) =>
    sql`insert into plans select 'tiny', api_access, ai_enhancement, catchall_detection, refund_unknown, 5, 60, 1, emails_per_file
      from plans where name = 'payg'`.execute(trx),
  )
  const caller = await api.openCaller({ credits: 60, plan: 'tiny', key: KEY })
  const server = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'live', name: 'server', scopes: ['account:read'] }),
  )
  const visit = (remoteAddress: string) =>
    caller.call({
      method: 'POST',
      url: '/api/v1/validation/decision',
      payload: { email: 'ada@example.com' },
      headers: { origin: ORIGIN },
      remoteAddress,
    })
  for (let n = 1; n <= 5; n++) expect((await visit(`192.0.2.${n}`)).status).toBe(200)
  expect((await visit('192.0.2.6')).body['code']).toBe('rate_limited')
  const use = () => callApp(api.app, { method: 'GET', url: '/api/v1/account', headers: { 'x-api-key': server.text } })
  for (let n = 1; n <= 5; n++) expect((await use()).status).toBe(200)
  expect((await use()).body['code']).toBe('rate_limited')
})

test('a page can use the policies listed on the key, and learns nothing about others', async () => {
  const caller = await api.openCaller({ credits: 60, key: { ...KEY, allowedPolicies: ['newsletter'] } })
  const secret = {
    name: 'secret',
    rules: [],
    fallback: { decision: 'review', reason: 'Competitors are reviewed.' },
  } as const
  await inTenant(api.db, caller.accountId, (trx) => insertPolicy(trx, caller.accountId, secret))
  const email = 'ada@example.com'
  const unknown = await ask(caller, { email, policy: 'no-such-policy' })
  expect([unknown.status, unknown.body['code']]).toEqual([400, 'invalid_request'])
  for (const policy of ['secret', 'signup']) {
    const { status, body } = await ask(caller, { email, policy })
    expect([status, body['errors']]).toEqual([400, unknown.body['errors']])
  }
  const { body } = await ask(caller, { email })
  expect(body).toEqual((await ask(caller, { email, policy: 'newsletter' })).body)
  expect(body['decision']).toBe('review')
})

test('each decision costs the account one credit, and without credits it is rejected', async () => {
  const caller = await openPage(1)
  expect((await ask(caller, { email: 'mailbox-not-found@example.com' })).status).toBe(200)
  expect(await balancesOf(api.db, caller.accountId)).toEqual([0, 1])
  expect((await ask(caller, { email: 'bob@example.com' })).body).toMatchObject({ code: 'insufficient_credits' })
})

test('a response stored under an idempotency key of the account is not returned to a page', async () => {
  const caller = await openPage()
  const secret = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'live', name: 'server', scopes: ['validations:write'] }),
  )
  const payload = { email: 'mailbox-not-found@example.com', policy: 'telling' }
  const telling = {
    name: 'telling',
    rules: [],
    fallback: { decision: 'review', reason: 'Known to the account.' },
  } as const
  await inTenant(api.db, caller.accountId, (trx) => insertPolicy(trx, caller.accountId, telling))
  const headers = { 'idempotency-key': 'sign-up-1' }
  const request = { method: 'POST', url: '/api/v1/validation/decision', payload } as const
  const askOwn = () => callApp(api.app, { ...request, headers: { ...headers, 'x-api-key': secret.text } })
  const own = await askOwn()
  expect(own.body).toMatchObject({ decision: 'review' })
  expect((await askOwn()).headers).toMatchObject({ 'idempotency-replayed': 'true' })
  const answer = await ask(caller, payload, headers)
  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('idempotency-replayed')
})

test('a secret key gets a decision by any policy, signup without one, and is charged one credit', async () => {
  const caller = await api.openCaller({ credits: 60 })
  const decide = (payload: object) => caller.call({ method: 'POST', url: '/api/v1/validation/decision', payload })
  const { status, body, headers } = await decide({ email: 'mailbox-not-found@example.com' })
  expect([status, headers['credits-charged'], headers['credits-remaining']]).toEqual([200, '1', '59'])
  expect(body).toEqual({ ...BUILT_IN_POLICIES.signup.default, did_you_mean: null, livemode: true })
  expect((await decide({ email: 'ada@example.com', policy: 'newsletter' })).body).toMatchObject({ decision: 'review' })
  expect((await decide({ email: 'ada@example.com', policy: 'no-such-policy' })).status).toBe(400)
  expect((await decide({ email: 'domain-not-found@example.com' })).body).toMatchObject({ decision: 'block' })
  // The worker of this test ends unknown addresses inconclusively, so one of the three is refunded.
  expect(await balancesOf(api.db, caller.accountId)).toEqual([58, 2])
})

test('a secret test key gets a decision from the sandbox, without a charge', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const payload = { email: 'disposable@example.com' }
  const { body, headers } = await caller.call({ method: 'POST', url: '/api/v1/validation/decision', payload })
  expect(body).toMatchObject({ decision: 'block', livemode: false })
  expect(headers['credits-charged']).toBe('0')
})

/** A preflight request, as a browser sends it before the request of a page. */
function may(origin?: string): Promise<TestResponse> {
  return callApp(api.app, {
    method: 'OPTIONS',
    url: '/api/v1/validation/decision',
    headers: {
      ...(origin && { origin }),
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    },
  })
}

test('CORS rejects the origin of a revoked key', async () => {
  const [revoked, kept] = ['https://revoked.example.com', 'https://kept.example.com']
  for (const origin of [revoked, kept]) {
    const { accountId, keyId } = await api.openCaller({ key: { ...KEY, allowedOrigins: [origin] } })
    if (origin === revoked)
      await inTenant(api.db, accountId, (trx) => revokeKey(trx, { accountId, mode: 'live' }, keyId))
  }
  expect((await may(kept)).headers['access-control-allow-origin']).toBe(kept)
  expect((await may(revoked)).headers).not.toHaveProperty('access-control-allow-origin')
})

test('CORS allows the origins of the key only', async () => {
  await openPage()
  const allowed = await may(ORIGIN)
  expect(allowed.status).toBe(204)
  expect(allowed.headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, x-api-key, authorization, idempotency-key, x-probity-client',
    vary: 'X-API-Key, Authorization, Origin',
  })
  expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials')
  for (const origin of ['https://evil.example', 'null', 'https://www.example.com/', undefined]) {
    const refused = await may(origin)
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
    expect(refused.headers['vary']).toBe('X-API-Key, Authorization, Origin')
  }
})

test('a publishable test key uses the sandbox without SMTP results', async () => {
  const caller = await api.openCaller({ key: { ...KEY, mode: 'test' } })
  const of = async (local: string) => (await ask(caller, { email: `${local}@example.com` })).body
  const nothing = await of('valid')
  expect(nothing).toEqual({ ...BUILT_IN_POLICIES.signup.default, did_you_mean: null, livemode: false })
  for (const local of ['mailbox-not-found', 'catch-all', 'mailbox-full', 'role', 'blocked'])
    expect(await of(local)).toEqual(nothing)
  expect(await of('typo')).toMatchObject({ decision: 'block', did_you_mean: 'typo@gmail.com' })
  expect(await of('disposable')).toMatchObject({ decision: 'block' })
  const strict = await ask(caller, { email: 'mailbox-not-found@example.com', policy: 'newsletter' })
  expect(strict.body).toMatchObject({ decision: 'review' })
})
