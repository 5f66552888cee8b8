import { expect, test } from 'vitest'
import { refuse, startService } from './test-service.ts'

test('usage sends the period and the grouping', async () => {
  const { probity, received } = await startService(() => ({ from: '2026-11-01', to: '2026-11-02' }))
  expect(await probity.usage()).toEqual({ from: '2026-11-01', to: '2026-11-02' })
  await probity.usage({ from: '2026-11-01', to: '2026-11-02', by: 'key' })
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/usage',
    'GET /api/v1/usage?from=2026-11-01&to=2026-11-02&by=key',
  ])
})

test('ledger.list sends its filters and iterates over pages', async () => {
  const entries = Array.from({ length: 130 }, (_, n) => ({ id: `charge_${n}_0` }))
  const { probity, received } = await startService((n, reply) => {
    reply.setHeader('x-total-count', entries.length)
    return entries.slice(n * 100, n * 100 + 100)
  })
  const met = []
  for await (const { id } of probity.ledger.list({ kind: ['refund', 'charge'], from: '2026-11-01', keyId: 'none' })) {
    met.push(id)
  }
  expect(met).toEqual(entries.map(({ id }) => id))
  expect(received[0]?.path).toBe('/api/v1/ledger?kind=refund%2Ccharge&from=2026-11-01&key_id=none&skip=0&limit=100')
})

test('ledger.download requests CSV', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.writeHead(200, { 'content-type': 'text/csv' }).end('"id"\r\n')
    return undefined
  })
  expect(await new Response(await probity.ledger.download({ kind: 'grant' })).text()).toBe('"id"\r\n')
  expect(received[0]?.path).toBe('/api/v1/ledger?kind=grant&format=csv')
})

const MESSAGES = [{ email: 'ada@example.com', delivery: 'delivered' as const }]

test('feedback.report sends its options as the API names them', async () => {
  const { probity, received } = await startService(() => ({ received: 1 }))
  await probity.feedback.report(MESSAGES)
  const jobId = '0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10'
  await probity.feedback.report(MESSAGES, { sentTotal: 9, sentOn: '2026-11-02', jobId })
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill('POST /api/v1/feedback'))
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([
    { messages: MESSAGES },
    { messages: MESSAGES, sent_total: 9, sent_on: '2026-11-02', job_id: jobId },
  ])
})

test('feedback.report is retried after 503', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) return refuse(reply, 503, 'service_unavailable', { 'retry-after': '0' })
    return { received: 1 }
  })
  expect(await probity.feedback.report(MESSAGES)).toEqual({ received: 1 })
  expect(received).toHaveLength(2)
})

test('model.get requests the model', async () => {
  const { probity, received } = await startService(() => ({ name: 'logistic' }))
  expect(await probity.model.get()).toEqual({ name: 'logistic' })
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v1/model'])
})

const ERASURE = { erased_at: '2026-11-02T09:30:12.345Z', counts: { validations: 1 } }

test('erasures.create sends the address and returns the counts', async () => {
  const { probity, received } = await startService(() => ERASURE)
  expect(await probity.erasures.create('ada@example.com')).toEqual(ERASURE)
  expect(received.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
    ['POST', '/api/v1/erasures', { email: 'ada@example.com' }],
  ])
})

test('erasures.create is retried after 503', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 503, 'service_unavailable', { 'retry-after': '0' }) : ERASURE,
  )
  expect(await probity.erasures.create('ada@example.com')).toEqual(ERASURE)
  expect(received).toHaveLength(2)
})

test('erasures.create rejects with the problem code and is not retried', async () => {
  const { probity, received } = await startService((_, reply) => refuse(reply, 409, 'job_in_progress'))
  await expect(probity.erasures.create('ada@example.com')).rejects.toMatchObject({ code: 'job_in_progress' })
  expect(received).toHaveLength(1)
})
