import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { afterEach, expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'

const api = await startTestApi()

afterEach(() => void vi.useRealTimers())

type Headers = Record<string, string>

const tester = await api.openCaller({ plan: 'free', key: { mode: 'test' } })

function ask(email: string, headers: Headers = {}, more: object = {}) {
  return tester.call({ method: 'POST', url: '/api/v1/validation/single', payload: { email, ...more }, headers })
}

test('the result of the sandbox follows from the name or tag of the address, is free and is not stored', async () => {
  for (const email of ['mailbox-full@example.com', 'ada+mailbox-full@example.org']) {
    const { status, body, headers } = await ask(email)
    expect(status).toBe(200)
    expect(Value.Check(ValidationResult, body)).toBe(true)
    expect(body).toMatchObject({ email, status: 'risky', sub_status: 'mailbox_full', livemode: false, retry_at: null })
    expect([headers['credits-charged'], headers['livemode']]).toEqual(['0', 'false'])
  }
  const { rows } = await asOwner(api.db, (trx) => sql<{ count: number }>`select count(*) from validations`.execute(trx))
  expect(rows[0]?.count).toBe(0)
})

test('repeated requests for an address return the same result except for ids and times', async () => {
  const standing = async () => {
    const { id: _, performance: __, metadata: ___, evidence: ____, ...rest } = (await ask('catch-all@example.com')).body
    return rest
  }
  expect(await standing()).toEqual(await standing())
})

test.each([
  ['error-402', 402, 'insufficient_credits', undefined],
  ['error-429', 429, 'rate_limited', '2'],
  ['error-500', 500, 'internal_error', undefined],
  ['error-503', 503, 'service_unavailable', '2'],
])('%s@ returns its problem, in single and bulk requests', async (name, status, code, retryAfter) => {
  const list = {
    method: 'POST',
    url: '/api/v1/validation/bulk',
    payload: { emails: ['a@b.example', `${name}@b.example`] },
  } as const
  for (const answer of [await ask(`${name}@b.example`), await tester.call(list)]) {
    expect([answer.status, answer.body['code'], answer.headers['retry-after']]).toEqual([status, code, retryAfter])
    expect([answer.headers['content-type'], answer.headers['livemode']]).toEqual(['application/problem+json', 'false'])
  }
})

test('a greylisted address is deferred for thirty seconds and then valid, under the same id', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const first = await ask('greylisted@example.com')
  expect(first.body).toMatchObject({ status: 'unknown', sub_status: 'greylisted', livemode: false })
  expect((Date.parse(String(first.body['retry_at'])) - Date.now()) / 1000).toBeCloseTo(30, 0)
  const meanwhile = await ask('greylisted@example.com')
  expect([meanwhile.body['id'], meanwhile.body['retry_at']]).toEqual([first.body['id'], first.body['retry_at']])

  vi.setSystemTime(Date.now() + 31_000)
  const later = await ask('greylisted@example.com')
  expect(later.body).toMatchObject({ id: first.body['id'], status: 'valid', retry_at: null })
  expect((await ask('other+greylisted@example.com')).body).toMatchObject({ sub_status: 'greylisted' })
})

test('a greylisted address emits a webhook event when it is valid, once', async () => {
  const hooked = await api.openCaller({ key: { mode: 'test' } })
  const url = '/api/v1/webhooks'
  const { body: made } = await hooked.call({ method: 'POST', url, payload: { url: 'https://hooks.example.com/p' } })
  const single = { method: 'GET', url: '/api/v1/validation/single?email=greylisted@example.com' } as const
  const { body: open } = await hooked.call(single)
  await hooked.call(single)

  const deliveries = await hooked.call({ method: 'GET', url: `${url}/${made['id']}/deliveries` })
  const [delivery, ...more] = deliveries.body as unknown as Record<string, string>[]
  expect(more).toEqual([])
  expect(delivery).toMatchObject({ type: 'validation.resolved', status: 'pending' })
  expect(Date.parse(String(delivery?.['retry_at'])) / 1000).toBeCloseTo(Date.parse(String(open['retry_at'])) / 1000, 1)
  const { text } = await hooked.call({ method: 'GET', url: `${url}/${made['id']}/deliveries/${delivery?.['id']}` })
  expect(text).toContain(String(open['id']))
  expect(text).toMatch(/\\"livemode\\" ?: ?false|"livemode":false/)
})

test('a slow address takes five seconds, or as long as the timeout of the request', { tags: ['timed'] }, async () => {
  const [patient, hasty] = await Promise.all([
    ask('slow-5s@example.com'),
    ask('slow-5s@example.com', {}, { timeout: 1 }),
  ])
  expect(patient.body).toMatchObject({ status: 'valid', retry_at: null })
  expect((patient.body['performance'] as { response_time_ms: number }).response_time_ms).toBeGreaterThanOrEqual(4_990)
  expect(hasty.body).toMatchObject({ status: 'unknown', sub_status: 'timeout' })
  expect(hasty.body['retry_at']).not.toBeNull()
})

test('a bulk request in test mode has the same verdicts, is free and is marked as test mode', async () => {
  const emails = ['valid@a.example', 'VALID@a.example', 'ada+disposable@a.example', 'ada@a.example']
  const { body } = await tester.call({ method: 'POST', url: '/api/v1/validation/bulk', payload: { emails } })
  expect(Value.Check(BulkSummary, body)).toBe(true)
  expect(body).toMatchObject({ total: 4, valid_count: 1, risky_count: 1, unknown_count: 1, duplicate_count: 1 })
  expect(body).toMatchObject({ credits_used: 0, credits_refunded: 0, livemode: false })
})

const publicKey = { 'x-api-key': PUBLIC_SANDBOX_KEY }

function askAnybody(url: string, remoteAddress = '192.0.2.1') {
  return callApp(api.app, { method: 'GET', url: `/api/v1${url}`, headers: publicKey, remoteAddress })
}

test('the public sandbox key validates in the sandbox without an account and does nothing else', async () => {
  const single = await askAnybody('/validation/single?email=valid@example.com')
  expect(single.body).toMatchObject({ status: 'valid', livemode: false, metadata: { plan_tier: 'sandbox' } })
  const bulk = { method: 'POST', url: '/api/v1/validation/bulk', payload: { emails: ['valid@example.com'] } } as const
  expect((await callApp(api.app, { ...bulk, headers: publicKey })).body).toMatchObject({ valid_count: 1 })

  for (const url of ['/account', '/keys', '/bulk/jobs', '/bulk/jobs/0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1/results']) {
    const { status, body } = await askAnybody(url)
    expect([status, body['code']]).toEqual([403, 'key_type_not_allowed'])
  }
})

test('the public sandbox key is rate-limited per network', async () => {
  const ask = (address: string) => askAnybody('/validation/single?email=valid@example.com', address)
  const answers = []
  for (let n = 0; n < 61; n += 1) answers.push(await ask('192.0.2.77'))
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 60 }, () => 200), 429])
  expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0)
  expect((await ask('192.0.2.78')).status).toBe(200)
})

test('if it is disabled, the public sandbox key is an unknown key', async () => {
  const closed = await startTestApi({ config: { publicSandbox: false } })
  const request = {
    method: 'GET',
    url: '/api/v1/validation/single?email=valid@example.com',
    headers: publicKey,
  } as const
  const { status, body } = await callApp(closed.app, request)
  expect([status, body['code']]).toEqual([401, 'invalid_api_key'])
})
