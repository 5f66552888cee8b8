import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { asOwner } from '@probity/database/connection/connect'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi, type TestClient } from '../../testing/test-api.ts'

const api = await startTestApi()
const { folder } = api.config.storage
const PREVIEW = '/api/v1/bulk/upload/preview'

function send(by: TestClient, content: string) {
  const form = new FormData()
  form.append('file', new Blob([content]), 'list.csv')
  return by.call({ method: 'POST', url: PREVIEW, payload: form })
}

async function upload(by: TestClient, content: string): Promise<UploadPreview> {
  const { status, body } = await send(by, content)
  expect(status).toBe(200)
  return body as UploadPreview
}

function look(by: TestClient, { upload_id: id }: UploadPreview, column?: string) {
  const query = column === undefined ? {} : { email_column: column }
  return by.call({ method: 'GET', url: `/api/v1/bulk/uploads/${id}`, query })
}

function confirm(by: TestClient, { upload_id }: UploadPreview, column = 'email') {
  return by.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload: { upload_id, email_column: column } })
}

async function pathOf({ db }: TestApi, { upload_id: id }: UploadPreview): Promise<string> {
  const row = await asOwner(db, (trx) =>
    trx.selectFrom('uploads').select('storageKey').where('id', '=', id).executeTakeFirstOrThrow(),
  )
  return join(folder, row.storageKey)
}

const LIST = 'email,second\nada@example.com,x@example.com\nbob@example.com,n/a\nn/a,y@example.com\n'

test('the preview of an upload is stored, so that its file is read once per column', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const first = await upload(caller, LIST)
  const second = (await look(caller, first, 'second')).body
  expect(second).toMatchObject({ email_column: 'second', email_count: 2, not_address_count: 1, unique_count: 2 })
  writeFileSync(await pathOf(api, first), 'another file')
  expect((await look(caller, first)).body).toEqual(first)
  expect((await look(caller, first, 'email')).body).toEqual(first)
  expect((await look(caller, first, 'second')).body).toEqual(second)
  expect((await confirm(caller, first, 'second')).status).toBe(201)
})

test('the stored preview is deleted with its upload', async () => {
  const caller = await api.openCaller()
  const files = readdirSync(folder)
  const first = await upload(caller, LIST)
  expect(readdirSync(folder)).toHaveLength(files.length + 2)
  await caller.call({ method: 'DELETE', url: `/api/v1/bulk/uploads/${first.upload_id}` })
  expect(readdirSync(folder)).toEqual(files)
})

test('the limit of a smaller plan applies to a stored preview', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const first = await upload(caller, `email\n${emails(10_001)}\n`)
  await asOwner(api.db, (trx) =>
    trx.updateTable('accounts').set({ plan: 'starter' }).where('id', '=', caller.accountId).execute(),
  )
  expect((await look(caller, first)).body['code']).toBe('too_many_emails')
})

function emails(count: number): string {
  return Array.from({ length: count }, (_, n) => `person${n}@example.com`).join('\n')
}

test('an account has a limited number of unconfirmed uploads', async () => {
  const small = await startTestApi({ config: { uploadLimits: { uploadsMax: 3, bytesMax: 1_000_000 } } })
  const [caller, other] = [await small.openCaller({ credits: 10 }), await small.openCaller()]
  const [first] = [await upload(caller, LIST), await upload(caller, LIST), await upload(caller, LIST)]
  const { status, body } = await send(caller, LIST)
  expect([status, body['code']]).toEqual([409, 'too_many_uploads'])
  expect(body['detail']).toMatch(/at most 3 uploads that are not confirmed, and 1 MB/)
  await upload(other, LIST)

  expect((await confirm(caller, first as UploadPreview)).status).toBe(201)
  const last = await upload(caller, LIST)
  expect((await send(caller, LIST)).status).toBe(409)
  await caller.call({ method: 'DELETE', url: `/api/v1/bulk/uploads/${last.upload_id}` })
  // Concurrently: files that are still arriving count too.
  const answers = await Promise.all([send(caller, LIST), send(caller, LIST), send(caller, LIST)])
  expect(answers.filter((one) => one.status === 200).length).toBeLessThanOrEqual(1)
})

test('an account has a limited number of bytes, and confirmed uploads of test mode count', async () => {
  const small = await startTestApi({ config: { uploadLimits: { uploadsMax: 10, bytesMax: 1_000_000 } } })
  const [caller, tester] = [await small.openCaller({ credits: 10 }), await small.openCaller({ key: { mode: 'test' } })]
  const large = `email,note\n${'ada@example.com,some more text to fill it\n'.repeat(10_000)}`
  const files = readdirSync(small.config.storage.folder)
  const first = await upload(caller, large)
  expect((await send(caller, large)).body['code']).toBeUndefined()
  expect((await send(caller, large)).body['code']).toBe('too_many_uploads')
  expect((await confirm(caller, first)).status).toBe(201)
  await upload(caller, large)

  const tried = [await upload(tester, large), await upload(tester, large)]
  for (const one of tried) expect((await confirm(tester, one)).status).toBe(201)
  expect((await send(tester, large)).body['code']).toBe('too_many_uploads')
  // Five are stored with a preview each; rejected ones leave nothing.
  expect(readdirSync(small.config.storage.folder)).toHaveLength(files.length + 10)
})

/** Addresses in every column, so that each column has to be read. */
function wideList(rows: number, columns: number): string {
  const head = Array.from({ length: columns }, (_, n) => `mail${n}`).join(',')
  const row = (n: number) => Array.from({ length: columns }, (_, c) => `person${n}.${c}@example.com`).join(',')
  return `${head}\n${Array.from({ length: rows }, (_, n) => row(n)).join('\n')}\n`
}

test('uploads of an account succeed while another account keeps reading a large upload', {
  timeout: 120_000,
}, async () => {
  const [busy, other] = [await api.openCaller(), await api.openCaller()]
  const large = await upload(busy, wideList(10_000, 8))
  let isDone = false
  const seen = new Map<number, number>()
  const loops = Array.from({ length: 60 }, async (_, n) => {
    while (!isDone) {
      const { status } = await look(busy, large, n % 3 === 0 ? undefined : `mail${n % 8}`)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      await sleep(20) // without a delay the rejected requests would occupy the CPU of the API in this process
    }
  })
  const statuses: number[] = []
  for (let n = 0; n < 10; n++) statuses.push((await send(other, LIST)).status)
  isDone = true
  await Promise.all(loops)
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
  expect(seen.get(200)).toBeGreaterThan(0)
})

test('a reading ends when its client disconnects, and nothing of the upload is stored', {
  timeout: 60_000,
}, async () => {
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const caller = await api.openCaller()
  const files = readdirSync(folder)
  const list = wideList(50_000, 8)
  const content = `--b\r\ncontent-disposition: form-data; name="file"; filename="x.csv"\r\n\r\n${list}\r\n--b--\r\n`
  const headers = {
    'x-api-key': caller.key,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': Buffer.byteLength(content),
  }
  const sent = httpRequest({ port, path: PREVIEW, method: 'POST', headers, agent: false })
  sent.on('error', () => {}) // the test ends the connection
  sent.end(content)
  // The file is read when it has arrived completely.
  const arrived = () => readdirSync(folder).filter((name) => !files.includes(name))
  await vi.waitFor(() => expect(arrived().map((name) => statSync(join(folder, name)).size)).toEqual([list.length]), {
    timeout: 20_000,
    interval: 20,
  })
  sent.destroy()
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual(files), { timeout: 20_000, interval: 100 })
  const { body } = await caller.call({ method: 'GET', url: '/api/v1/bulk/uploads' })
  expect(body).toEqual([])
})
