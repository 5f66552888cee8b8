import { expect, test } from 'vitest'
import { refuse, startService } from './test-service.ts'

const ERASURE = { erased_at: '2026-11-02T09:30:12.345Z', counts: { validations: 1 } }

test('erasures.create sends the address and returns the counts', async () => {
  const { probity, received } = await startService(() => ERASURE)
  expect(await probity.erasures.create('ada@example.com')).toEqual(ERASURE)
  expect(received.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
    ['POST', '/api/v1/erasures', { email: 'ada@example.com' }],
  ])
})

test('erasures.create repeats a request that was rejected with 503', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 503, 'service_unavailable', { 'retry-after': '0' }) : ERASURE,
  )
  expect(await probity.erasures.create('ada@example.com')).toEqual(ERASURE)
  expect(received).toHaveLength(2)
})

test('erasures.create rejects with the code of the problem, without a repetition', async () => {
  const { probity, received } = await startService((_, reply) => refuse(reply, 409, 'job_in_progress'))
  await expect(probity.erasures.create('ada@example.com')).rejects.toMatchObject({ code: 'job_in_progress' })
  expect(received).toHaveLength(1)
})
