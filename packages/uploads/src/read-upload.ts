import { parseAddress } from '@probity/engine/address/parse'
import { type ColumnCount, cut, isLikely, nameColumns, type Suggestion, suggestColumn } from './columns.ts'
import { countEmails, tooManyEmails } from './count-emails.ts'
import { MAILBOX_PROVIDERS } from './data/mailbox-providers.ts'
import { type Delimiter, guessDelimiter } from './delimiter.ts'
import { type Encoding, findEncoding } from './encoding.ts'
import type { Layout } from './read-addresses.ts'
import { isBlank, type Open, type Row, readRows, type Writing } from './read-rows.ts'
import { Refusal } from './refusal.ts'

const SAMPLE_ROWS = 5
const SAMPLE_UNITS_MAX = 200

/** All that is found in an uploaded file. */
export type UploadReading = {
  encoding: Encoding
  delimiter: Delimiter
  hasHeader: boolean
  columns: string[]
  counts: ColumnCount[]
  rowCount: number
  sampleRows: string[][]
  suggestion: Suggestion
  /** The column that was counted. */
  column: number
  uniqueCount: number
  providers: ProviderCount[]
}

/** The empty name stands for all that we do not know by their domain. */
type ProviderCount = { provider: string; count: number }

/**
 * Reads a file from its beginning to its end, three times: how it is written, what is in its columns, and who is in the one
 * with the addresses, or in the chosen one. So nothing of it is ever held but counts. Throws a Refusal for what cannot be used.
 */
export async function readUpload(open: Open, emailsMax: number, chosen?: string): Promise<UploadReading> {
  const { encoding, beginning } = await findEncoding(open())
  const delimiter = guessDelimiter(beginning)
  const survey = await surveyColumns(open, { encoding, delimiter, emailsMax })
  const { header, counts, rowCount, sampleRows } = survey
  if (rowCount === 0) throw new Refusal('empty_file', 'The file has no rows below its header.')
  const columns = nameColumns(header ?? [], counts.length)
  const suggestion = suggestColumn(columns, counts)
  if (suggestion === undefined) throw new Refusal('no_email_column', 'No column of the file looks like addresses.')
  const column = chosen === undefined ? suggestion.index : columns.indexOf(chosen)
  if (column === -1) throw new Refusal('unknown_column', 'The file has no such column.')
  if ((counts[column]?.filled ?? 0) > emailsMax) throw tooManyEmails(emailsMax)

  const layout = { encoding, delimiter, hasHeader: header !== undefined, column }
  const people = await countPeople(open, layout, emailsMax)
  const wholeRows = sampleRows.map((row) => columns.map((_, n) => row[n] ?? ''))
  return { ...layout, columns, counts, rowCount, sampleRows: wholeRows, suggestion, ...people }
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
    // Whichever column is suggested in the end has at least as many, so the rest need not be read.
    if (count.addresses > emailsMax && isLikely(count)) throw tooManyEmails(emailsMax, row)
  }
}

function countCell(count: ColumnCount, cell: string): void {
  if (isBlank(cell)) return
  count.filled++
  if (looksLikeAddress(cell)) count.addresses++
}

function looksLikeAddress(cell: string): boolean {
  return cell.includes('@') && parseAddress(cell).kind === 'address'
}

/** Names of columns are words. A first row with an address in it, even a broken one, is somebody's row. */
function looksLikeHeader(cells: string[]): boolean {
  return !cells.some((cell) => /[^\s@]@[^\s@]/.test(cell))
}

const PROVIDER_OF = new Map(
  MAILBOX_PROVIDERS.flatMap(({ provider, domains }) => domains.map((domain) => [domain, provider])),
)

async function countPeople(open: Open, layout: Layout, emailsMax: number) {
  const byProvider = new Map<string, number>()
  const { uniqueCount } = await countEmails(open, layout, {
    emailsMax,
    onNew(key) {
      const provider = PROVIDER_OF.get(key.slice(key.lastIndexOf('@') + 1)) ?? ''
      byProvider.set(provider, (byProvider.get(provider) ?? 0) + 1)
    },
  })
  const providers = [...byProvider].map(([provider, count]) => ({ provider, count }))
  return { uniqueCount, providers: providers.toSorted((a, b) => b.count - a.count) }
}
