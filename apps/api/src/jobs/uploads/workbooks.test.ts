import { readdirSync } from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { asOwner } from '@probity/database/connection/connect'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startSwift } from '@probity/lab/services/swift'
import { whenDone } from '@probity/lab/when-done'
import { type TestWorkbook, writeTestWorkbook } from '@probity/uploads/test-workbook'
import { describe, expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { confirmList } from '../../testing/test-jobs.ts'

const folder = makeFolder('probity-workbooks')
whenDone(() => removeFolder(folder))
const { stop, ...account } = await startSwift()
whenDone(stop)
const S3 = { ...account, kind: 's3', folder: `${folder}/s3`, region: 'us-east-1', prefix: 'uploads/' } as const

const WORKBOOK: TestWorkbook = {
  sheets: [
    { name: 'Notes', rows: [['note'], ['nothing']] },
    {
      name: 'Contacts',
      rows: [['name', 'email'], ['Ada', 'ada@example.com'], [], ['Bo', 'Bo <bo@example.com>'], ['Cy', 'n/a']],
    },
    { name: 'Archive', rows: [['email'], ['old@example.com'], ['OLD@example.com']] },
  ],
}
const BOMB = `<worksheet><sheetData><!--${' '.repeat(100_000_000)}`

describe.each([{ kind: 'folder', folder: `${folder}/plain` } as const, S3])(
  'with files kept by $kind',
  async (storage) => {
    const api = await startTestApi({ config: { storage } })
    const { services } = api
    const caller = await api.openCaller({ credits: 100 })

    async function upload(content: Buffer<ArrayBuffer> | string, name = 'contacts.xlsx') {
      const form = new FormData()
      form.append('file', new Blob([content]), name)
      return caller.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
    }

    async function keep(workbook: TestWorkbook): Promise<UploadPreview> {
      const { status, body, text } = await upload(await writeTestWorkbook(workbook))
      expect([status, status === 200 ? '' : text]).toEqual([200, ''])
      return body as UploadPreview
    }

    async function keyOf(uploadId: string): Promise<string> {
      const uploads = await asOwner(api.db, (trx) =>
        trx.selectFrom('uploads').select('storageKey').where('id', '=', uploadId).executeTakeFirstOrThrow(),
      )
      return uploads.storageKey
    }

    const post = (uploadId: string, action: string, payload: object) =>
      caller.call({ method: 'POST', url: `/api/v1/bulk/uploads/${uploadId}/${action}`, payload })

    test('a workbook is previewed like a CSV, from its first sheet with addresses', async () => {
      const preview = await keep(WORKBOOK)
      expect(preview).toMatchObject({
        ...{ filename: 'contacts.xlsx', sheets: ['Notes', 'Contacts', 'Archive'], sheet: 'Contacts' },
        ...{ columns: ['name', 'email'], row_count: 3, email_count: 2, extracted_count: 1, not_address_count: 1 },
        not_address_examples: [{ row: 5, value: 'n/a' }],
        sample_rows: [
          ['Ada', 'ada@example.com'],
          ['Bo', 'Bo <bo@example.com>'],
          ['Cy', 'n/a'],
        ],
      })
      const stored = await readText(services.storage.open(await keyOf(preview.id)))
      expect(stored).toContain('"Ada","ada@example.com"\n\n"Bo"')
    })

    test('another sheet is another upload, which replaces the first', async () => {
      const first = await keep(WORKBOOK)
      const { status, body } = await post(first.id, 'sheets', { sheet: 'Archive' })
      expect([status, body]).toMatchObject([200, { sheet: 'Archive', email_count: 2, unique_count: 1 }])
      expect(body['id']).not.toBe(first.id)
      expect((await caller.call({ url: `/api/v1/bulk/uploads/${first.id}` })).status).toBe(404)
      const back = await post(String(body['id']), 'sheets', { sheet: 'Contacts' })
      expect(back.body).toMatchObject({ sheet: 'Contacts', email_count: 2 })
      const unknown = await post(String(back.body['id']), 'sheets', { sheet: 'Other' })
      expect([unknown.status, unknown.body]).toMatchObject([400, { errors: [{ pointer: '/sheet' }] }])
      const empty = await post(String(back.body['id']), 'sheets', { sheet: 'Notes' })
      expect([empty.status, empty.body['code']]).toEqual([422, 'no_email_column'])
      expect((await caller.call({ url: `/api/v1/bulk/uploads/${back.body['id']}` })).status).toBe(200)
    })

    test('the workbook is removed when a sheet is confirmed, and with an upload', async () => {
      const { id } = await keep(WORKBOOK)
      const key = await keyOf(id)
      expect(await services.storage.lendOriginal(key, async () => 'there')).toBe('there')
      expect((await confirmList(caller, id)).status).toBe(201)
      expect(await services.storage.lendOriginal(key, async () => 'there')).toBeUndefined()
      const other = await keep(WORKBOOK)
      const otherKey = await keyOf(other.id)
      await caller.call({ method: 'DELETE', url: `/api/v1/bulk/uploads/${other.id}` })
      expect(await services.storage.lendOriginal(otherKey, async () => 'there')).toBeUndefined()
    })

    test('a workbook with one sheet is not stored', async () => {
      const { id } = await keep({ sheets: WORKBOOK.sheets.slice(1, 2) })
      expect(await services.storage.lendOriginal(await keyOf(id), async () => 'there')).toBeUndefined()
      const { status, body } = await post(id, 'sheets', { sheet: 'Contacts' })
      expect([status, body['code']]).toEqual([410, 'file_removed'])
    })

    test('the erasure of an address removes workbooks whose other sheets may contain it', async () => {
      const { id } = await keep(WORKBOOK)
      const erased = await caller.call({
        method: 'POST',
        url: '/api/v1/erasures',
        payload: { email: 'carol@example.org' },
      })
      expect(erased.status).toBe(200)
      const { status, body } = await post(id, 'sheets', { sheet: 'Archive' })
      expect([status, body['code']]).toEqual([410, 'file_removed'])
    })

    test('values that are not addresses are listed, downloaded and corrected', async () => {
      const rows = ['email', 'ada@example.com', 'n/a', '', 'b o@example.com', '=cmd'].join('\n')
      const { body } = await upload(rows, 'list.csv')
      const url = `/api/v1/bulk/uploads/${body['id']}/non-addresses`
      const listed = await caller.call({ url, query: { limit: '2' } })
      expect(JSON.parse(listed.text)).toEqual([
        { row: 3, value: 'n/a', reason: 'no_address' },
        { row: 5, value: 'b o@example.com', reason: 'syntax_error' },
      ])
      expect(listed.headers['x-total-count']).toBe('3')
      expect(JSON.parse((await caller.call({ url, query: { skip: '2' } })).text)).toMatchObject([{ row: 6 }])
      const csv = await caller.call({ url, query: { format: 'csv' } })
      expect(csv.text).toBe(
        '\uFEFF"row","value","reason"\r\n"3","n/a","no_address"\r\n"5","b o@example.com","syntax_error"\r\n"6","\'=cmd","no_address"\r\n',
      )
      expect(csv.headers['content-disposition']).toContain('filename="list-not-addresses.csv"')
      const corrections = [
        { row: 5, value: 'bo@example.com' },
        { row: 6, value: '' },
        { row: 1, value: 'x@example.com' },
        { row: 99, value: 'y@example.com' },
      ]
      const corrected = await post(String(body['id']), 'corrections', { corrections })
      expect(corrected.body).toMatchObject({ email_count: 2, not_address_count: 1, empty_count: 0, columns: ['email'] })
      const id = String(corrected.body['id'])
      expect(await readText(services.storage.open(await keyOf(id)))).toMatch(
        /^"email"\n"ada@example.com"\n"n\/a"\n\n"bo@example.com"\n(?:"")?\n$/,
      )
      expect((await caller.call({ url })).status).toBe(404)
    })

    test('an upload whose file was validated before names the job and its cost', async () => {
      const workbook: TestWorkbook = { sheets: [{ name: 'A', rows: [['email'], ['same@example.com']] }] }
      const first = await keep(workbook)
      expect(first).not.toHaveProperty('same_file_job')
      const { body: job } = await confirmList(caller, first.id)
      // The bytes of the archive differ, the rows do not.
      const again = await keep({ ...workbook, parts: { 'docProps/app.xml': '<Properties/>' } })
      expect(again.same_file_job).toMatchObject({
        ...{ id: job['id'], filename: 'contacts.xlsx', email_column: 'email', credits_used: 0 },
      })
      const shown = await caller.call({ url: `/api/v1/bulk/uploads/${again.id}` })
      expect(shown.body['same_file_job']).toEqual(again.same_file_job)
      expect(await keep({ sheets: [{ name: 'A', rows: [['email'], ['other@example.com']] }] })).not.toHaveProperty(
        'same_file_job',
      )
    })

    test.each<[string, Partial<TestWorkbook>]>([
      ['a sheet that inflates to 100 MB', { sheets: [{ name: 'A', xml: BOMB }] }],
      ['shared strings that inflate to 100 MB', { sharedXml: `<sst><si><t>${'a'.repeat(100_000_000)}` }],
      ['54 MB in rows of 4 KiB', { sheets: [{ name: 'A', xml: largeSheet() }] }],
    ])('%s is rejected and leaves no file', async (_, bomb) => {
      const sheets = [{ name: 'A', rows: [['email'], ['ada@example.com']] }]
      const bytes = await writeTestWorkbook({ sheets, ...bomb })
      expect(bytes.length).toBeLessThan(1_000_000)
      const before = storage.kind === 'folder' ? readdirSync(storage.folder).length : 0
      const refused = await upload(bytes)
      expect([refused.status, refused.body['code']]).toEqual([413, 'file_too_large'])
      if (storage.kind === 'folder') expect(readdirSync(storage.folder)).toHaveLength(before)
    })
  },
)

function largeSheet(): string {
  const cell = `<c t="inlineStr"><is><t>${'a'.repeat(4_000)}</t></is></c>`
  return `<worksheet><sheetData>${`<row>${cell}</row>`.repeat(13_500)}</sheetData></worksheet>`
}
