import {
  asUtf8,
  type CsvRecord,
  cut,
  type Delimiter,
  type Encoding,
  findEncoding,
  guessDelimiter,
  isBlank,
  isBlankRow,
  type Open,
  readRecords,
  type Writing,
} from './csv.ts'
import { findHeader, hasAddress, SAYS_EMAIL } from './find-header.ts'
import { type ColumnReading, readColumn, tooManyEmails } from './read-addresses.ts'
import { type CellOptions, DEFAULT_CELL_OPTIONS, readCell } from './read-cell.ts'
import { Refusal } from './refusal.ts'

const SAMPLE_ROWS = 5
const SAMPLE_UNITS_MAX = 200

/** The content of an uploaded file, with the counts of one of its columns. */
export type UploadReading = ColumnReading & {
  encoding: Encoding
  delimiter: Delimiter
  /** Number of the row with the column names; null if there is none. */
  headerRow: number | null
  columns: string[]
  counts: ColumnCount[]
  /** Lines below the header, blank ones included. */
  lineCount: number
  /** Those that are not blank. */
  rowCount: number
  sampleRows: string[][]
  /** The first rows of the file that are not blank, whatever they are. */
  firstRows: CsvRecord[]
  suggestion: Suggestion
  /** The sheets of the workbook that the file was; empty for a file that was CSV. */
  sheets: string[]
  /** The sheet whose rows the file has. */
  sheet: string | null
}

export type UploadOptions = {
  emailsMax: number
  /** Which values of the column are validated; those of a client that names no options if undefined. */
  cells?: CellOptions | undefined
  /** The format, if it is known: then it is not detected. */
  format?: Pick<Writing, 'encoding' | 'delimiter'> | undefined
  /** The row with the column names, or null for none; detected if undefined. */
  headerRow?: number | null | undefined
}

/**
 * Reads a file three times: its encoding, all of its columns, and the column with the addresses. Only counts and a few examples are held in
 * memory. Throws a Refusal for a file that cannot be used.
 */
export async function readUpload(open: Open, options: UploadOptions): Promise<UploadReading> {
  const { emailsMax, cells = DEFAULT_CELL_OPTIONS } = options
  const format = options.format ?? (await findFormat(open))
  const { header, counts, sampleRows, firstRows, ...lines } = await surveyColumns(open, { ...options, format })
  if (lines.rowCount === 0) throw new Refusal('empty_file', 'The file has no rows below its header.')
  const columns = nameColumns(header?.cells ?? [], counts.length)
  const suggestion = suggestColumn(columns, counts)
  if (suggestion === undefined)
    throw new Refusal('no_email_column', 'No column of the file contains addresses or is named email.')
  const { encoding, delimiter } = format
  const layout = { encoding, delimiter, headerRow: header?.row ?? null, column: suggestion.index }
  const emails = await readColumn(open, { ...layout, ...cells }, emailsMax)
  const wholeRows = sampleRows.map((row) => columns.map((_, n) => row[n] ?? ''))
  const sheets = { sheets: [], sheet: null }
  const rows = {
    sampleRows: wholeRows,
    firstRows: firstRows.map(({ row, cells }) => ({ row, cells: cells.map(cutSample) })),
  }
  return { ...layout, ...sheets, columns, counts, ...lines, ...rows, suggestion, ...emails }
}

async function findFormat(open: Open) {
  const { encoding, beginning } = await findEncoding(open())
  return { encoding, delimiter: guessDelimiter(beginning) }
}

type Survey = {
  header: CsvRecord | undefined
  counts: ColumnCount[]
  lineCount: number
  rowCount: number
  sampleRows: string[][]
  firstRows: CsvRecord[]
}
type Surveyed = UploadOptions & { format: Pick<Writing, 'encoding' | 'delimiter'> }

/** The header is found among the rows before the first address, which are held until then. */
const HEADER_WITHIN_ROWS = 50
const FIRST_ROWS = 10

async function surveyColumns(open: Open, { format, emailsMax, headerRow }: Surveyed): Promise<Survey> {
  const survey: Survey = { header: undefined, counts: [], lineCount: 0, rowCount: 0, sampleRows: [], firstRows: [] }
  let first: CsvRecord[] | undefined = []
  let lines = 0
  const take = (row: CsvRecord) => {
    widen(survey.counts, row.cells.length)
    if (row.row > (survey.header?.row ?? 0)) surveyRow(survey, row, emailsMax)
  }
  const decide = (rows: CsvRecord[]) => {
    first = undefined
    survey.header = headerRow === undefined ? findHeader(rows) : rows.find(({ row }) => row === headerRow)
    for (const row of rows) take(row)
  }
  const records = readRecords(asUtf8(open(), format.encoding), format.delimiter, (count) => {
    lines = count
  })
  for await (const page of records) {
    for (const row of page) {
      if (isBlankRow(row.cells)) continue
      if (survey.firstRows.length < FIRST_ROWS) survey.firstRows.push(row)
      if (first === undefined) take(row)
      else {
        first.push(row)
        if (isEnough(first, row, headerRow)) decide(first)
      }
    }
  }
  if (first !== undefined) decide(first)
  if (headerRow && survey.header === undefined)
    throw new Refusal('empty_file', `Row ${headerRow}, which was chosen as the header, is blank or does not exist.`)
  survey.lineCount = lines - (survey.header?.row ?? 0)
  return survey
}

function isEnough(first: CsvRecord[], { row, cells }: CsvRecord, headerRow: number | null | undefined): boolean {
  return headerRow === undefined ? hasAddress(cells) || first.length >= HEADER_WITHIN_ROWS : row >= (headerRow ?? 0)
}

function widen(counts: ColumnCount[], width: number): void {
  while (counts.length < width) counts.push({ filled: 0, addresses: 0 })
}

function surveyRow(survey: Survey, { cells, row }: CsvRecord, emailsMax: number): void {
  survey.rowCount++
  if (survey.sampleRows.length < SAMPLE_ROWS) survey.sampleRows.push(cells.map(cutSample))
  for (const [n, count] of survey.counts.entries()) {
    countCell(count, cells[n] ?? '')
    // The suggested column has at least as many addresses, so the rest need not be read.
    if (count.addresses > emailsMax && isLikely(count)) throw tooManyEmails(emailsMax, row)
  }
}

function cutSample(cell: string): string {
  return cut(cell, SAMPLE_UNITS_MAX)
}

function countCell(count: ColumnCount, cell: string): void {
  if (isBlank(cell)) return
  count.filled++
  if (looksLikeAddress(cell)) count.addresses++
}

function looksLikeAddress(cell: string): boolean {
  return readCell(cell).some(({ kind }) => kind === 'address')
}

/** Cells of one column that are not empty, and the number of them that contain an address, with or without a display name. */
type ColumnCount = { filled: number; addresses: number }

const NAME_UNITS_MAX = 200

/** A name for each column: its header, made unique, or its number if there is none. */
function nameColumns(header: string[], width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, n) => {
    const name = cut(header[n]?.trim() ?? '', NAME_UNITS_MAX) || `column_${n + 1}`
    const own = taken.has(name) ? withSuffix(name, taken) : name
    taken.add(own)
    return own
  })
}

function withSuffix(name: string, taken: Set<string>): string {
  let n = 2
  while (taken.has(`${name}_${n}`)) n++
  return `${name}_${n}`
}

/** Below this share, the column may be free text that mentions addresses now and then. */
const SHARE_MIN = 0.2
const SAYS_MAIL = /mail/i
/** The columns that an export adds. They are suggested only if no other column contains addresses. */
const RESULT_COLUMN = /^probity_/i

type Suggestion = {
  index: number
  reason: 'most_addresses' | 'most_addresses_and_name' | 'several_columns' | 'name_only'
}

/**
 * The column with the most addresses, since a second, rarely filled column may consist of addresses too. Among equals the one with a
 * matching
 * header, then the first. If no column contains enough addresses, a header that names email is sufficient.
 */
function suggestColumn(names: string[], counts: ColumnCount[]): Suggestion | undefined {
  const candidates = counts
    .map((count, index) => ({ index, ...count, saysMail: SAYS_MAIL.test(names[index] ?? '') }))
    .filter(isLikely)
    .toSorted((a, b) => b.addresses - a.addresses || Number(b.saysMail) - Number(a.saysMail))
  const own = candidates.filter(({ index }) => !RESULT_COLUMN.test(names[index] ?? ''))
  const [best, second] = own.length > 0 ? own : candidates
  if (best && second) return { index: best.index, reason: 'several_columns' }
  if (best) return { index: best.index, reason: best.saysMail ? 'most_addresses_and_name' : 'most_addresses' }
  return suggestByName(names, counts)
}

function suggestByName(names: string[], counts: ColumnCount[]): Suggestion | undefined {
  const [best] = counts
    .map(({ addresses }, index) => ({ index, addresses, name: names[index] ?? '' }))
    .filter(({ name }) => SAYS_EMAIL.test(name) && !RESULT_COLUMN.test(name))
    .toSorted((a, b) => b.addresses - a.addresses)
  return best && { index: best.index, reason: 'name_only' }
}

function isLikely({ filled, addresses }: ColumnCount): boolean {
  return addresses > 0 && addresses >= filled * SHARE_MIN
}
