import { finished } from 'node:stream/promises'
import { type CsvError, type Parser, parse } from 'csv-parse'
import { Refusal } from './refusal.ts'

/** Opens a file from its beginning. */
export type Open = () => AsyncIterable<Buffer>

/** The format of a file, as its preview found it. Rows above the header, such as a title, are not data. */
export type Writing = { encoding: Encoding; delimiter: Delimiter; headerRow: number | null }

export type Row = CsvRecord & { isHeader: boolean }

/**
 * The rows of a whole file in order, in pages, the header first; the next page is read when the consumer asks for it. Empty lines, rows
 * with white space only and rows above the header are skipped, here as in every count. Throws a Refusal for an unreadable file.
 */
export async function* readRows(open: Open, writing: Writing): AsyncGenerator<Row[]> {
  for await (const rows of readAllRows(open, writing)) {
    const page = rows.filter(({ cells }) => !isBlankRow(cells))
    if (page.length > 0) yield page
  }
}

/** The same with rows that have white space only. Empty lines are gaps between the row numbers. */
export async function* readAllRows(open: Open, { encoding, delimiter, headerRow }: Writing): AsyncGenerator<Row[]> {
  for await (const records of readRecords(asUtf8(open(), encoding), delimiter)) {
    const page: Row[] = records
      .filter(({ row }) => headerRow === null || row >= headerRow)
      .map(({ row, cells }) => ({ row, cells, isHeader: row === headerRow }))
    if (page.length > 0) yield page
  }
}

export function isBlankRow(cells: string[]): boolean {
  return cells.every(isBlank)
}

export function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === ''
}

const RECORD_BYTES_MAX = 64 * 1024
const CELL_BYTES_MAX = 4 * 1024
export const COLUMNS_MAX = 256
/**
 * Lines of a file, blank ones included. Rows without an address do not count towards the plan, but reading them takes time. The number of
 * a result needs the limit, too (resultNoOf in the contract).
 */
export const ROWS_MAX = 1_000_000
const LINE_ENDS = [0x0a, 0x0d]
/** Input passed to the parser at once. Its position is checked between two of them. */
const SLICE_BYTES = 16 * 1024

/** The row number as a spreadsheet shows it: the first line is 1, and empty lines count. */
export type CsvRecord = { row: number; cells: string[] }

/**
 * Reads CSV in UTF-8 within limits and yields the records of each chunk. The next chunk is read only after the consumer is ready, so
 * a slow consumer does not increase memory use. At the end, `noteLines` gets the number of lines, blank ones included.
 */
export async function* readRecords(
  bytes: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  noteLines?: (lines: number) => void,
): AsyncGenerator<CsvRecord[]> {
  const { parser, passed, take } = openParser(delimiter)
  const end = finished(parser.resume())
  end.catch(() => {}) // awaited below; until then the rejection must not be unhandled
  let withoutEnd = 0
  let endsWithLine = false
  try {
    for await (const slice of slicesOf(bytes)) {
      const before = passed()
      endsWithLine = LINE_ENDS.includes(slice.at(-1) ?? 0)
      parser.write(slice)
      if (parser.errored) throw parser.errored
      if (passed() > ROWS_MAX) throw tooManyRows()
      // The limit of the parser counts the content of cells only: a line of delimiters would pass it.
      withoutEnd = passed() === before ? withoutEnd + slice.length : 0
      if (withoutEnd > RECORD_BYTES_MAX + SLICE_BYTES) throw tooLong(before + 1)
      yield take()
    }
    parser.end()
    await end
    // The parser counts what follows the last line break as an empty line.
    const lines = endsWithLine ? passed() - 1 : passed()
    if (lines > ROWS_MAX) throw tooManyRows()
    noteLines?.(lines)
    yield take()
  } catch (error) {
    throw isCsvError(error) ? readFault(error, passed() + 1) : error
  } finally {
    parser.destroy()
  }
}

function openParser(delimiter: Delimiter) {
  let records = 0
  let waiting: CsvRecord[] = []
  const passed = (): number => records + info.empty_lines
  const parser: Parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true, // a quote inside a cell is an ordinary character: 5" disk
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    on_record(cells: string[]) {
      records++
      // The parser creates an unused error for each record with another width than the first, which takes ten times as long as the
      // record itself. Therefore each record is its first.
      info.records = 0
      refuseBeyondBounds(cells, passed())
      waiting.push({ row: passed(), cells })
      return null // already collected here, so the parser's own stream stays empty
    },
  })
  const info: { records: number; empty_lines: number } = parser.info
  function take(): CsvRecord[] {
    const taken = waiting
    waiting = []
    return taken
  }
  return { parser, passed, take }
}

function refuseBeyondBounds(cells: string[], row: number): void {
  if (cells.length > COLUMNS_MAX) throw tooManyColumns(row)
  if (cells.some(isTooLong)) throw cellTooLong(row)
}

export function isTooLong(cell: string): boolean {
  // A UTF-16 unit needs at most three bytes, so most cells need no counting.
  return cell.length * 3 > CELL_BYTES_MAX && Buffer.byteLength(cell) > CELL_BYTES_MAX
}

async function* slicesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) yield chunk.subarray(from, from + SLICE_BYTES)
  }
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')
}

/** Messages without file content, which those of the parser quote. */
function readFault(error: CsvError, row: number): Refusal {
  if (error.code === 'CSV_MAX_RECORD_SIZE') return tooLong(row)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new Refusal('malformed_csv', `A quotation mark in row ${row} is not closed.`)
  return new Refusal('malformed_csv', `Row ${row} cannot be read.`)
}

export function tooLong(row: number): Refusal {
  return new Refusal('record_too_long', `Row ${row} is longer than 64 KiB.`)
}

export function cellTooLong(row: number): Refusal {
  return new Refusal('record_too_long', `Row ${row} has a cell longer than 4 KiB.`)
}

export function tooManyColumns(row: number): Refusal {
  return new Refusal('too_many_columns', `Row ${row} has more than ${COLUMNS_MAX} columns.`)
}

export function tooManyRows(): Refusal {
  return new Refusal(
    'too_many_rows',
    `The file has more than ${ROWS_MAX.toLocaleString('en')} rows, blank ones included.`,
  )
}

export const DELIMITERS = [',', ';', '\t', '|'] as const

export type Delimiter = (typeof DELIMITERS)[number]

const LINES_LOOKED_AT = 20
const QUOTED = /"[^"]*"/g

/**
 * The delimiter: the character that occurs equally often in most of the first lines. If none occurs there is one column, and any delimiter
 * works.
 */
export function guessDelimiter(beginning: string): Delimiter {
  // Delimiters in quotes do not count. A line that then consists of tabs only has quoted cells only.
  const lines = beginning.replace(QUOTED, '').split(/\r\n|\n|\r/, LINES_LOOKED_AT)
  const guesses = DELIMITERS.map((delimiter) => ({ delimiter, ...agreementOn(delimiter, lines) }))
  const [best] = guesses.toSorted((a, b) => b.lines - a.lines || b.perLine - a.perLine)
  return best?.delimiter ?? ','
}

/** The most frequent number of delimiters per line, and the number of lines that have it. */
function agreementOn(delimiter: Delimiter, lines: string[]): { lines: number; perLine: number } {
  const counts = lines.map((line) => line.split(delimiter).length - 1).filter((count) => count > 0)
  const groups = [...Map.groupBy(counts, (count) => count)]
  const [largest] = groups.toSorted(([, a], [, b]) => b.length - a.length)
  return { lines: largest?.[1].length ?? 0, perLine: largest?.[0] ?? 0 }
}

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type Encoding = (typeof ENCODINGS)[number]

const BYTE_ORDER_MARKS: [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/** First bytes of files that are often mistaken for CSV, or that are compressed. Workbooks (XLSX) are read before this test. */
const OTHER_FORMATS: [string, Buffer][] = [
  ['a ZIP archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['an empty ZIP archive', Buffer.from('PK\x05\x06', 'latin1')],
  ['an old Excel workbook (XLS), or one with a password', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
  ['compressed with gzip', Buffer.from([0x1f, 0x8b])],
  ['a PDF document', Buffer.from('%PDF-', 'latin1')],
]

/**
 * The encoding of a text, and its beginning. A byte order mark is binding; any other file is UTF-8 if all of it is valid, and else
 * Windows-1252, which Western spreadsheets save.
 */
export async function findEncoding(bytes: AsyncIterable<Buffer>): Promise<{ encoding: Encoding; beginning: string }> {
  let first: Buffer | undefined
  let reading: Decoding | undefined
  let encoding: Encoding = 'utf-8'
  for await (const chunk of bytes) {
    if (first === undefined) {
      first = chunk
      refuseOtherFormats(chunk)
      reading = beginDecoding(chunk)
    }
    if (!reading?.isWide && chunk.includes(0)) throw hasNul()
    encoding = reading?.take(chunk) ?? encoding
  }
  if (first === undefined) throw new Refusal('empty_file', 'The file is empty.')
  encoding = reading?.end() ?? encoding
  return { encoding, beginning: new TextDecoder(encoding).decode(first, { stream: true }) }
}

function refuseOtherFormats(beginning: Buffer): void {
  for (const [name, mark] of OTHER_FORMATS) {
    if (startsWith(beginning, mark)) {
      throw new Refusal('not_csv', `The file is ${name}.`)
    }
  }
}

type Decoding = { isWide: boolean; take(chunk: Buffer): Encoding; end(): Encoding }

function beginDecoding(beginning: Buffer): Decoding {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => startsWith(beginning, mark))?.[0]
  const isWide = marked === 'utf-16le' || marked === 'utf-16be'
  const decoder = new TextDecoder(marked ?? 'utf-8', { fatal: true })
  let encoding: Encoding = marked ?? 'utf-8'

  function decode(chunk?: Buffer): Encoding {
    if (encoding === 'windows-1252') return encoding // final: every byte is valid in it
    try {
      const text = chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
      if (isWide && text.includes('\0')) throw hasNul()
    } catch (error) {
      if (error instanceof Refusal) throw error
      if (marked)
        throw new Refusal(
          'not_csv',
          `The file starts as ${marked.toUpperCase()} but is not valid ${marked.toUpperCase()}.`,
        )
      encoding = 'windows-1252'
    }
    return encoding
  }
  return { isWide, take: decode, end: () => decode() }
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark)
}

/** Whether a file with this beginning has a byte order mark. */
export function startsWithMark(beginning: Buffer): boolean {
  return BYTE_ORDER_MARKS.some(([, mark]) => startsWith(beginning, mark))
}

/** Text does not contain NUL, and PostgreSQL rejects it. */
function hasNul(): Refusal {
  return new Refusal('not_csv', 'The file contains NUL characters and is probably binary.')
}

/** Converts text to UTF-8 as a stream. */
export async function* asUtf8(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* bytes
    return
  }
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
}

/** Cuts a text to a length in UTF-16 units, without half a character at the end. */
export function cut(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, unitsMax).replace(/\p{Surrogate}$/u, '')
}
