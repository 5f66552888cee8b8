import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BUILT_IN_POLICIES } from '@probity/contract/constants/data/policies'
import { POLICIES_MAX } from '@probity/contract/constants/policies'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { Policy } from '@probity/contract/schemas/policies'
import { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { ALL_FEATURES } from '../../http/validation-options.ts'
import { callApp, startTestApi, type TestClient } from '../../testing/test-api.ts'
import { balancesOf, startPlainWorker } from '../../testing/test-plain-worker.ts'

const api = await startTestApi()
startPlainWorker(api.db, (email) => ({
  ...pendingResult(email, 'not_probed'),
  ...(email.startsWith('nobody') && { status: 'invalid', sub_status: 'mailbox_not_found' }),
  ...(email.startsWith('nowhere') && { status: 'invalid', sub_status: 'domain_not_found' }),
}))

const RULES = {
  rules: [{ when: { status: ['unknown'] }, decision: 'block', reason: 'We take only what is certain.' }],
  default: { decision: 'allow', reason: 'Certain enough.' },
}

function ask(caller: TestClient, payload: object, headers: Record<string, string> = {}) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload, headers })
}

function policies(caller: TestClient, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object) {
  return caller.call({ method, url: `/api/v1/policies${path}`, ...(payload && { payload }) })
}

test('a request with a policy gets a decision, and a request without one gets none', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const blocked = await ask(caller, { email: 'nowhere@example.com', policy: 'signup' })
  expect(Value.Check(ValidationResult, blocked.body)).toBe(true)
  const { decision, reason } = BUILT_IN_POLICIES.signup.rules[1]
  expect(blocked.body['policy']).toEqual({ name: 'signup', decision, reason, rule: 2 })

  const got = await caller.call({
    method: 'GET',
    url: '/api/v1/validation/single?email=nobody@example.com&policy=newsletter',
  })
  expect(got.body['policy']).toMatchObject({ name: 'newsletter', decision: 'block', rule: 1 })
  expect((await ask(caller, { email: 'ada@example.com' })).body).not.toHaveProperty('policy')
})

test('a recent result gets the decision of the policy in each request and stores none', async () => {
  const caller = await api.openCaller({ credits: 9 })
  const email = 'nobody@recent.example'
  const { email: _, ...found } = pendingResult(email, 'not_probed')
  const kept = JSON.stringify({ id: randomUUID(), ...found, status: 'invalid', sub_status: 'mailbox_not_found' })
  const recentKey = await vi.waitFor(async () => {
    const key = await api.services.keys.find(caller.key)
    const name = key && api.services.recentKeyOf(key, email, ALL_FEATURES)
    return name ?? expect.fail('the secret for names is not there yet')
  })
  await api.services.redis.set(recentKey, kept, 'EX', 60)

  for (const [policy, decision] of [
    ['signup', 'allow'],
    ['newsletter', 'block'],
    [undefined, undefined],
  ]) {
    const { body } = await ask(caller, { email, ...(policy && { policy }) })
    expect(Value.Check(ValidationResult, body)).toBe(true)
    expect((body['policy'] as { decision: string } | undefined)?.decision).toBe(decision)
    expect(body).toMatchObject({ ...JSON.parse(kept), email })
  }
  expect(await api.services.redis.get(recentKey)).toBe(kept)
})

test('each address of a bulk validation gets a decision', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const payload = { emails: ['nobody@example.com', 'nowhere@example.com'], policy: 'signup' }
  const { body } = await caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload })
  expect(Value.Check(BulkSummary, body)).toBe(true)
  expect((body as BulkSummary).results.map(({ policy }) => policy?.decision)).toEqual(['allow', 'block'])
})

test('an unknown policy is rejected without a charge', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const fault = { errors: [{ pointer: '/policy', detail: 'must be the name of a policy' }] }
  for (const policy of ['partners', 'constructor']) {
    const refused = await ask(caller, { email: 'ada@example.com', policy }, { 'idempotency-key': policy })
    expect([refused.status, refused.body]).toMatchObject([400, fault])
  }
  const payload = { emails: ['ada@example.com'], policy: 'partners' }
  expect(await caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload })).toMatchObject({ status: 400 })
  const url = '/api/v1/validation/single?email=ada@example.com&policy=partners'
  expect((await caller.call({ method: 'GET', url })).body['errors']).toMatchObject([{ pointer: 'policy' }])
  expect(await balancesOf(api.db, caller.accountId)).toEqual([5, 0])
})

test('the sandbox applies policies too, and the public sandbox key has the built-in ones', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const payload = { email: 'disposable@example.com', policy: 'signup' }
  expect((await ask(caller, payload)).body['policy']).toMatchObject({ decision: 'block', rule: 3 })

  const byPublicKey = (policy: string) =>
    callApp(api.app, {
      method: 'POST',
      url: '/api/v1/validation/single',
      payload: { email: 'mailbox-not-found@example.com', policy },
      headers: { 'x-api-key': PUBLIC_SANDBOX_KEY },
    })
  expect((await byPublicKey('newsletter')).body['policy']).toMatchObject({ decision: 'block' })
  expect((await byPublicKey('partners')).status).toBe(400)
})

test('an own policy can be created, read, used, changed and deleted', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const made = await policies(caller, 'POST', '', { name: 'partners', description: 'Known by name', ...RULES })
  expect(made.status).toBe(201)
  expect(Value.Check(Policy, made.body)).toBe(true)
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    name: 'partners',
    description: 'Known by name',
    is_built_in: false,
    ...RULES,
  })
  expect((await policies(caller, 'GET', '/partners')).body).toEqual(made.body)
  const asked = { email: 'ada@example.com', policy: 'partners' }
  expect((await ask(caller, asked)).body['policy']).toMatchObject({ decision: 'block', rule: 1 })

  const changed = await policies(caller, 'PATCH', '/partners', { rules: [] })
  expect(changed.body).toEqual({ ...made.body, rules: [] })
  expect((await ask(caller, asked)).body['policy']).toEqual({ name: 'partners', ...RULES.default, rule: null })

  expect((await policies(caller, 'DELETE', '/partners')).status).toBe(204)
  expect((await policies(caller, 'GET', '/partners')).status).toBe(404)
  expect((await policies(caller, 'DELETE', '/partners')).status).toBe(404)
  expect((await ask(caller, asked)).status).toBe(400)
})

test('an own policy replaces a built-in one until it is deleted', async () => {
  const caller = await api.openCaller({ credits: 5 })
  expect((await policies(caller, 'PATCH', '/signup', { rules: [] })).status).toBe(404)
  await policies(caller, 'POST', '', { name: 'signup', ...RULES })
  const list = await policies(caller, 'GET')
  const named = (list.body as unknown as Policy[]).map(({ name, is_built_in }) => [name, is_built_in])
  expect(named).toEqual([
    ['newsletter', true],
    ['signup', false],
    ['transactional', true],
  ])
  const asked = { email: 'ada@example.com', policy: 'signup' }
  expect((await ask(caller, asked)).body['policy']).toMatchObject({ decision: 'block' })
  await policies(caller, 'DELETE', '/signup')
  expect((await policies(caller, 'GET', '/signup')).body).toMatchObject({ id: null, is_built_in: true })
  expect((await ask(caller, asked)).body['policy']).toMatchObject({ decision: 'allow' })
})

test('a duplicate policy name and a policy beyond the limit are rejected', async () => {
  const caller = await api.openCaller()
  const make = (name: string) => policies(caller, 'POST', '', { name, ...RULES })
  for (let n = 0; n < POLICIES_MAX; n++) expect((await make(`policy-${n}`)).status).toBe(201)
  expect((await make('policy-0')).body).toMatchObject({ status: 409, code: 'policy_exists' })
  expect((await make('one-more')).body).toMatchObject({ status: 409, code: 'too_many_policies' })
})

test.each([
  [{ name: 'Partners' }, '/name'],
  [{ name: '' }, '/name'],
  [{ rules: [{ when: {}, decision: 'allow', reason: 'Any.' }] }, '/rules/0/when'],
  [{ rules: [{ when: { status: ['great'] }, decision: 'allow', reason: 'Any.' }] }, '/rules/0/when/status/0'],
  [
    { rules: [{ when: { sub_status: ['mailbox_gone'] }, decision: 'allow', reason: 'Any.' }] },
    '/rules/0/when/sub_status/0',
  ],
  [{ rules: [{ when: { color: 'red' }, decision: 'allow', reason: 'Any.' }] }, '/rules/0/when/color'],
  [{ default: { decision: 'maybe', reason: 'Any.' } }, '/default/decision'],
  [{ default: { decision: 'allow', reason: '' } }, '/default/reason'],
  [{ rules: Array.from({ length: 51 }, () => RULES.rules[0]) }, '/rules'],
])('an invalid policy is rejected: %o', async (part, pointer) => {
  const caller = await api.openCaller()
  const { status, body } = await policies(caller, 'POST', '', { name: 'own', ...RULES, ...part })
  expect(status).toBe(400)
  expect((body['errors'] as { pointer: string }[]).map((fault) => fault.pointer)).toContain(pointer)
})

test('text that PostgreSQL cannot store is rejected without side effects', async () => {
  const caller = await api.openCaller()
  const odd = 'not \0 a \ud800 text'
  const made = await policies(caller, 'POST', '', {
    name: 'odd',
    description: odd,
    rules: [],
    default: { decision: 'allow', reason: odd },
  })
  expect(made.status).toBe(201)
})

test('reading needs account:read, changing needs account:write and a live key', async () => {
  const reader = await api.openCaller({ key: { scopes: ['account:read'] } })
  expect((await policies(reader, 'GET')).status).toBe(200)
  expect((await policies(reader, 'POST', '', { name: 'own', ...RULES })).body['code']).toBe('missing_scope')
  const tester = await api.openCaller({ key: { mode: 'test' } })
  expect((await policies(tester, 'GET', '/signup')).status).toBe(200)
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', '/own'],
    ['DELETE', '/own'],
  ] as const) {
    const payload = method === 'POST' ? { name: 'own', ...RULES } : method === 'PATCH' ? { rules: [] } : undefined
    expect((await policies(tester, method, path, payload)).body['code']).toBe('live_key_required')
  }
})

const run = promisify(execFile)
const DOCS = readFileSync(join(import.meta.dirname, '../../../../../docs/policies.md'), 'utf8')

test('the command in the documentation works and returns the documented response', async () => {
  const [, command = ''] = /<!-- test: policies -->\s*```sh\n(.*?)```/s.exec(DOCS) ?? []
  const [shown, own] = [...DOCS.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text))
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { stdout } = await run('sh', ['-c', command.replace('http://localhost:3000', url)])
  expect(JSON.parse(stdout)).toMatchObject(shown)
  expect((await policies(await api.openCaller(), 'POST', '', own)).status).toBe(201)
})
