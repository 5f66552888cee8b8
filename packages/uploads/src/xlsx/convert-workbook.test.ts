import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { type TestSheet, type TestWorkbook, writeTestWorkbook, writeTestZip } from '../test-workbook.ts'
import { convertWorkbook } from './convert-workbook.ts'
import { openParts } from './zip-parts.ts'

const folder = makeFolder('probity-workbooks')
whenDone(() => removeFolder(folder))

let files = 0

async function convert(workbook: TestWorkbook | Buffer, sheet?: string) {
  const path = join(folder, String(files++))
  await writeFile(path, Buffer.isBuffer(workbook) ? workbook : await writeTestWorkbook(workbook))
  const reading = await convertWorkbook(path, `${path}.csv`, { emailsMax: 1_000, sheet })
  return { reading, csv: await readFile(`${path}.csv`, 'utf8') }
}

function convertSheet(sheet: Omit<TestSheet, 'name'>, more: Partial<TestWorkbook> = {}) {
  return convert({ sheets: [{ name: 'Contacts', ...sheet }], ...more })
}

const EMAIL = [['email'], ['ada@example.com']]

test('the rows of a sheet become CSV with a byte order mark, in which blank rows are empty lines', async () => {
  const rows = [['name', 'email'], ['Ärzte, "Nord"', 'ada@example.com'], [], [], ['two\nlines', 'bob@example.com']]
  const { csv, reading } = await convertSheet({ rows })
  expect(csv).toBe('\uFEFF"name","email"\n"Ärzte, ""Nord""","ada@example.com"\n\n\n"two\nlines","bob@example.com"\n')
  expect(reading).toMatchObject({
    sheets: ['Contacts'],
    sheet: 'Contacts',
    rowCount: 2,
    emailCount: 2,
    headerRow: 1,
  })
  expect(reading).toMatchObject({ columns: ['name', 'email'], encoding: 'utf-8', delimiter: ',' })
})

test('cells are shown as a spreadsheet program exports them', async () => {
  const cells: [string, string][] = [
    ['<c t="inlineStr"><is><t>inline</t></is></c>', 'inline'],
    [
      '<c t="inlineStr"><is><r><t>rich</t></r><r><t> text</t></r><rPh sb="0" eb="1"><t>reading</t></rPh></is></c>',
      'rich text',
    ],
    ['<c t="str"><f>A1&amp;"x"</f><v>of a formula</v></c>', 'of a formula'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="b"><v>0</v></c>', 'FALSE'],
    ['<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c><v>0.30000000000000004</v></c>', '0.3'],
    ['<c><v>4915112345678</v></c>', '4915112345678'],
    ['<c t="s"><v>999</v></c>', ''],
    ['<c s="0"><v>45292</v></c>', '2024-01-01'],
    ['<c s="0"><v>45292.5625</v></c>', '2024-01-01 13:30:00'],
    ['<c s="0"><v>0.25</v></c>', '06:00:00'],
    ['<c s="1"><v>45292</v></c>', '45292'],
    ['<c s="2"><v>1.5</v></c>', '1.5'],
    ['<c t="inlineStr"><is><t>a_x000D__x0041_b_x0000_</t></is></c>', 'a\rAb'],
    ['<c t="inlineStr"><is><t><![CDATA[<b>]]></t></is></c>', '<b>'],
  ]
  const rows = [['email', 'value'], ...cells.map(([xml]) => ['ada@example.com', { xml }])]
  const { csv } = await convertSheet({ rows }, { formats: ['dd/mm/yyyy', '#,##0 "days"', '[h]:mm'] })
  const shown: string[][] = parse(csv, { bom: true, relax_column_count: true })
  expect(shown.slice(1).map(([, value = '']) => value)).toEqual(cells.map(([, text]) => text))
})

test.each<[string, boolean]>([
  ['yyyy-mm-dd', true],
  ['[$-409]d-mmm', true],
  ['"day" d', true],
  ['\\[d]', true],
  ['"days"', false],
  ['[Red]General', false],
  ['[dmy', false],
  ['"dmy', false],
  ['_d*m0', false],
])('numbers of the format %s are dates: %s', async (code, isDate) => {
  const rows = [
    ['email', 'value'],
    ['ada@example.com', { xml: '<c s="0"><v>45292</v></c>' }],
  ]
  const { csv } = await convertSheet({ rows }, { formats: [code] })
  expect(csv).toContain(isDate ? '"2024-01-01"' : '"45292"')
})

test('days are counted from 1904 if the workbook says so', async () => {
  const rows = [
    ['email', 'day'],
    ['ada@example.com', { xml: '<c s="0"><v>1</v></c>' }],
  ]
  const { csv } = await convertSheet({ rows }, { from1904: true, formats: ['yyyy-mm-dd'] })
  expect(csv).toContain('"1904-01-02"')
})

test('cells and rows without a reference follow the ones before', async () => {
  const xml = `<x:worksheet xmlns:x="urn:x"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>email</x:t></x:is></x:c></x:row><x:row><x:c t="inlineStr"><x:is><x:t>ada@example.com</x:t></x:is></x:c><x:c r="D2"><x:v>1</x:v></x:c><x:c><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>`
  const { csv } = await convertSheet({ xml })
  expect(csv).toBe('\uFEFF"email"\n"ada@example.com","","","1","2"\n')
})

test('the first visible sheet with addresses is read, and every sheet can be named', async () => {
  const sheets: TestSheet[] = [
    { name: 'Secret', state: 'hidden', rows: [['email'], ['secret@example.com']] },
    { name: 'Notes', rows: [['note'], ['nothing']] },
    { name: 'Empty' },
    { name: 'Contacts & more', rows: EMAIL },
    { name: 'Archive', rows: [['email'], ['old@example.com']] },
  ]
  const found = await convert({ sheets })
  expect(found.reading).toMatchObject({ sheet: 'Contacts & more', sheets: sheets.map(({ name }) => name) })
  expect((await convert({ sheets }, 'Archive')).csv).toContain('old@example.com')
  expect((await convert({ sheets }, 'Secret')).csv).toContain('secret@example.com')
  await expect(convert({ sheets }, 'Notes')).rejects.toMatchObject({ code: 'no_email_column' })
  await expect(convert({ sheets: sheets.slice(1, 3) })).rejects.toMatchObject({ code: 'no_email_column' })
})

test('only the first 20 sheets are searched for addresses, and the others can be named', async () => {
  const sheets: TestSheet[] = Array.from({ length: 20 }, (_, n) => ({
    name: `Notes ${n}`,
    rows: [['note'], ['nothing']],
  }))
  sheets.push({ name: 'Contacts', rows: EMAIL })
  await expect(convert({ sheets })).rejects.toMatchObject({ code: 'no_email_column' })
  expect((await convert({ sheets }, 'Contacts')).reading).toMatchObject({ sheet: 'Contacts', emailCount: 1 })
  expect((await convert({ sheets: sheets.slice(1) })).reading).toMatchObject({ sheet: 'Contacts' })
})

test('the rows of all sheets that are searched are limited, blank ones included', async () => {
  const blankUntil = (row: number, email: string) =>
    `<worksheet><sheetData><row r="${row}"><c t="str"><v>${email}</v></c></row></sheetData></worksheet>`
  const sheets = [
    { name: 'Notes', xml: blankUntil(600_000, 'note') },
    { name: 'Contacts', xml: blankUntil(400_001, 'ada@example.com') },
  ]
  await expect(convert({ sheets })).rejects.toMatchObject({ code: 'too_many_rows' })
  expect((await convert({ sheets }, 'Contacts')).reading.emailCount).toBe(1)
})

const OPEN = '<worksheet><sheetData>'
const CLOSE = '</sheetData></worksheet>'
const MEGABYTE = 'x'.repeat(1024 * 1024)

test.each<[string, Omit<TestSheet, 'name'>, string, Partial<TestWorkbook>?]>([
  ['is not well-formed', { xml: `${OPEN}<row>${CLOSE}` }, 'not_csv'],
  ['is truncated', { xml: `${OPEN}<row r="1"><c` }, 'not_csv'],
  ['has a document type', { xml: `<!DOCTYPE a [<!ENTITY b "c">]>${OPEN}${CLOSE}` }, 'not_csv'],
  ['has an undefined entity', { xml: `${OPEN}<row><c t="str"><v>&b;</v></c></row>${CLOSE}` }, 'not_csv'],
  ['has a comment of a megabyte', { xml: `${OPEN}<!--${MEGABYTE}-->${CLOSE}` }, 'not_csv'],
  ['has an attribute of a megabyte', { xml: `${OPEN}<row a="${MEGABYTE}"/>${CLOSE}` }, 'not_csv'],
  ['has a text of a megabyte', { xml: `${OPEN}<row><c t="str"><v>${MEGABYTE}</v></c></row>${CLOSE}` }, 'not_csv'],
  ['is nested deeply', { xml: `${OPEN}${'<a>'.repeat(100_000)}` }, 'not_csv'],
  ['has a row twice', { xml: `${OPEN}<row r="2"/><row r="2"/>${CLOSE}` }, 'not_csv'],
  ['has a row that no sheet has', { xml: `${OPEN}<row r="1048577"/>${CLOSE}` }, 'not_csv'],
  ['has a reference that is none', { xml: `${OPEN}<row><c r="1A"/></row>${CLOSE}` }, 'not_csv'],
  ['has a column that no sheet has', { xml: `${OPEN}<row><c r="XFE1"/></row>${CLOSE}` }, 'not_csv'],
  ['has a value in column 257', { xml: `${OPEN}<row><c r="IW1"><v>1</v></c></row>${CLOSE}` }, 'too_many_columns'],
  ['has a cell of 5 KiB', { rows: [['email'], ['x'.repeat(5_000)]] }, 'record_too_long'],
  ['has a row of 80 KiB', { rows: [Array.from({ length: 20 }, () => 'x'.repeat(4_000))] }, 'record_too_long'],
  ['has no rows', { rows: [] }, 'empty_file'],
  ['has shared strings that are not well-formed', { rows: EMAIL }, 'not_csv', { sharedXml: '<sst><si>' }],
  ['has UTF-16', { rows: EMAIL }, 'not_csv', { sharedXml: '\uD800' }],
])('a workbook that %s is rejected', async (_, sheet, code, more) => {
  await expect(convertSheet(sheet, more)).rejects.toMatchObject({ code })
})

test.each<[string, Record<string, string>]>([
  ['an archive without a workbook', { mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }],
  [
    'a document of another program',
    {
      '_rels/.rels':
        '<Relationships><Relationship Type="x/officeDocument" Target="word/document.xml"/></Relationships>',
      'word/document.xml': '<document/>',
    },
  ],
])('%s is rejected', async (_, parts) => {
  await expect(convert(await writeTestZip(parts))).rejects.toMatchObject({ code: 'not_csv' })
})

test('a damaged archive is rejected wherever it is damaged', async () => {
  const whole = await writeTestWorkbook({ sheets: [{ name: 'Contacts', rows: EMAIL }] })
  for (let at = 0; at < whole.length; at += 23) {
    const bytes = Buffer.from(whole)
    bytes.writeUInt8((bytes.readUInt8(at) + 1) % 256, at)
    const outcome = await convert(bytes).then(
      ({ reading }) => (reading.emailCount === 1 ? 'read' : 'wrong'),
      (error: { code?: string }) => error.code,
    )
    expect(['read', 'not_csv', 'empty_file', 'no_email_column', 'file_too_large']).toContain(outcome)
  }
})

/** Reads a part of an archive. Returns its size. */
async function readPart(archive: Buffer, names: string[]): Promise<number> {
  const path = join(folder, String(files++))
  await writeFile(path, archive)
  const parts = await openParts(path)
  let size = 0
  try {
    for (const name of names) {
      for await (const chunk of parts.find(name)?.() ?? []) size += chunk.length
    }
    return size
  } finally {
    parts.close()
  }
}

const MEBIBYTE = 1024 * 1024

test('a small archive is unpacked up to 64 MiB over all parts, and a larger one up to a hundred times its size', async () => {
  const parts = { a: '0'.repeat(33 * MEBIBYTE), b: '0'.repeat(33 * MEBIBYTE) }
  const small = await writeTestZip(parts)
  expect(await readPart(small, ['a'])).toBe(33 * MEBIBYTE)
  await expect(readPart(small, ['a', 'b'])).rejects.toMatchObject({ code: 'file_too_large' })
  const large = await writeTestZip({ ...parts, picture: randomBytes(MEBIBYTE).toString('base64') })
  expect(await readPart(large, ['a', 'b'])).toBe(66 * MEBIBYTE)
})

test('a part with more bytes than its archive declares is rejected', async () => {
  const bytes = await writeTestZip({ a: '0'.repeat(3_000) })
  const entry = bytes.indexOf('PK\x01\x02', 0, 'latin1')
  expect(bytes.readUInt32LE(entry + 24)).toBe(3_000)
  bytes.writeUInt32LE(2_999, entry + 24)
  await expect(readPart(bytes, ['a'])).rejects.toThrow('too many bytes')
})

test('a sheet with more than a million shared strings is rejected', async () => {
  const sharedXml = `<sst>${'<si/>'.repeat(1_000_001)}</sst>`
  await expect(convertSheet({ rows: EMAIL }, { sharedXml })).rejects.toMatchObject({ code: 'file_too_large' })
})
