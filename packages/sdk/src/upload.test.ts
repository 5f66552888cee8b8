import { expect, test } from 'vitest'
import { ProbityError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a file is sent while it is still being made', async () => {
  const { probity, received } = await startService(() => ({ upload_id: 'upload' }))
  let isThere = false
  async function* file() {
    yield bytes('email\n')
    // The service has the first piece before the second exists.
    await expect.poll(() => received[0]?.body).toContain('email\n')
    isThere = true
    yield bytes('ada@example.com\n')
  }
  const preview = await probity.lists.preview(file(), { filename: 'list.csv' })
  expect(preview.upload_id).toBe('upload')
  expect(isThere).toBe(true)
  const [type, boundary] = String(received[0]?.headers['content-type']).split('; boundary=')
  expect(type).toBe('multipart/form-data')
  expect(received[0]?.body).toBe(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="list.csv"\r\ncontent-type: text/csv\r\n\r\nemail\nada@example.com\n\r\n--${boundary}--\r\n`,
  )
})

test('a Blob is sent with its length, under the name it is given or has', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.lists.preview(new Blob(['email\n']), { filename: 'given.csv' })
  await probity.lists.preview(new File(['email\n'], 'own.csv'))
  await probity.lists.preview(new Blob(['email\n']))
  expect(received.map(({ body }) => /filename="(.*)"/.exec(body)?.[1])).toEqual(['given.csv', 'own.csv', 'upload.csv'])
  for (const { headers } of received) expect(Number(headers['content-length'])).toBeGreaterThan(0)
})

test('a name cannot break out of its place in the form', async () => {
  const { probity, received } = await startService(() => ({}))
  const stream = new Blob(['email\n']).stream()
  await probity.lists.preview(stream, { filename: 'a"\r\nx-injected: 1' })
  expect(received[0]?.body).toContain('filename="a%22%0D%0Ax-injected: 1"\r\n')
})

test('an error of the file is the error of the call, and what was open is closed', async () => {
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
  const failure = await failureOf(probity.lists.preview(file()))
  expect(failure).toBe(broken)
  expect(isClosed).toBe(true)
})

test('a file that comes as text is refused rather than sent in a guessed encoding', async () => {
  const { probity } = await startService(() => ({}))
  async function* text() {
    yield 'email\n' as unknown as Uint8Array
  }
  const failure = await failureOf(probity.lists.preview(text()))
  expect(failure).toEqual(new ProbityError('The file must come as bytes (Uint8Array), not as text.'))
})

test('a refusal that comes before the whole file was sent is told, and the file is let go', async () => {
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
  expect(await failureOf(probity.lists.preview(endless()))).toMatchObject({ code: 'file_too_large' })
  await expect.poll(() => isClosed).toBe(true)
})

test('uploads are listed, looked at again and removed by their id', async () => {
  const { probity, received } = await startService((_n, reply) => {
    reply.setHeader('x-total-count', 0)
    return []
  })
  await probity.lists.uploads({ limit: 5 })
  await probity.lists.previewAgain('upload', { emailColumn: 'work mail' })
  await probity.lists.removeUpload('upload')
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/bulk/uploads?limit=5',
    'GET /api/v1/bulk/uploads/upload?email_column=work+mail',
    'DELETE /api/v1/bulk/uploads/upload',
  ])
})
