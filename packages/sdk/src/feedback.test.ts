import { expect, test } from 'vitest'
import { refuse, startService } from './test-service.ts'

const MESSAGES = [{ email: 'ada@example.com', delivery: 'delivered' as const }]

test('a report goes out in the words of the wire, and what is left out stays out', async () => {
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

test('a report that met a service out of breath is sent again: it counts once', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) return refuse(reply, 503, 'service_unavailable', { 'retry-after': '0' })
    return { received: 1 }
  })
  expect(await probity.feedback.report(MESSAGES)).toEqual({ received: 1 })
  expect(received).toHaveLength(2)
})

test('the model is asked for where it is', async () => {
  const { probity, received } = await startService(() => ({ name: 'a model' }))
  expect(await probity.model.get()).toEqual({ name: 'a model' })
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v1/model'])
})
