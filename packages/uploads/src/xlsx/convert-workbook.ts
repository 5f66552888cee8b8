import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { FILE_BYTES_MAX } from '@probity/contract/constants/limits'
import { ROWS_MAX, tooManyRows } from '../csv.ts'
import { readUpload, type UploadOptions, type UploadReading } from '../read-upload.ts'
import { Refusal } from '../refusal.ts'
import { openCellCounter, readSheetRows, type SheetTexts } from './read-sheet.ts'
import { BadXml } from './read-xml.ts'
import { readNumberForms, readSharedStrings, readWorkbook, type Sheet } from './workbook.ts'
import { openParts, type Parts } from './zip-parts.ts'

/** How the rows of a sheet are stored: with a byte order mark, since they came from a spreadsheet program. */
const STORED = { encoding: 'utf-8', delimiter: ',' } as const
const BYTE_ORDER_MARK = '\uFEFF'

type Wanted = Omit<UploadOptions, 'format'> & { sheet: string | undefined }

/**
 * Writes the rows of one sheet of a workbook (XLSX) as CSV, so that they are read, counted and exported like those of any other file, and
 * reads them. Rows keep their numbers. Without a named sheet it is the first visible one with addresses. Throws a Refusal for a file
 * that cannot be used.
 */
export async function convertWorkbook(from: string, to: string, { sheet, ...options }: Wanted): Promise<UploadReading> {
  return withoutParserErrors(async () => {
    const parts = await openParts(from)
    try {
      const workbook = await readWorkbook(parts)
      const sheets = workbook.sheets.map(({ name }) => name)
      const texts: SheetTexts = {
        shared: await readSharedStrings(parts, workbook),
        forms: await readNumberForms(parts, workbook),
        countCell: openCellCounter(),
      }
      const countRows = openRowCounter()
      const read = async (one: Sheet) => {
        await writeSheet(parts, one, { to, texts, countRows })
        const reading = await readUpload(() => createReadStream(to), { ...options, format: STORED })
        return { ...reading, sheets, sheet: one.name }
      }
      if (sheet === undefined) return await readFirst(workbook.sheets, read)
      const named = workbook.sheets.find(({ name }) => name === sheet)
      if (named === undefined) throw new Refusal('not_csv', 'The workbook has no sheet of this name.')
      return await read(named)
    } finally {
      parts.close()
    }
  })
}

const WITHOUT_ADDRESSES = ['empty_file', 'no_email_column']
/** Each sheet is written and read. The one with the addresses is among the first, and any other can be chosen by its name. */
const SHEETS_SEARCHED_MAX = 20

/** The first visible sheet that has addresses. */
async function readFirst(sheets: Sheet[], read: (one: Sheet) => Promise<UploadReading>): Promise<UploadReading> {
  let refusal: Refusal | undefined
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const searched = (visible.length > 0 ? visible : sheets).slice(0, SHEETS_SEARCHED_MAX)
  for (const one of searched) {
    try {
      return await read(one)
    } catch (error) {
      if (!(error instanceof Refusal && WITHOUT_ADDRESSES.includes(error.code))) throw error
      refusal ??= error
    }
  }
  throw refusal ?? new Refusal('empty_file', 'The workbook has no rows.')
}

type Writing = { to: string; texts: SheetTexts; countRows(count: number): void }

async function writeSheet(parts: Parts, { part }: Sheet, { to, texts, countRows }: Writing): Promise<void> {
  const open = parts.find(part)
  if (open === undefined) throw new BadXml('missing part')
  const read = open()
  async function* written(): AsyncGenerator<string> {
    let size = 0
    let last = 0
    yield BYTE_ORDER_MARK
    for await (const rows of readSheetRows(read, texts)) {
      let text = ''
      for (const { row, cells } of rows) {
        countRows(row - last)
        // A blank row is an empty line, so that rows keep their numbers.
        text += '\n'.repeat(row - 1 - last) + writeCells(cells)
        last = row
      }
      size += Buffer.byteLength(text)
      if (size > FILE_BYTES_MAX) throw tooLarge()
      yield text
    }
  }
  await pipeline(written(), createWriteStream(to))
}

/** Counts the rows of all sheets that are read. Each row is a line that is written and read, also a blank one. */
function openRowCounter(): (count: number) => void {
  let total = 0
  return (count) => {
    total += count
    if (total > ROWS_MAX) throw tooManyRows()
  }
}

function writeCells(cells: string[]): string {
  return `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(STORED.delimiter)}\n`
}

function tooLarge(): Refusal {
  return new Refusal('file_too_large', 'The rows of the sheet are larger than 50 MiB.')
}

/** Errors of the parsers say that the file is damaged. Their messages may contain cells. */
async function withoutParserErrors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error) || isOfSystem(error)) throw error
    throw new Refusal('not_csv', 'The Excel workbook is damaged.')
  }
}

/** Such as a full disk or an unreadable file. Errors in the compressed data have a code, but no system call. */
function isOfSystem(error: Error): boolean {
  return 'syscall' in error || error.name === 'AbortError'
}
