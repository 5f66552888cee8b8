import { Usage } from '@probity/contract/schemas/usage'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'
import { startClaiming } from '../testing/test-plain-worker.ts'

const api = await startTestApi()
const get = (query = '') => ({ method: 'GET', url: `/api/v1/usage${query}` }) as const
// Claimed addresses stay charged while they are validated.
startClaiming(api.db)
const VALIDATE = { method: 'POST', url: '/api/v1/validation/bulk' } as const

test('GET /usage covers thirty days up to today, with the charges of each day', async () => {
  const { call } = await api.openCaller({ credits: 10 })
  await call({ ...VALIDATE, payload: { emails: ['a@example.com', 'b@example.com'], timeout: 2 } })
  const { status, body } = await call(get())
  expect(status).toBe(200)
  expect(Value.Check(Usage, body)).toBe(true)
  const { days, keys, total, to_on: to } = body as Usage
  expect([days?.length, keys, to]).toEqual([30, undefined, new Date().toISOString().slice(0, 10)])
  expect(days?.at(-1)).toMatchObject({ occurred_on: to, credits_used: 2, credits_refunded: 0 })
  expect(total.credits_used).toBe(2)
})

test('GET /usage?by=key returns the same totals by key', async () => {
  const { call, keyId } = await api.openCaller({ credits: 10, key: { name: 'The form' } })
  await call({ ...VALIDATE, payload: { emails: ['a@example.com'], timeout: 2 } })
  const { body } = await call(get('?by=key'))
  expect(Value.Check(Usage, body)).toBe(true)
  expect(body['days']).toBeUndefined()
  expect(body['keys']).toMatchObject([{ key_id: keyId, key_name: 'The form', credits_used: 1 }])
})

test('a test key sees the usage of test mode only', async () => {
  const { call } = await api.openCaller({ credits: 10, key: { mode: 'test' } })
  await call({ ...VALIDATE, payload: { emails: ['valid@example.com'] } })
  expect((await call(get())).body).toMatchObject({ livemode: false, total: { credits_used: 0 } })
})

test('a range of a leap year is accepted, and one day more is not', async () => {
  const { call } = await api.openCaller()
  const { body } = await call(get('?from=2024-01-01&to=2024-12-31'))
  expect((body as Usage).days).toHaveLength(366)
  const refused = await call(get('?from=2024-01-01&to=2025-01-01'))
  expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
})

test.each(['from=2026-11-03&to=2026-11-02', 'from=yesterday', 'to=2026-02-30', 'to=0000-01-01', 'by=hour'])(
  '%s is rejected',
  async (query) => {
    const { call } = await api.openCaller()
    const { status, body } = await call(get(`?${query}`))
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  },
)

test('usage requires the scope account:read', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['validations:write', 'jobs:write'] } })
  expect(await call(get())).toMatchObject({ status: 403, body: { code: 'missing_scope' } })
})
