import { Readable } from 'node:stream'
import type { Db } from '@probity/database/connection/connect'
import { cut } from '@probity/uploads/csv'
import type { FileStorage } from '@probity/uploads/storage'
import { ZipFile } from 'yazl'
import type { SheetJob, SheetRow } from './sheet-rows.ts'
import { readSheetRows, type SheetOptions } from './write-csv.ts'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * The rows of an export as a workbook with one sheet, as a stream. All cells are texts: spreadsheet programs neither evaluate them nor
 * change leading zeros and long numbers.
 */
export async function* writeXlsx(
  { db, storage }: { db: Db; storage: FileStorage },
  job: SheetJob,
  options: SheetOptions,
): AsyncGenerator<Buffer> {
  const open = () => storage.open(job.file.storageKey)
  const pages = await beginReading(readSheetRows({ db, open }, job, options))
  const sheet = Readable.from(writeSheet(pages), { objectMode: false })
  const zip = new ZipFile()
  const output = Readable.from(zip.outputStream as AsyncIterable<Buffer>, { objectMode: false })
  zip.on('error', (error) => output.destroy(error))
  for (const [name, text] of PARTS) zip.addBuffer(Buffer.from(text), name)
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml')
  zip.end()
  try {
    yield* output
  } finally {
    sheet.destroy() // a client that disconnects ends the reading from the database
  }
}

/** Reads the first page at once: an unavailable file or database must be known before the first byte is sent. */
async function beginReading(pages: AsyncGenerator<SheetRow[]>): Promise<AsyncGenerator<SheetRow[]>> {
  const first = await pages.next()
  return (async function* () {
    try {
      if (!first.done) yield first.value
      yield* pages
    } finally {
      await pages.return(undefined)
    }
  })()
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts besides the sheet. */
const PARTS: [name: string, text: string][] = [
  [
    '[Content_Types].xml',
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
]

/** A sheet has 1,048,576 rows, and a file 1,000,000 rows that are not empty. */
const BLANK_ROWS_MAX = 48_000

async function* writeSheet(pages: AsyncIterable<SheetRow[]>): AsyncGenerator<string> {
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetData>`
  let row = 0
  let blankRows = 0
  for await (const rows of pages) {
    let text = ''
    for (const cells of rows) {
      if (cells.length === 0 && ++blankRows > BLANK_ROWS_MAX) continue
      row++
      if (cells.length > 0) text += `<row r="${row}">${cells.map((cell, n) => writeCell(cell, n, row)).join('')}</row>`
    }
    if (text !== '') yield text
  }
  yield '</sheetData></worksheet>'
}

/** The longest text of a cell. */
const CELL_UNITS_MAX = 32_767

function writeCell(cell: string, column: number, row: number): string {
  if (cell === '') return ''
  const text = escapeText(cut(cell, CELL_UNITS_MAX))
  return `<c r="${columnName(column)}${row}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

const NAMES: string[] = []

/** A to Z, AA and so on. */
function columnName(column: number): string {
  const before = column < 26 ? '' : columnName(Math.floor(column / 26) - 1)
  NAMES[column] ??= before + String.fromCharCode(65 + (column % 26))
  return NAMES[column]
}

const SPECIAL = /[<>&\p{Cc}\uFFFE\uFFFF]/gu
const MARKUP: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '\t': '\t', '\n': '\n' }
/** Looks like a character that was escaped as below (ECMA-376, part 1, 22.9.2.19). */
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g

/** Characters that XML cannot contain are written as `_x0001_`, as spreadsheet programs do. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(LOOKS_ESCAPED, '_x005F_')
    .replace(
      SPECIAL,
      (found) => MARKUP[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
}
