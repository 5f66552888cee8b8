import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

test('overrides.create sends targets with their action and note', async () => {
  const { probity, received } = await startService(() => ({ added: 1, moved: 0, unchanged: 0, total: 1 }))
  expect(
    await probity.overrides.create({ action: 'block', targets: ['ada@example.com'], note: 'Unsubscribed' }),
  ).toMatchObject({ added: 1 })
  await probity.overrides.create({ action: 'allow', targets: ['example.org'] })
  expect(received.map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(String(body))])).toEqual([
    ['POST /api/v1/overrides', { action: 'block', targets: ['ada@example.com'], note: 'Unsubscribed' }],
    ['POST /api/v1/overrides', { action: 'allow', targets: ['example.org'] }],
  ])
})

test('overrides.list filters by action and text over several pages, and download requests CSV', async () => {
  const entries = Array.from({ length: 130 }, (_, n) => ({ id: String(n) }))
  const { probity, received } = await startService((n, reply) => {
    reply.setHeader('x-total-count', entries.length)
    return entries.slice(n * 100, n * 100 + 100)
  })
  const met = []
  for await (const { id } of probity.overrides.list({ action: 'block', search: 'example' })) met.push(id)
  expect(met).toHaveLength(130)
  expect(received[0]?.path).toBe('/api/v1/overrides?action=block&search=example&skip=0&limit=100')
  await probity.overrides.download({ action: 'allow' })
  expect(received[2]?.path).toBe('/api/v1/overrides?action=allow&format=csv')
})

test('overrides.delete deletes an override by its id', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.writeHead(204).end()
    return undefined
  })
  await probity.overrides.delete('0198f2f0-4c1a-7d02-a9be-3317c5d2e840')
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'DELETE /api/v1/overrides/0198f2f0-4c1a-7d02-a9be-3317c5d2e840',
  ])
})
