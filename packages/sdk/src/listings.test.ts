import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

test('entries go to the list that is named, with the note that is given', async () => {
  const { probity, received } = await startService(() => ({ added: 1, moved: 0, unchanged: 0, total: 1 }))
  expect(await probity.listings.block(['ada@example.com'], { note: 'Asked for it' })).toMatchObject({ added: 1 })
  await probity.listings.allow(['example.org'])
  expect(received.map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(String(body))])).toEqual([
    ['POST /api/v1/listings', { list: 'block', entries: ['ada@example.com'], note: 'Asked for it' }],
    ['POST /api/v1/listings', { list: 'allow', entries: ['example.org'] }],
  ])
})

test('entries are found by list and text, page by page, and come as one file', async () => {
  const entries = Array.from({ length: 130 }, (_, n) => ({ id: String(n) }))
  const { probity, received } = await startService((n, reply) => {
    reply.setHeader('x-total-count', entries.length)
    return entries.slice(n * 100, n * 100 + 100)
  })
  const met = []
  for await (const { id } of probity.listings.all({ list: 'block', search: 'example' })) met.push(id)
  expect(met).toHaveLength(130)
  expect(received[0]?.path).toBe('/api/v1/listings?list=block&search=example&skip=0&limit=100')
  await probity.listings.download({ list: 'allow' })
  expect(received[2]?.path).toBe('/api/v1/listings?list=allow&format=csv')
})

test('an entry is taken off by its id', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.writeHead(204).end()
    return undefined
  })
  await probity.listings.remove('0198f2f0-4c1a-7d02-a9be-3317c5d2e840')
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'DELETE /api/v1/listings/0198f2f0-4c1a-7d02-a9be-3317c5d2e840',
  ])
})
