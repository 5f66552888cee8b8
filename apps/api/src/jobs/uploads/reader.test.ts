import { readdirSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { asOwner } from '@probity/database/connection/connect'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startSwift } from '@probity/lab/services/swift'
import { whenDone } from '@probity/lab/when-done'
import type { Layout } from '@probity/uploads/read-addresses'
import { DEFAULT_CELL_OPTIONS } from '@probity/uploads/read-cell'
import { describe, expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'

const folder = makeFolder('probity-uploads')
whenDone(() => removeFolder(folder))
const { stop, ...account } = await startSwift()
whenDone(stop)
const S3 = { ...account, kind: 's3', folder: `${folder}/s3`, region: 'us-east-1', prefix: 'uploads/' } as const

const LIST =
  'name,email,other\nAda,ada@example.com,x@example.com\nBo,bo@example.com,\nCy,cy@example.com,X@example.com\n'
const LAYOUT: Layout = { encoding: 'utf-8', delimiter: ',', headerRow: 1, column: 2, ...DEFAULT_CELL_OPTIONS }

describe.each([{ kind: 'folder', folder: `${folder}/plain` } as const, S3])(
  'with files kept by $kind',
  async (storage) => {
    const api = await startTestApi({ config: { storage } })
    const { services } = api
    const caller = await api.openCaller()

    function upload(content: string) {
      const form = new FormData()
      form.append('file', new Blob([content]), 'list.csv')
      return caller.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
    }

    async function keep(content: string): Promise<{ found: UploadPreview; key: string }> {
      const { body } = await upload(content)
      const found = body as UploadPreview
      const { storageKey } = await asOwner(api.db, (trx) =>
        trx.selectFrom('uploads').select('storageKey').where('id', '=', found.upload_id).executeTakeFirstOrThrow(),
      )
      return { found, key: storageKey }
    }

    test('a file is read, stored and read again', async () => {
      const { found, key } = await keep(LIST)
      expect(found).toMatchObject({ suggested_email_column: 'email', email_count: 3, unique_count: 3 })
      expect((await buffer(services.storage.open(key))).toString()).toBe(LIST)
    })

    test('a column other than the suggested one can be counted', async () => {
      const { key } = await keep(LIST)
      const { uploadReader } = services
      expect(await uploadReader.readColumn(key, LAYOUT, { accountId: caller.accountId, emailsMax: 3 })).toMatchObject({
        emailCount: 2,
        uniqueCount: 1,
      })
      const first = { ...LAYOUT, headerRow: null, column: 0 }
      expect(await uploadReader.readColumn(key, first, { accountId: caller.accountId, emailsMax: 4 })).toMatchObject({
        emailCount: 0,
        textCount: 4,
      })
      expect(
        await uploadReader.readColumn(key, { ...LAYOUT, column: 9 }, { accountId: caller.accountId, emailsMax: 3 }),
      ).toMatchObject({
        emailCount: 0,
        textCount: 0,
      })
    })

    test('a column with too many emails is a problem that names the row', async () => {
      const { key } = await keep(LIST)
      const counting = services.uploadReader.readColumn(
        key,
        { ...LAYOUT, column: 1 },
        { accountId: caller.accountId, emailsMax: 2 },
      )
      await expect(counting).rejects.toMatchObject({
        code: 'too_many_emails',
        message: expect.stringContaining('Row 4 '),
      })
    })

    test('a rejected file is not stored', async () => {
      await services.storage.removeOlderThan(new Date(Date.now() + 3_600_000))
      expect((await upload('name,city\nAda,London\n')).body['code']).toBe('no_email_column')
      expect(await services.storage.removeOlderThan(new Date(Date.now() + 3_600_000))).toBe(0)
    })
  },
)

test('with a bucket nothing is left on the local disk', () => {
  expect(readdirSync(`${S3.folder}/scratch`)).toEqual([])
})

test('an unavailable bucket is an internal problem without details for the client', async () => {
  const wrong = { ...S3, secretAccessKey: 'wrong' }
  const api = await startTestApi({ config: { storage: wrong } })
  const caller = await api.openCaller()
  const form = new FormData()
  form.append('file', new Blob([LIST]), 'list.csv')
  const { status, body, text } = await caller.call({
    method: 'POST',
    url: '/api/v1/bulk/upload/preview',
    payload: form,
  })
  expect([status, body['code']]).toEqual([500, 'internal_error'])
  expect(text).not.toContain('signature')
  expect(readdirSync(`${S3.folder}/scratch`)).toEqual([])
})
