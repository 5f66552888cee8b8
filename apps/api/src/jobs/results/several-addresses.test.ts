import type { Job } from '@probity/contract/schemas/jobs/jobs'
import type { Result } from '@probity/contract/schemas/jobs/results'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { keepList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller({ credits: 100 })

const LIST =
  'name,email\nAda,"vera@example.com; ino@example.com"\nBo,una@example.com / vero@example.com\nCy,INO@example.com\n'

function keep() {
  return keepList(api, { content: LIST, by: caller, options: { several_addresses: 'all', malformed: 'skip' } })
}

async function get<T>(jobId: string, path: string, query: Record<string, string> = {}): Promise<T> {
  const { status, text } = await caller.call({ url: `/api/v1/bulk/jobs/${jobId}/${path}`, query })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text) as T
}

test('each address of a cell has a result with its row and position', async () => {
  const jobId = await keep()
  const results = await get<Result[]>(jobId, 'results')
  expect(results.map(({ row, position, email }) => `${row}/${position} ${email}`)).toEqual([
    '2/1 vera@example.com',
    '2/2 ino@example.com',
    '3/1 una@example.com',
    '3/2 vero@example.com',
  ])
  expect(await get(jobId, 'results/2')).toMatchObject({ row: 2, position: 1, email: 'vera@example.com' })
  expect(await get(jobId, 'results/2', { position: '2' })).toMatchObject({ position: 2, email: 'ino@example.com' })
  expect((await get<Result[]>(jobId, 'results', { rows: '3' })).map(({ email }) => email)).toEqual([
    'una@example.com',
    'vero@example.com',
  ])
  const missing = await caller.call({ url: `/api/v1/bulk/jobs/${jobId}/results/2`, query: { position: '3' } })
  expect(missing.status).toBe(404)
})

test('a download has a row for each address of a cell, with the number of its row', async () => {
  const jobId = await keep()
  const download = async (query: Record<string, string>) => {
    const url = `/api/v1/bulk/jobs/${jobId}/results`
    const { text } = await caller.call({ url, query: { format: 'csv', ...query } })
    return parse(text, { columns: true }) as Record<string, string>[]
  }
  const all = await download({})
  expect(all.map((row) => [row['name'], row['probity_row'], row['probity_email'], row['probity_status']])).toEqual([
    ['Ada', '2', 'vera@example.com', 'valid'],
    ['Ada', '2', 'ino@example.com', 'invalid'],
    ['Bo', '3', 'una@example.com', 'unknown'],
    ['Bo', '3', 'vero@example.com', 'valid'],
    ['Cy', '4', 'ino@example.com', 'invalid'],
  ])
  expect(all[1]?.['email']).toBe('vera@example.com; ino@example.com')
  expect(await download({ own_columns: 'true', preset: 'safest' })).toEqual([
    { name: 'Ada', email: 'vera@example.com' },
    { name: 'Bo', email: 'vero@example.com' },
  ])
})

test('a rerun of unknown rows has the unknown address of a cell only', async () => {
  const jobId = await keep()
  const url = `/api/v1/bulk/jobs/${jobId}/rerun`
  const { status, body } = await caller.call({ method: 'POST', url, payload: { rows: 'unknown' } })
  expect(status).toBe(201)
  const { body: rerun } = await caller.call({ url: `/api/v1/bulk/jobs/${body['id']}` })
  const { row_count, unique_count, extra_address_count, credits } = rerun as Job
  expect([row_count, unique_count, extra_address_count, credits.reserved]).toEqual([1, 1, 0, 1])
})

test.each([
  [{ part: 'left_out' }, '/part'],
  [{ part: 'left_out', format: 'csv', preset: 'safest' }, '/preset'],
  [{ part: 'left_out', format: 'xlsx', status: 'valid' }, '/status'],
])('rows that were left out are a file without filters: %j', async (query, pointer) => {
  const { status, body } = await caller.call({ url: `/api/v1/bulk/jobs/${await keep()}/results`, query })
  expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ pointer })]])
})
