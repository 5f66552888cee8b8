import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

test('requests.list sends its filters and iterates by cursor', async () => {
  const { probity, received } = await startService((n) =>
    n === 0
      ? { data: [{ id: 'req_1' }], next_cursor: 'next', retention_days: 30 }
      : { data: [{ id: 'req_2' }], next_cursor: null, retention_days: 30 },
  )
  const met = []
  const from = new Date('2026-11-09T00:00:00Z')
  for await (const { id } of probity.requests.list({ class: 'client_error', keyId: 'a', from })) met.push(id)
  expect(met).toEqual(['req_1', 'req_2'])
  const query = 'class=client_error&key_id=a&from=2026-11-09T00%3A00%3A00.000Z'
  expect(received.map(({ path }) => path)).toEqual([
    `/api/v1/requests?${query}&limit=100`,
    `/api/v1/requests?${query}&cursor=next&limit=100`,
  ])
})

test('requests.get, overview and providerHealth request their paths', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.requests.get('req_1')
  await probity.overview({ days: 7 })
  await probity.providerHealth()
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/requests/req_1',
    'GET /api/v1/overview?days=7',
    'GET /api/v1/health/providers',
  ])
})

test('an awaited page of requests has its cursor and the retention', async () => {
  const { probity } = await startService((n) => ({
    data: [{ id: `req_${n}` }],
    next_cursor: n === 0 ? 'next' : null,
    retention_days: 30,
  }))
  const first = await probity.requests.list()
  expect(first).toMatchObject({ data: [{ id: 'req_0' }], hasMore: true, nextCursor: 'next', retentionDays: 30 })
  const second = await first.nextPage()
  expect(second).toMatchObject({ data: [{ id: 'req_1' }], hasMore: false, nextCursor: null })
  expect(await second?.nextPage()).toBeUndefined()
})
