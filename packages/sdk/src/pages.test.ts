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

test.each([0, 1, 100, 250])('iteration yields each of %i items once and in order', async (count) => {
  const ids = idsOf(count)
  const { probity, received } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.jobs.list()) met.push(id)
  expect(met).toEqual(ids)
  expect(received).toHaveLength(Math.max(1, Math.ceil(count / 100)))
})

test('iteration misses nothing when items are deleted meanwhile', async () => {
  const ids = idsOf(250)
  const { probity } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.keys.list()) {
    met.push(id)
    ids.splice(ids.indexOf(id), 1)
  }
  expect(met).toEqual(idsOf(250))
})

test('iteration repeats nothing when items are created meanwhile', async () => {
  const ids = idsOf(250)
  const { probity } = await startPages(ids)
  const met: string[] = []
  for await (const { id } of probity.jobs.list()) {
    met.push(id)
    if (met.length === 50) ids.unshift('new1', 'new2')
  }
  expect(met).toEqual(idsOf(250))
})

test('iteration fetches no page beyond the last item used', async () => {
  const { probity, received } = await startPages(idsOf(250))
  for await (const { id } of probity.jobs.list()) if (id === 'id99') break
  expect(received).toHaveLength(1)
})

test('iteration sends filters with every page', async () => {
  const { probity, received } = await startPages(idsOf(150))
  for await (const { id } of probity.jobs.list({ status: ['queued', 'paused'], search: 'a b' }))
    expect(id).toBeDefined()
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs?status=queued%2Cpaused&search=a+b&skip=0&limit=100',
    '/api/v1/bulk/jobs?status=queued%2Cpaused&search=a+b&skip=100&limit=100',
  ])
})
