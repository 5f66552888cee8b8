import {
  cut,
  type Delimiter,
  type Encoding,
  findEncoding,
  guessDelimiter,
  isBlank,
  type Open,
  type Row,
  readRows,
  type Writing,
} from './csv.ts'
import { type ColumnReading, readCell, readColumn, tooManyEmails } from './read-addresses.ts'
import { Refusal } from './refusal.ts'

const SAMPLE_ROWS = 5
const SAMPLE_UNITS_MAX = 200

/** The content of an uploaded file, with the counts of one of its columns. */
export type UploadReading = ColumnReading & {
  encoding: Encoding
  delimiter: Delimiter
  hasHeader: boolean
  columns: string[]
  counts: ColumnCount[]
  rowCount: number
  sampleRows: string[][]
  suggestion: Suggestion
  /** The sheets of the workbook that the file was; empty for a file that was CSV. */
  sheets: string[]
  /** The sheet whose rows the file has. */
  sheet: string | null
}

/**
 * Reads a file three times: its encoding, all of its columns, and the column with the addresses. Only counts and a few examples are held in
 * memory. The encoding is not searched if the format is known. Throws a Refusal for a file that cannot be used.
 */
export async function readUpload(open: Open, emailsMax: number, known?: Format): Promise<UploadReading> {
  const { encoding, delimiter } = known ?? (await findFormat(open))
  const survey = await surveyColumns(open, { encoding, delimiter, emailsMax })
  const { header, counts, rowCount, sampleRows } = survey
  if (rowCount === 0) throw new Refusal('empty_file', 'The file has no rows below its header.')
  const columns = nameColumns(header ?? [], counts.length)
  const suggestion = suggestColumn(columns, counts)
  if (suggestion === undefined)
    throw new Refusal('no_email_column', 'No column of the file contains addresses or is named email.')
  const layout = { encoding, delimiter, hasHeader: header !== undefined, column: suggestion.index }
  const emails = await readColumn(open, layout, emailsMax)
  const wholeRows = sampleRows.map((row) => columns.map((_, n) => row[n] ?? ''))
  const sheets = { sheets: [], sheet: null }
  return { ...layout, ...sheets, columns, counts, rowCount, sampleRows: wholeRows, suggestion, ...emails }
}

type Format = Pick<Writing, 'encoding' | 'delimiter'>

async function findFormat(open: Open): Promise<Format> {
  const { encoding, beginning } = await findEncoding(open())
  return { encoding, delimiter: guessDelimiter(beginning) }
}

type Survey = { header: string[] | undefined; counts: ColumnCount[]; rowCount: number; sampleRows: string[][] }
type Surveyed = Omit<Writing, 'hasHeader'> & { emailsMax: number }

async function surveyColumns(open: Open, { emailsMax, ...writing }: Surveyed): Promise<Survey> {
  const survey: Survey = { header: undefined, counts: [], rowCount: 0, sampleRows: [] }
  let isFirst = true
  for await (const page of readRows(open, { ...writing, hasHeader: false })) {
    for (const row of page) {
      widen(survey.counts, row.cells.length)
      if (isFirst && looksLikeHeader(row.cells)) survey.header = row.cells
      else surveyRow(survey, row, emailsMax)
      isFirst = false
    }
  }
  return survey
}

function widen(counts: ColumnCount[], width: number): void {
  while (counts.length < width) counts.push({ filled: 0, addresses: 0 })
}

function surveyRow(survey: Survey, { cells, row }: Row, emailsMax: number): void {
  survey.rowCount++
  if (survey.sampleRows.length < SAMPLE_ROWS) survey.sampleRows.push(cells.map((cell) => cut(cell, SAMPLE_UNITS_MAX)))
  for (const [n, count] of survey.counts.entries()) {
    countCell(count, cells[n] ?? '')
    // The suggested column has at least as many addresses, so the rest need not be read.
    if (count.addresses > emailsMax && isLikely(count)) throw tooManyEmails(emailsMax, row)
  }
}

function countCell(count: ColumnCount, cell: string): void {
  if (isBlank(cell)) return
  count.filled++
  if (looksLikeAddress(cell)) count.addresses++
}

function looksLikeAddress(cell: string): boolean {
  const { kind } = readCell(cell)
  return kind === 'bare' || kind === 'wrapped'
}

/** Column names are words. A first row that contains an address, even a malformed one, is data. */
function looksLikeHeader(cells: string[]): boolean {
  return !cells.some((cell) => /[^\s@]@[^\s@]/.test(cell))
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
/** Stricter than SAYS_MAIL, because the column's content does not confirm it: `mailing_city` is not a column of addresses. */
const SAYS_EMAIL = /e[-_ ]?mail|(?<![a-z])mails?(?![a-z])/i
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
