import { type ColumnCount, cut, isLikely, nameColumns, type Suggestion, suggestColumn } from './columns.ts'
import { type Delimiter, guessDelimiter } from './delimiter.ts'
import { type Encoding, findEncoding } from './encoding.ts'
import { readCell } from './read-cell.ts'
import { type ColumnReading, readColumn, tooManyEmails } from './read-column.ts'
import { isBlank, type Open, type Row, readRows, type Writing } from './read-rows.ts'
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
}

/**
 * Reads a file three times: its encoding, all of its columns, and the column with the addresses. So nothing of it is held in memory
 * but counts and a few examples. Throws a Refusal for a file that cannot be used.
 */
export async function readUpload(open: Open, emailsMax: number): Promise<UploadReading> {
  const { encoding, beginning } = await findEncoding(open())
  const delimiter = guessDelimiter(beginning)
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
  return { ...layout, columns, counts, rowCount, sampleRows: wholeRows, suggestion, ...emails }
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
