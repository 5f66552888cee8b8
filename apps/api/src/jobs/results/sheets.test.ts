import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { convertWorkbook } from '@probity/uploads/xlsx/convert-workbook'
import { openParts } from '@probity/uploads/xlsx/zip-parts'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { keepList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller()
const folder = makeFolder('probity-sheets')
whenDone(() => removeFolder(folder))

const keep = (content: string | Buffer, filename = 'list.csv') => keepList(api, { content, filename, by: caller })

async function get(jobId: string, query: Record<string, string>) {
  const url = `/api/v1/bulk/jobs/${jobId}/results`
  const { statusCode, headers, rawPayload } = await api.app.inject({ url, query, headers: { 'x-api-key': caller.key } })
  expect([statusCode, statusCode === 200 ? '' : rawPayload.toString()]).toEqual([200, ''])
  const [, name] = /filename="([^"]+)"/.exec(String(headers['content-disposition'])) ?? []
  return { bytes: rawPayload, text: rawPayload.toString(), name, type: headers['content-type'] }
}

async function getCsv(jobId: string, query: Record<string, string> = {}): Promise<string> {
  return (await get(jobId, { format: 'csv', ...query })).text
}

/** The rows of a workbook as its reader sees them. */
async function readWorkbook(bytes: Buffer) {
  const path = join(folder, 'results.xlsx')
  await writeFile(path, bytes)
  const reading = await convertWorkbook(path, `${path}.csv`, { emailsMax: 100_000, sheet: undefined })
  const parts = await openParts(path)
  let xml = ''
  for await (const chunk of parts.find('xl/worksheets/sheet1.xml')?.() ?? []) xml += chunk.toString()
  parts.close()
  return { reading, xml }
}

const LIST = 'name,email\nVera,vera@example.com\nIno,ino@example.com\nVera again,Vera <VERA@example.com>\nNone,n/a\n'

test('unique=true omits the rows that repeat an address, and keeps all other rows', async () => {
  const jobId = await keep(LIST)
  const rows: string[][] = parse(await getCsv(jobId, { unique: 'true' }))
  expect(rows.map(([name]) => name)).toEqual(['name', 'Vera', 'Ino', 'None'])
})

test('own_columns=true omits our columns, and leaves the addresses without display names', async () => {
  const jobId = await keep(LIST.replace('vera@', 'Vera <vera@').replace('.com\nIno', '.com>\nIno'))
  const query = { own_columns: 'true', unique: 'true', preset: 'balanced', policy: 'newsletter', evidence: 'true' }
  expect(await getCsv(jobId, query)).toBe('"name","email"\r\n"Vera","vera@example.com"\r\n')
})

test('own_columns=true adds no header to a file without one', async () => {
  const jobId = await keep('vera@example.com\nino@example.com\n')
  expect(await getCsv(jobId, { own_columns: 'true' })).toBe('"vera@example.com"\r\n"ino@example.com"\r\n')
})

test.each<[string, Buffer, boolean]>([
  ['starts with a byte order mark', Buffer.from(`\uFEFF${LIST}`), true],
  ['is in UTF-16', Buffer.from(`\uFEFF${LIST}`, 'utf16le'), true],
  ['is in Windows-1252', Buffer.from(LIST.replace('None', 'Ärzte'), 'latin1'), true],
  ['is plain UTF-8', Buffer.from(LIST.replace('None', 'Ärzte')), false],
])('keep_bom=true of a file that %s', async (_, content, hasMark) => {
  const jobId = await keep(content)
  expect((await getCsv(jobId, { keep_bom: 'true' })).startsWith('\uFEFF"name"')).toBe(hasMark)
  expect((await getCsv(jobId)).startsWith('"name"')).toBe(true)
  expect((await getCsv(jobId, { bom: 'true' })).startsWith('\uFEFF"name"')).toBe(true)
})

test('blank rows of the file are kept, except where a filter selects rows', async () => {
  const content = 'email,x\n\n \n,\nvera@example.com,1\n,,\n\n\nino@example.com,2\n,\n'
  const jobId = await keep(content)
  const lines = (await getCsv(jobId)).split('\r\n')
  expect(lines.map((line) => line.split(',', 1)[0])).toEqual([
    ...['"email"', '', '', '', '"vera@example.com"', '', '', '', '"ino@example.com"', '', ''],
  ])
  expect((await getCsv(jobId, { status: 'valid' })).trimEnd().split('\r\n')).toHaveLength(2)
})

test('a file of a million blank lines is exported in small pages', async () => {
  const jobId = await keep(`email\nvera@example.com\n${'\n'.repeat(990_000)}ino@example.com\n`)
  const csv = await getCsv(jobId, { own_columns: 'true' })
  expect(csv.length).toBe('"email"\r\n"vera@example.com"\r\n"ino@example.com"\r\n'.length + 1_980_000)
})

test.each([
  [{ format: 'csv' }, 'contacts-results.csv'],
  [{ format: 'xlsx' }, 'contacts-results.xlsx'],
  [{ format: 'ndjson' }, 'contacts-results.ndjson'],
  [{ format: 'csv', preset: 'all_but_bounces' }, 'contacts-to-keep-all-but-bounces.csv'],
  [{ format: 'xlsx', preset: 'balanced', part: 'remove' }, 'contacts-to-remove-balanced.xlsx'],
  [{ format: 'csv', status: 'invalid,risky' }, 'contacts-invalid-risky.csv'],
])('the file of %j says what it contains', async (query, name) => {
  const jobId = await keep(LIST, 'contacts.csv')
  expect((await get(jobId, query)).name).toBe(name)
})

test('xlsx has the cells of csv, as texts', async () => {
  const odd = [
    '007',
    '+49 30 1234',
    '1e5',
    'Žluťoučký kůň',
    '<b>&amp;</b>',
    '_x0041_',
    ' spaces ',
    'two\nlines',
    '漢字😀',
  ]
  const rows = odd.map((cell, n) => `"${cell}",vera${n}@example.com`)
  const jobId = await keep(`odd,email\n${rows.join('\n')}\n\nlast,ino@example.com\n`)
  const { bytes, type } = await get(jobId, { format: 'xlsx' })
  expect(type).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  const { reading, xml } = await readWorkbook(bytes)
  expect(reading).toMatchObject({ sheets: ['Results'], rowCount: odd.length + 1 })
  const csv: string[][] = parse(await getCsv(jobId, { formula_safe: 'false' }), { skip_empty_lines: true })
  const path = join(folder, 'results.xlsx.csv')
  const shown: string[][] = parse(await readFile(path, 'utf8'), {
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
  })
  expect(shown.map((cells) => [...cells, ...(csv[0]?.slice(cells.length).map(() => '') ?? [])])).toEqual(csv)
  expect(xml).toContain(`<row r="${odd.length + 3}">`) // the blank row is a gap
  expect(xml.match(/<c [^>]*>/g)?.every((cell) => cell.endsWith('t="inlineStr">'))).toBe(true)
})

test('10,000 hostile cells of a workbook come back unchanged, none of them as a formula', async () => {
  const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', "=cmd|' /C calc'!A0", '\t=1', '＝1', '"=1"', ';=1', "'=1"]
  const cells = Array.from({ length: 10_000 }, (_, n) => `${hostile[n % hostile.length]}${n}`)
  const rows = Array.from({ length: 2_500 }, (_, n) => [...cells.slice(n * 4, n * 4 + 4), `vera${n}@example.com`])
  const content = await writeTestWorkbook({ sheets: [{ name: 'A', rows: [['a', 'b', 'c', 'd', 'email'], ...rows] }] })
  const jobId = await keep(content, 'hostile.xlsx')
  const { bytes } = await get(jobId, { format: 'xlsx', own_columns: 'true' })
  const { xml } = await readWorkbook(bytes)
  expect(xml).not.toMatch(/<f[ >]|t="str"/)
  const shown: string[][] = parse(await readFile(join(folder, 'results.xlsx.csv'), 'utf8'), { bom: true })
  expect(shown.slice(1)).toEqual(rows)
})

test('unique, own_columns and a filter apply to xlsx', async () => {
  const jobId = await keep(LIST)
  const { bytes } = await get(jobId, { format: 'xlsx', unique: 'true', own_columns: 'true', status: 'valid' })
  const { reading, xml } = await readWorkbook(bytes)
  expect(reading).toMatchObject({ columns: ['name', 'email'], rowCount: 1 })
  expect(xml).toContain('vera@example.com')
})
