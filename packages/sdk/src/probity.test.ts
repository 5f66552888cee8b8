import { expect, test } from 'vitest'
import { ProbityError } from './probity.ts'
import { failureOf, startService } from './test-service.ts'

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

test('validateBulk rejects more than 1,000 addresses and an invalid waitSeconds before the request', async () => {
  const { probity, received } = await startService(() => ({}))
  const emails = Array.from({ length: 1_001 }, (_, n) => `person${n}@example.com`)
  expect(await failureOf(probity.validateBulk(emails))).toMatchObject({
    message: expect.stringContaining('validateAll'),
  })
  expect(await failureOf(probity.validateBulk([], { waitSeconds: 56 }))).toBeInstanceOf(ProbityError)
  expect(await failureOf(probity.validate('ada@example.com', { waitSeconds: 31 }))).toBeInstanceOf(ProbityError)
  expect(received).toEqual([])
})

test('jobs.create and keys send their options as the API names them', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.jobs.create('upload', {
    emailColumn: 'mail',
    ai: false,
    catchall: false,
    maxAgeSeconds: 60,
    callbackUrl: 'https://hooks.example.com/',
    reference: undefined,
  })
  await probity.keys.create({ name: 'Form', expiresAt: new Date('2027-01-31T00:00:00Z'), monthlyCap: null })
  await probity.keys.rotate('id', { overlapSeconds: 0 })
  await probity.keys.pause('id')
  await probity.keys.resume('id')
  expect(received.map(sent)).toEqual([
    [
      'POST /api/v1/bulk/upload/confirm',
      {
        upload_id: 'upload',
        email_column: 'mail',
        ai: false,
        catchall: false,
        max_age_s: 60,
        callback_url: 'https://hooks.example.com/',
      },
    ],
    ['POST /api/v1/keys', { name: 'Form', expires_at: '2027-01-31T00:00:00.000Z', monthly_cap: null }],
    ['POST /api/v1/keys/id/rotate', { overlap_s: 0 }],
    ['PATCH /api/v1/keys/id', { paused: true }],
    ['PATCH /api/v1/keys/id', { paused: false }],
  ])
})

test('webhooks, their deliveries and callbacks request their paths', async () => {
  const { probity, received } = await startService(() => ({}))
  const { webhooks, jobs } = probity
  await webhooks.update('hook', { enabled: false, events: ['*'] })
  await webhooks.deliveries.get('hook', 'delivery')
  await webhooks.deliveries.recover('hook', { sinceAt: new Date('2026-11-02T00:00:00Z') })
  await webhooks.callbackSecret.get()
  await webhooks.callbackSecret.rotate()
  await jobs.callback.get('job')
  await jobs.callback.resend('job')
  await jobs.breakdown('job')
  await jobs.compare('job', 'earlier')
  await jobs.reportLinks.create('job', { expiresInDays: 7 })
  await jobs.reportLinks.list('job')
  await jobs.reportLinks.revoke('job', 'link')
  await jobs.rerun('job', { rows: 'unknown', callbackUrl: 'https://hooks.example.com/' })
  await jobs.update('job', { name: 'Customers', tags: ['vip'] })
  expect(received.map(sent)).toEqual([
    ['PATCH /api/v1/webhooks/hook', { enabled: false, events: ['*'] }],
    ['GET /api/v1/webhooks/hook/deliveries/delivery', undefined],
    ['POST /api/v1/webhooks/hook/recover', { since_at: '2026-11-02T00:00:00.000Z' }],
    ['GET /api/v1/account/callback-secret', undefined],
    ['POST /api/v1/account/callback-secret/rotate', undefined],
    ['GET /api/v1/bulk/jobs/job/callback', undefined],
    ['POST /api/v1/bulk/jobs/job/callback/resend', undefined],
    ['GET /api/v1/bulk/jobs/job/breakdown', undefined],
    ['GET /api/v1/bulk/jobs/job/comparison?with=earlier', undefined],
    ['POST /api/v1/bulk/jobs/job/report-links', { expires_in_days: 7 }],
    ['GET /api/v1/bulk/jobs/job/report-links', undefined],
    ['DELETE /api/v1/bulk/jobs/job/report-links/link', undefined],
    ['POST /api/v1/bulk/jobs/job/rerun', { rows: 'unknown', callback_url: 'https://hooks.example.com/' }],
    ['PATCH /api/v1/bulk/jobs/job', { name: 'Customers', tags: ['vip'] }],
  ])
})
