import { expect, test } from 'vitest'
import { PermissionDeniedError } from '../probity.ts'
import { failureOf, refuse, startService } from '../test-service.ts'

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

test('an awaited list is a page that leads to the next one', async () => {
  const { probity, received } = await startPages(idsOf(25))
  const first = await probity.jobs.list({ limit: 10 })
  expect(first).toMatchObject({ hasMore: true, nextCursor: null, total: 25 })
  const second = await first.nextPage()
  const third = await second?.nextPage()
  expect([first, second, third].map((page) => page?.data.length)).toEqual([10, 10, 5])
  expect(third?.hasMore).toBe(false)
  expect(await third?.nextPage()).toBeUndefined()
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs?limit=10',
    '/api/v1/bulk/jobs?limit=10&skip=10',
    '/api/v1/bulk/jobs?limit=10&skip=20',
  ])
})

test('a list sends nothing before it is used, and one request however often it is awaited', async () => {
  const { probity, received } = await startPages(idsOf(3))
  const list = probity.keys.list({ limit: 5 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(received).toHaveLength(0)
  const [page, { response }] = await Promise.all([list, list.withResponse()])
  expect((await list).data).toBe(page.data)
  expect(response).toMatchObject({ status: 200, total: 3 })
  expect(received).toHaveLength(1)
})

test('a failed list rejects, and so does its iteration', async () => {
  const { probity } = await startService((_n, reply) => refuse(reply, 403, 'missing_scope'))
  const list = probity.overrides.list()
  expect(await list.catch((error: unknown) => error)).toBeInstanceOf(PermissionDeniedError)
  let isSettled = false
  await expect(list.finally(() => (isSettled = true))).rejects.toThrow(PermissionDeniedError)
  expect(isSettled).toBe(true)
  expect(await failureOf(list[Symbol.asyncIterator]().next() as Promise<unknown>)).toBeInstanceOf(PermissionDeniedError)
})

test('policies are one page', async () => {
  const { probity } = await startService(() => [{ name: 'newsletter' }, { name: 'signup' }])
  expect(await probity.policies.list()).toMatchObject({ data: { length: 2 }, hasMore: false, total: 2 })
  const names: string[] = []
  for await (const { name } of probity.policies.list()) names.push(name)
  expect(names).toEqual(['newsletter', 'signup'])
})
