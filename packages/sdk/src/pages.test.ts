import { expect, test } from 'vitest'
import { startService } from './test-service.ts'

/** Serves pages of these ids, newest first, as they are when the request comes. */
async function startPages(ids: string[]) {
  return startService((_n, reply, { path }) => {
    const query = new URL(path, 'http://localhost').searchParams
    const [skip, limit] = [Number(query.get('skip')), Number(query.get('limit'))]
    reply.setHeader('x-total-count', ids.length)
    return ids.slice(skip, skip + limit).map((id) => ({ id }))
  })
}

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `id${n}`)

test.each([0, 1, 100, 250])('all of %i are met, each once and in order', async (count) => {
  const ids = idsOf(count)
  const { probity, received } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.lists.all()) met.push(id)
  expect(met).toEqual(ids)
  expect(received).toHaveLength(Math.max(1, Math.ceil(count / 100)))
})

test('none is missed when those that were met are removed on the way', async () => {
  const ids = idsOf(250)
  const { probity } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.keys.all()) {
    met.push(id)
    ids.splice(ids.indexOf(id), 1)
  }
  expect(met).toEqual(idsOf(250))
})

test('none is met twice when others are added on the way', async () => {
  const ids = idsOf(250)
  const { probity } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.lists.all()) {
    met.push(id)
    if (met.length === 50) ids.unshift('new1', 'new2')
  }
  expect(met).toEqual(idsOf(250))
})

test('no page is fetched that nobody asks for', async () => {
  const { probity, received } = await startPages(idsOf(250))
  for await (const { id } of probity.lists.all()) if (id === 'id99') break
  expect(received).toHaveLength(1)
})

test('a filter goes with every page', async () => {
  const { probity, received } = await startPages(idsOf(150))
  for await (const { id } of probity.lists.all({ status: ['queued', 'paused'], search: 'a b' }))
    expect(id).toBeDefined()
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs?skip=0&limit=100&status=queued%2Cpaused&search=a+b',
    '/api/v1/bulk/jobs?skip=100&limit=100&status=queued%2Cpaused&search=a+b',
  ])
})
