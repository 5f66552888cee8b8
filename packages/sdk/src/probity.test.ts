import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

const sent = ({ method, path, body }: { method: string; path: string; body: string }) => [
  `${method} ${path}`,
  body === '' ? undefined : JSON.parse(body),
]

test('validate and validateBulk send their options as the API names them', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.validate('ada@example.com', { maxAgeSeconds: 0, reference: 'customer-1042', policy: 'signup' })
  await probity.validateBulk(['ada@example.com'], { maxAgeSeconds: 3600, reference: 'customer-1042' })
  await probity.validate('ada@example.com')
  expect(received.map(sent)).toEqual([
    [
      'POST /api/v1/validation/single',
      { email: 'ada@example.com', policy: 'signup', max_age_s: 0, reference: 'customer-1042' },
    ],
    ['POST /api/v1/validation/bulk', { emails: ['ada@example.com'], max_age_s: 3600, reference: 'customer-1042' }],
    ['POST /api/v1/validation/single', { email: 'ada@example.com' }],
  ])
})

test('decide sends an idempotency key', async () => {
  const decision = { decision: 'allow', reason: 'No issues found.', did_you_mean: null, livemode: true }
  const { probity, received } = await startService(() => decision)
  expect(await probity.decide('ada@example.com')).toEqual(decision)
  await probity.decide('ada@example.com', { policy: 'newsletter', waitSeconds: 2, idempotencyKey: 'sign-up-1' })
  expect(received.map(sent)).toEqual([
    ['POST /api/v1/validation/decision', { email: 'ada@example.com' }],
    ['POST /api/v1/validation/decision', { email: 'ada@example.com', policy: 'newsletter', timeout: 2 }],
  ])
  expect(received[0]?.headers['idempotency-key']).toMatch(/^\S{10,}$/)
  expect(received[1]?.headers['idempotency-key']).toBe('sign-up-1')
})

test('validations.get reads a stored result by its id', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.validations.get('0198f2c4-7b20-7a16-8e04-51c09d3e7f42')
  expect(received.map(sent)).toEqual([['GET /api/v1/validations/0198f2c4-7b20-7a16-8e04-51c09d3e7f42', undefined]])
})
