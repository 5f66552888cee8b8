import { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { callApi, createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

/**
 * One test per statement of the interface specification, with its section in the title. Statements about lists are in
 * interface-jobs, those about mail servers in interface-smtp, and that of the keys page (5.2) in web/keys.
 */
const instance = await useSharedInstance()
const apiClient = await createApiClient(instance)

const post = (email: string) => apiClient.call('POST', '/validation/single', { email })

test('1 the service validates addresses through a REST interface, synchronously, with one detailed result', async () => {
  const { status, body } = await post('ada@null-mx.example')
  expect(status).toBe(200)
  expect(body).toMatchObject({ email: 'ada@null-mx.example', status: 'invalid', sub_status: 'null_mx' })
})

test('1 it checks syntax', async () => {
  const { body } = await post('ada@@example')
  expect(body).toMatchObject({ status: 'invalid', sub_status: 'syntax_error', details: { syntax_valid: false } })
})

test.each(['nul\0@two-mx.example', 'half\ud83d@two-mx.example', 'line\r\nbreak@two-mx.example', ' ', 'x'.repeat(1024)])(
  '1 it checks the syntax of any text: %j',
  async (email) => {
    const { status, body } = await post(email)
    expect([status, body['sub_status'], body['email']]).toEqual([200, 'syntax_error', email])
  },
)

test.each([
  ['Ada Lovelace <ada@two-mx.example>', 'ada@two-mx.example'],
  ['mailto:ada@two-mx.example', 'ada@two-mx.example'],
  ['"Lovelace, Ada" <ada@gmial.com>', 'ada@gmail.com'],
  ['ada lovelace@two-mx.example', null],
])('1 a text around an address is a syntax error and suggests the address: %j', async (email, suggestion) => {
  const { body } = await post(email)
  expect(body).toMatchObject({ email, sub_status: 'syntax_error', did_you_mean: suggestion })
  const { body: bulk } = await apiClient.call('POST', '/validation/bulk', { emails: [email, email] })
  expect(bulk).toMatchObject({ duplicate_count: 1, credits_used: 1, results: [{ email, status: 'invalid' }] })
})

test.each([
  ['ada@two-mx,example', 'ada@two-mx.example'],
  ['ada @ two-mx.example', 'ada@two-mx.example'],
  ['ada\u200b@two-mx.example', 'ada@two-mx.example'],
  ['ada (at) gmial.com', 'ada@gmail.com'],
  ['ada.@two-mx.example', null],
])('1 a text that needs a repair is a syntax error and suggests the address: %j', async (email, suggestion) => {
  const invalid = { email, status: 'invalid', sub_status: 'syntax_error', did_you_mean: suggestion }
  const { body } = await post(email)
  expect(body).toMatchObject(invalid)
  const { body: bulk } = await apiClient.call('POST', '/validation/bulk', { emails: [email] })
  expect(bulk).toMatchObject({ credits_used: 1, results: [invalid] })
})

test('1 it checks DNS', async () => {
  expect((await post('ada@two-mx.example')).body).toMatchObject({ details: { syntax_valid: true, dns_valid: true } })
  const missing = await post('ada@not-there.example')
  expect(missing.body).toMatchObject({ sub_status: 'domain_not_found', details: { dns_valid: false } })
})

test('1 it checks for disposable addresses', async () => {
  expect((await post('ada@mailinator.com')).body).toMatchObject({ details: { is_disposable: true } })
})

test('1 it checks for role-based addresses', async () => {
  expect((await post('info@two-mx.example')).body).toMatchObject({ details: { is_role_based: true } })
  expect((await post('ada@two-mx.example')).body).toMatchObject({ details: { is_role_based: false } })
})

test('1 it checks for SPF and DMARC records', async () => {
  expect((await post('ada@two-mx.example')).body).toMatchObject({ details: { has_spf: true, has_dmarc: true } })
  expect((await post('ada@a-only.example')).body).toMatchObject({ details: { has_spf: false, has_dmarc: false } })
})

test('1 each unique email validated consumes credits', async () => {
  const { body: before } = await apiClient.call('GET', '/account')
  await post('one@null-mx.example')
  await post('two@null-mx.example')
  const { body: after } = await apiClient.call('GET', '/account')
  const available = (body: Record<string, unknown>) => (body['credits'] as { available: number }).available
  expect(available(before) - available(after)).toBe(2)
})

test('1 API access is included with pay-as-you-go and every paid plan', async () => {
  for (const plan of ['payg', 'starter', 'growth', 'scale']) {
    const { call } = await createApiClient(instance, { plan })
    expect((await call('GET', '/account')).status).toBe(200)
  }
  const { call } = await createApiClient(instance, { plan: 'free' })
  expect((await call('GET', '/account')).body).toMatchObject({ code: 'api_not_in_plan' })
})

test('2.1 the result has every field with its type', async () => {
  for (const email of ['ada@two-mx.example', 'ada@null-mx.example', 'nonsense', 'ada@silent.example']) {
    const { body } = await post(email)
    expect([...Value.Errors(ValidationResult, body)]).toEqual([])
    expect(body['email']).toBe(email)
  }
})

test('2.1 confidence is a fraction, the response time whole milliseconds, the timestamp seconds with a fraction', async () => {
  const { body } = await post('ada@null-mx.example')
  const result = body as unknown as ValidationResult
  expect(result.confidence).toBeGreaterThan(0)
  expect(result.confidence).toBeLessThanOrEqual(1)
  expect(Number.isInteger(result.performance.response_time_ms)).toBe(true)
  expect(Math.abs(result.metadata.timestamp - Date.now() / 1000)).toBeLessThan(60)
  expect(result.metadata.plan_tier).toBe('scale')
})

test('2.1 sub_status may be a reason, catchall.confidence null, and the smtp code 0 without a probe', async () => {
  const { body } = await post('ada@two-mx.example')
  expect(body).toMatchObject({
    status: 'unknown',
    sub_status: 'not_probed',
    catchall: { is_catchall: false, confidence: null },
    ai_enhancement: { used: false, method: null },
    details: { smtp_valid: false, smtp_code: 0, domain: 'two-mx.example' },
  })
})

test('4.1 POST requires a JSON body with the field email', async () => {
  expect((await apiClient.call('POST', '/validation/single', { email: 'ada@null-mx.example' })).status).toBe(200)
  const { status, body } = await apiClient.call('POST', '/validation/single', {})
  expect(status).toBe(400)
  expect(body['errors']).toContainEqual({ pointer: '/email', detail: 'is required' })
})

test('4.2 GET takes the address from the query parameter email, without a body', async () => {
  const { status, body } = await apiClient.call(
    'GET',
    `/validation/single?email=${encodeURIComponent('ada+x@null-mx.example')}`,
  )
  expect([status, body['email'], body['sub_status']]).toEqual([200, 'ada+x@null-mx.example', 'null_mx'])
})

test('4.3, 2.2 a bulk request returns a summary and a verdict for each address', async () => {
  const emails = ['ada@null-mx.example', 'nonsense', 'ADA@null-mx.example', 'ada@two-mx.example']
  const { status, body } = await apiClient.call('POST', '/validation/bulk', { emails })
  expect(status).toBe(200)
  expect([...Value.Errors(BulkSummary, body)]).toEqual([])
  expect(body).toMatchObject({ total: 4, valid_count: 0, invalid_count: 2, risky_count: 0, duplicate_count: 1 })
  expect(sumCounts(body as unknown as BulkSummary)).toBe(4)
  expect(body['results']).toMatchObject([
    { email: 'ada@null-mx.example', status: 'invalid', is_valid: false, confidence: expect.any(Number) },
    { email: 'nonsense', status: 'invalid' },
    { email: 'ada@two-mx.example', status: 'unknown' },
  ])
})

test('4.3, 8 one credit per unique address, duplicates free, up to 1,000 addresses per request', async () => {
  const { call } = await createApiClient(instance, { credits: 1_500 })
  const many = Array.from({ length: 999 }, (_, n) => `a${n}@null-mx.example`)
  const { status, body } = await call('POST', '/validation/bulk', { emails: [...many, 'A0@null-mx.example'] })
  expect([status, body['total'], body['duplicate_count'], body['credits_used']]).toEqual([200, 1_000, 1, 999])
  const account = (await call('GET', '/account')).body['credits'] as { available: number }
  expect(account.available).toBe(501)
  const over = await call('POST', '/validation/bulk', { emails: [...many, 'b@null-mx.example', 'c@null-mx.example'] })
  expect(over.status).toBe(400)
})

function sumCounts(summary: BulkSummary): number {
  const { valid_count, invalid_count, risky_count, unknown_count, duplicate_count } = summary
  return valid_count + invalid_count + risky_count + unknown_count + duplicate_count
}

test.each([1, 55])('4.3 a bulk request can wait up to %i seconds, and its counts add up to total', async (timeout) => {
  const emails = ['ada@two-mx.example', 'ADA@two-mx.example', 'ada@a-only.example', 'ada@mailinator.com', '']
  const { status, body } = await apiClient.call('POST', '/validation/bulk', { emails, timeout })
  expect([status, body['total'], sumCounts(body as unknown as BulkSummary)]).toEqual([200, 5, 5])
})

const NO_ADDRESSES = ['', 'x'.repeat(1_025), `${'x'.repeat(3_000)}@null-mx.example`]

test.each(NO_ADDRESSES)('4.1, 4.2 any text in email has a result, whatever its length: %j', async (email) => {
  const by = await createApiClient(instance, { credits: 10 })
  const posted = await by.call('POST', '/validation/single', { email })
  const got = await by.call('GET', `/validation/single?email=${encodeURIComponent(email)}`)
  for (const { status, body } of [posted, got]) {
    expect([status, ...Value.Errors(ValidationResult, body)]).toEqual([200])
    expect(body).toMatchObject({ email, status: 'invalid', sub_status: 'syntax_error', is_valid: false })
  }
  const decided = await by.call('POST', '/validation/decision', { email })
  expect([decided.status, decided.body['decision']]).toEqual([200, 'block'])
  expect((await by.call('GET', '/account')).body).toMatchObject({ credits: { available: 7 } })
})

test('4.3 a text that is no address has an invalid result, costs one credit, and the others are validated', async () => {
  const by = await createApiClient(instance, { credits: 10 })
  const emails = ['ada@null-mx.example', ...NO_ADDRESSES, 'ada@two-mx.example']
  const { status, body } = await by.call('POST', '/validation/bulk', { emails })
  expect([status, ...Value.Errors(BulkSummary, body)]).toEqual([200])
  expect(body).toMatchObject({ total: 5, invalid_count: 4, duplicate_count: 0, credits_used: 5 })
  const results = body['results'] as BulkSummary['results']
  expect(results.map(({ email }) => email)).toEqual(emails)
  expect(results.slice(1, 4).map(({ sub_status: reason }) => reason)).toEqual(NO_ADDRESSES.map(() => 'syntax_error'))
})

test('4.3 an empty list has an empty summary', async () => {
  const { status, body } = await apiClient.call('POST', '/validation/bulk', { emails: [] })
  expect([status, ...Value.Errors(BulkSummary, body)]).toEqual([200])
  const counts = { total: 0, valid_count: 0, invalid_count: 0, risky_count: 0, duplicate_count: 0, credits_used: 0 }
  expect(body).toMatchObject({ ...counts, results: [] })
})

test('5.1 every request carries its key in the header X-API-Key', async () => {
  const url = `${instance.api.url}/api/v1/validation/single`
  expect((await callApi(url, 'POST', { email: 'ada@null-mx.example' })).status).toBe(401)
  expect((await callApi(`${url}?email=x`, 'GET')).status).toBe(401)
  const bulk = `${instance.api.url}/api/v1/validation/bulk`
  expect((await callApi(bulk, 'POST', { emails: ['ada@null-mx.example'] })).status).toBe(401)
})

test('5.1 a bulk request without a key is rejected before anything is validated', async () => {
  const url = `${instance.api.url}/api/v1/validation/bulk`
  const { status, body } = await callApi(url, 'POST', { emails: ['ada@null-mx.example'] })
  expect([status, body['code'], body['results']]).toEqual([401, 'missing_api_key', undefined])
})

test('5.3 the key is sent in the header for GET as well as POST', async () => {
  const url = `${instance.api.url}/api/v1/validation/single`
  const headers = { 'x-api-key': apiClient.key }
  expect((await callApi(`${url}?email=ada%40null-mx.example`, 'GET', undefined, headers)).status).toBe(200)
  expect((await callApi(url, 'POST', { email: 'ada@null-mx.example' }, headers)).status).toBe(200)
})

test('9 the version is part of the path prefix', async () => {
  const headers = { 'x-api-key': apiClient.key }
  expect((await callApi(`${instance.api.url}/api/v1/account`, 'GET', undefined, headers)).status).toBe(200)
  expect((await callApi(`${instance.api.url}/account`, 'GET', undefined, headers)).status).toBe(404)
})
