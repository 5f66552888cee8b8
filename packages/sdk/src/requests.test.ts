import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

test('requests are asked for by what they came to, and all of them by the cursor', async () => {
  const { probity, received } = await startService((n) =>
    n === 0 ? { data: [{ id: 'req_1' }], next_cursor: 'next' } : { data: [{ id: 'req_2' }], next_cursor: null },
  )
  const met = []
  const from = new Date('2026-11-09T00:00:00Z')
  for await (const { id } of probity.requests.all({ class: 'client_error', keyId: 'a', from })) met.push(id)
  expect(met).toEqual(['req_1', 'req_2'])
  const query = 'class=client_error&key_id=a&from=2026-11-09T00%3A00%3A00.000Z'
  expect(received.map(({ path }) => path)).toEqual([
    `/api/v1/requests?${query}&limit=100`,
    `/api/v1/requests?${query}&cursor=next&limit=100`,
  ])
})

test('one request, the overview and the health of providers have their own paths', async () => {
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
