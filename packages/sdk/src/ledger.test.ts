import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

test('usage is asked for the days and the way that are named', async () => {
  const { probity, received } = await startService(() => ({ from: '2026-11-01', to: '2026-11-02' }))
  expect(await probity.usage()).toEqual({ from: '2026-11-01', to: '2026-11-02' })
  await probity.usage({ from: '2026-11-01', to: '2026-11-02', by: 'key' })
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/usage',
    'GET /api/v1/usage?from=2026-11-01&to=2026-11-02&by=key',
  ])
})

test('movements are asked for by kind, day and key, page by page', async () => {
  const entries = Array.from({ length: 130 }, (_, n) => ({ id: `charge_${n}_0` }))
  const { probity, received } = await startService((n, reply) => {
    reply.setHeader('x-total-count', entries.length)
    return entries.slice(n * 100, n * 100 + 100)
  })
  const met = []
  for await (const { id } of probity.ledger.all({ kind: ['refund', 'charge'], from: '2026-11-01', keyId: 'none' })) {
    met.push(id)
  }
  expect(met).toEqual(entries.map(({ id }) => id))
  expect(received[0]?.path).toBe('/api/v1/ledger?kind=refund%2Ccharge&from=2026-11-01&key_id=none&skip=0&limit=100')
})

test('all movements come as one file', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.writeHead(200, { 'content-type': 'text/csv' }).end('"id"\r\n')
    return undefined
  })
  expect(await new Response(await probity.ledger.download({ kind: 'grant' })).text()).toBe('"id"\r\n')
  expect(received[0]?.path).toBe('/api/v1/ledger?kind=grant&format=csv')
})
