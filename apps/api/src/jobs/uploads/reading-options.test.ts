import type { Job } from '@probity/contract/schemas/jobs/jobs'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { booksOf, confirmList } from '../../testing/test-jobs.ts'

const api = await startTestApi()

const LIST = [
  'Contacts export 2026,',
  ',',
  'name,E-mail',
  'Ada,ada@example.com; bo@example.com',
  '',
  'Cy,cy @ example.com',
  'Di,di@gmial.com',
  'Ed,ed.@example.com',
  'Flo,n/a',
  'Gus,',
  'Ada,ADA@example.com',
].join('\n')

async function open(credits = 100) {
  const caller = await api.openCaller({ credits })
  const upload = async (content: string | Uint8Array<ArrayBuffer>, query = {}, name = 'list.csv') => {
    const form = new FormData()
    form.append('file', new Blob([content]), name)
    const url = '/api/v1/bulk/upload/preview'
    const { status, body } = await caller.call({ method: 'POST', url, query, payload: form })
    expect(status).toBe(200)
    return body as UploadPreview
  }
  const change = async (id: string, path: string, payload: object) => {
    const url = `/api/v1/bulk/uploads/${id}/${path}`
    const { status, body } = await caller.call({ method: 'POST', url, payload })
    return { status, body, preview: body as UploadPreview }
  }
  return { caller, upload, change }
}

const ALL = { several_addresses: 'all', malformed: 'skip' }

test('the preview accounts for every line, as the options say', async () => {
  const { caller, upload } = await open()
  const first = await upload(LIST)
  expect(first).toMatchObject({
    ...{ header_row: 3, columns: ['name', 'E-mail'], line_count: 8, blank_count: 1, row_count: 7 },
    ...{ empty_count: 1, not_address_count: 1, left_out_count: 1, extra_address_count: 1 },
    ...{ email_count: 5, unique_count: 4, duplicate_count: 1, malformed_count: 1, repaired_count: 1 },
    repaired_examples: [{ row: 6, value: 'cy @ example.com', email: 'cy@example.com' }],
    suggestion_count: 1,
    credits: { quote: 4 },
  })
  expect(first.first_rows.slice(0, 2)).toEqual([
    { row: 1, values: ['Contacts export 2026', ''] },
    { row: 3, values: ['name', 'E-mail'] },
  ])
  const all = {
    ...{ several_addresses: 'all', malformed: 'skip', left_out_count: 1, extra_address_count: 1 },
    ...{ email_count: 5, unique_count: 4, duplicate_count: 1, credits: { quote: 4 } },
  }
  expect(await upload(LIST, ALL)).toMatchObject(all)
  // Options of a stored file are read again.
  const again = await caller.call({ url: `/api/v1/bulk/uploads/${first.id}`, query: ALL })
  expect(again.body).toMatchObject(all)
  const { body } = await caller.call({ url: `/api/v1/bulk/uploads/${first.id}`, query: { several_addresses: 'all' } })
  expect(body).toMatchObject({ left_out_count: 0, email_count: 6, unique_count: 5, duplicate_count: 1 })
})

test('a value that is left out is neither reserved nor part of the job', async () => {
  const { caller, upload } = await open(100)
  const { id } = await upload(LIST)
  const { status, body } = await confirmList(caller, id, 'E-mail', ALL)
  expect(status).toBe(201)
  const job = (await caller.call({ url: `/api/v1/bulk/jobs/${body['id']}` })).body as Job
  expect(job).toMatchObject({
    ...{ line_count: 8, blank_count: 1, row_count: 7, empty_count: 1, not_address_count: 1 },
    ...{ left_out_count: 1, extra_address_count: 1, unique_count: 4, duplicate_count: 1 },
    ...{ several_addresses: 'all', malformed: 'skip' },
    credits: { reserved: 4, used: 0 },
  })
  expect(await booksOf(api.db, caller.accountId)).toEqual({ available: 96, reserved: 4, spent: 0 })
})

test('a column in which everything is left out cannot be confirmed', async () => {
  const { caller, upload } = await open()
  const { id } = await upload('email\na.@example.com\n', {})
  const { status, body } = await confirmList(caller, id, 'email', ALL)
  expect([status, body['code']]).toEqual([422, 'column_without_emails'])
  expect((await confirmList(caller, id, 'email')).status).toBe(201)
})

test('another row, or none, can be the header', async () => {
  const { upload, change } = await open()
  const found = await upload('a,b\nname,email\nAda,ada@example.com\n')
  expect(found).toMatchObject({ header_row: 2, columns: ['name', 'email'] })
  const first = (await change(found.id, 'header', { header_row: 1 })).preview
  expect(first).toMatchObject({ header_row: 1, columns: ['a', 'b'], row_count: 2, not_address_count: 1 })
  const none = (await change(first.id, 'header', { header_row: null })).preview
  expect(none).toMatchObject({ header_row: null, has_header: false, columns: ['column_1', 'column_2'], row_count: 3 })
  const { status, body } = await change(none.id, 'header', { header_row: 9 })
  expect([status, body['code']]).toEqual([422, 'empty_file'])
  // A rejected choice keeps the upload.
  expect((await change(none.id, 'header', { header_row: 2 })).status).toBe(200)
})

test('the header of a sheet is chosen, and then another sheet', async () => {
  const { upload, change } = await open()
  const rows = [['Export'], ['Name', 'E-mail'], ['Ada', 'ada@example.com']]
  const workbook = await writeTestWorkbook({
    sheets: [
      { name: 'One', rows },
      { name: 'Two', rows: [['x@example.com']] },
    ],
  })
  const found = await upload(workbook, {}, 'list.xlsx')
  expect(found).toMatchObject({ sheet: 'One', header_row: 2, columns: ['Name', 'E-mail'] })
  const none = (await change(found.id, 'header', { header_row: null })).preview
  expect(none).toMatchObject({ sheet: 'One', sheets: ['One', 'Two'], header_row: null, row_count: 3 })
  const two = (await change(none.id, 'sheets', { sheet: 'Two' })).preview
  expect(two).toMatchObject({ sheet: 'Two', header_row: null, email_count: 1 })
})

test('suggestions for domains are listed, and accepted by consent only', async () => {
  const { caller, upload, change } = await open()
  const { id } = await upload('email\nada@gmial.com\n"Bo <bo@hotmial.com>, cy@example.com"\n', {
    several_addresses: 'all',
  })
  const url = `/api/v1/bulk/uploads/${id}/suggestions`
  const { status, headers, text } = await caller.call({ url, query: { limit: '1' } })
  expect([status, headers['x-total-count'], JSON.parse(text)]).toEqual([
    ...[200, '2'],
    [{ row: 2, value: 'ada@gmial.com', suggestion: 'ada@gmail.com' }],
  ])
  expect((await change(id, 'corrections', { corrections: [] })).body).toMatchObject({ code: 'invalid_request' })
  const accepted = (await change(id, 'corrections', { corrections: [], accept_suggestions: true, ...ALL })).preview
  expect(accepted).toMatchObject({ suggestion_count: 0, email_count: 3, unique_count: 3, several_addresses: 'all' })
})
