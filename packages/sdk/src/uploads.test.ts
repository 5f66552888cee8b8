import { expect, test } from 'vitest'
import { ProbityError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('uploads.create sends a file while it is being produced', async () => {
  const { probity, received } = await startService(() => ({ upload_id: 'upload' }))
  let isThere = false
  async function* file() {
    yield bytes('email\n')
    // The service has the first piece before the second exists.
    await expect.poll(() => received[0]?.body).toContain('email\n')
    isThere = true
    yield bytes('ada@example.com\n')
  }
  const preview = await probity.uploads.create(file(), { filename: 'list.csv' })
  expect(preview.upload_id).toBe('upload')
  expect(isThere).toBe(true)
  const [type, boundary] = String(received[0]?.headers['content-type']).split('; boundary=')
  expect(type).toBe('multipart/form-data')
  expect(received[0]?.body).toBe(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="list.csv"\r\ncontent-type: text/csv\r\n\r\nemail\nada@example.com\n\r\n--${boundary}--\r\n`,
  )
})

test('uploads.create sends a Blob with its length and name', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.uploads.create(new Blob(['email\n']), { filename: 'given.csv' })
  await probity.uploads.create(new File(['email\n'], 'own.csv'))
  await probity.uploads.create(new Blob(['email\n']))
  expect(received.map(({ body }) => /filename="(.*)"/.exec(body)?.[1])).toEqual(['given.csv', 'own.csv', 'upload.csv'])
  for (const { headers } of received) expect(Number(headers['content-length'])).toBeGreaterThan(0)
})

test('uploads.create encodes quotes and line breaks in the filename', async () => {
  const { probity, received } = await startService(() => ({}))
  const stream = new Blob(['email\n']).stream()
  await probity.uploads.create(stream, { filename: 'a"\r\nx-injected: 1' })
  expect(received[0]?.body).toContain('filename="a%22%0D%0Ax-injected: 1"\r\n')
})

test('an error of the file rejects the call and closes the file', async () => {
  const { probity } = await startService(() => ({}))
  const broken = new Error('the disk is gone')
  let isClosed = false
  async function* file() {
    try {
      yield bytes('email\n')
      throw broken
    } finally {
      isClosed = true
    }
  }
  const failure = await failureOf(probity.uploads.create(file()))
  expect(failure).toBe(broken)
  expect(isClosed).toBe(true)
})

test('uploads.create rejects text chunks', async () => {
  const { probity } = await startService(() => ({}))
  async function* text() {
    yield 'email\n' as unknown as Uint8Array
  }
  const failure = await failureOf(probity.uploads.create(text()))
  expect(failure).toEqual(new ProbityError('The file must consist of bytes (Uint8Array), not text.'))
})

test('an error response before the end of the file rejects the call and closes the file', async () => {
  const { probity } = await startService((_n, reply) => refuse(reply, 413, 'file_too_large'), {}, { reads: false })
  let isClosed = false
  async function* endless() {
    try {
      while (true) {
        yield bytes('x'.repeat(1_024))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    } finally {
      isClosed = true
    }
  }
  expect(await failureOf(probity.uploads.create(endless()))).toMatchObject({ code: 'file_too_large' })
  await expect.poll(() => isClosed).toBe(true)
})

test('uploads are listed, read and deleted by their id', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.setHeader('x-total-count', 0)
    return []
  })
  await probity.uploads.list({ limit: 5 })
  await probity.uploads.get('upload', { emailColumn: 'work mail' })
  await probity.uploads.delete('upload')
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/bulk/uploads?limit=5',
    'GET /api/v1/bulk/uploads/upload?email_column=work+mail',
    'DELETE /api/v1/bulk/uploads/upload',
  ])
})

test('a sheet is chosen and values are corrected by requests that may be repeated', async () => {
  const { probity, received } = await startService(() => ({ upload_id: 'next' }))
  expect(await probity.uploads.chooseSheet('upload', 'Archive', { idempotencyKey: 'once' })).toMatchObject({
    upload_id: 'next',
  })
  await probity.uploads.correct('upload', [{ row: 5, value: 'ada@example.com' }], { emailColumn: 'work' })
  expect(received.map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(body)])).toEqual([
    ['POST /api/v1/bulk/uploads/upload/sheets', { sheet: 'Archive' }],
    [
      'POST /api/v1/bulk/uploads/upload/corrections',
      { corrections: [{ row: 5, value: 'ada@example.com' }], email_column: 'work' },
    ],
  ])
  expect(received[0]?.headers['idempotency-key']).toBe('once')
})

const CELLS = { severalAddresses: 'all', malformed: 'skip' } as const
const SENT = { several_addresses: 'all', malformed: 'skip' }

test('every step of an upload sends how cells are read', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.setHeader('x-total-count', 0)
    return []
  })
  const { uploads, jobs } = probity
  await uploads.create(new Blob(['email\n']), { ...CELLS, filename: 'list.csv' })
  await uploads.get('upload', CELLS)
  await uploads.suggestions('upload', { ...CELLS, emailColumn: 'work', limit: 5 })
  await uploads.chooseSheet('upload', 'Archive', CELLS)
  await uploads.chooseHeader('upload', 3, { ...CELLS, idempotencyKey: 'once' })
  await uploads.chooseHeader('upload', null)
  await uploads.correct('upload', [], { ...CELLS, acceptSuggestions: true })
  await jobs.create('upload', { ...CELLS, emailColumn: 'work' })
  const query = 'several_addresses=all&malformed=skip'
  expect(received.slice(0, 3).map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST /api/v1/bulk/upload/preview?${query}`,
    `GET /api/v1/bulk/uploads/upload?${query}`,
    `GET /api/v1/bulk/uploads/upload/suggestions?${query}&email_column=work&limit=5`,
  ])
  expect(received.slice(3).map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(body)])).toEqual([
    ['POST /api/v1/bulk/uploads/upload/sheets', { ...SENT, sheet: 'Archive' }],
    ['POST /api/v1/bulk/uploads/upload/header', { ...SENT, header_row: 3 }],
    ['POST /api/v1/bulk/uploads/upload/header', { header_row: null }],
    ['POST /api/v1/bulk/uploads/upload/corrections', { ...SENT, corrections: [], accept_suggestions: true }],
    ['POST /api/v1/bulk/upload/confirm', { ...SENT, upload_id: 'upload', email_column: 'work' }],
  ])
  expect(received[4]?.headers['idempotency-key']).toBe('once')
})

test('values that are not addresses are listed over all pages, and downloaded', async () => {
  const rows = [2, 3, 4].map((row) => ({ row, value: 'n/a', reason: 'no_address' }))
  const { probity, received } = await startService((_n, reply, { path }) => {
    reply.setHeader('x-total-count', rows.length)
    const skip = Number(new URL(path, 'http://x').searchParams.get('skip') ?? 0)
    return rows.slice(skip, skip + 2)
  })
  const found: number[] = []
  for await (const { row } of probity.uploads.nonAddresses('upload', { emailColumn: 'work', limit: 2 })) found.push(row)
  expect(found).toEqual([2, 3, 4])
  await (await probity.uploads.downloadNonAddresses('upload')).cancel()
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/uploads/upload/non-addresses?email_column=work&limit=2&skip=0',
    '/api/v1/bulk/uploads/upload/non-addresses?email_column=work&limit=2&skip=2',
    '/api/v1/bulk/uploads/upload/non-addresses?format=csv',
  ])
})
