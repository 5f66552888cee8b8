import { hash } from 'node:crypto'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'
import { type ColumnCount, cut, isLikely, nameColumns, type Suggestion, suggestColumn } from './columns.ts'
import { MAILBOX_PROVIDERS } from './data/mailbox-providers.ts'
import { type Delimiter, guessDelimiter } from './delimiter.ts'
import { asUtf8, type Encoding, findEncoding } from './encoding.ts'
import { readRecords } from './records.ts'
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
  uniqueCount: number
  providers: ProviderCount[]
}

/** The empty name stands for all that we do not know by their domain. */
type ProviderCount = { provider: string; count: number }

type Open = () => AsyncIterable<Buffer>

/**
 * Reads a file from its beginning to its end, three times: how it is written, what is in its columns, and who is in the one
 * with the addresses. So nothing of it is ever held but counts. Throws a Refusal for what cannot be used.
 */
export async function readUpload(open: Open, emailsMax: number): Promise<UploadReading> {
  const { encoding, beginning } = await findEncoding(open())
  const delimiter = guessDelimiter(beginning)
  const openText = () => asUtf8(open(), encoding)

  const survey = await surveyColumns(openText(), delimiter, emailsMax)
  const { header, counts, rowCount, sampleRows } = survey
  if (rowCount === 0) throw new Refusal('empty_file', 'The file has no rows below its header.')
  const columns = nameColumns(header ?? [], counts.length)
  const suggestion = suggestColumn(columns, counts)
  if (suggestion === undefined) throw new Refusal('no_email_column', 'No column of the file looks like addresses.')
  if ((counts[suggestion.index]?.filled ?? 0) > emailsMax) throw tooManyEmails(emailsMax)

  const hasHeader = header !== undefined
  const people = await countPeople(openText(), { delimiter, column: suggestion.index, hasHeader })
  const wholeRows = sampleRows.map((row) => columns.map((_, n) => row[n] ?? ''))
  return { encoding, delimiter, hasHeader, columns, counts, rowCount, sampleRows: wholeRows, suggestion, ...people }
}

type Survey = { header: string[] | undefined; counts: ColumnCount[]; rowCount: number; sampleRows: string[][] }

async function surveyColumns(text: AsyncIterable<Buffer>, delimiter: Delimiter, emailsMax: number): Promise<Survey> {
  const survey: Survey = { header: undefined, counts: [], rowCount: 0, sampleRows: [] }
  let isFirst = true
  await readRecords(text, delimiter, (cells, row) => {
    if (cells.every(isBlank)) return
    while (survey.counts.length < cells.length) survey.counts.push({ filled: 0, addresses: 0 })
    const isHeader = isFirst && looksLikeHeader(cells)
    isFirst = false
    if (isHeader) {
      survey.header = cells
      return
    }
    survey.rowCount++
    if (survey.sampleRows.length < SAMPLE_ROWS) survey.sampleRows.push(cells.map((cell) => cut(cell, SAMPLE_UNITS_MAX)))
    for (const [n, count] of survey.counts.entries()) {
      countCell(count, cells[n] ?? '')
      // Whichever column is suggested in the end has at least as many, so the rest need not be read.
      if (count.addresses > emailsMax && isLikely(count)) throw tooManyEmails(emailsMax, row)
    }
  })
  return survey
}

function countCell(count: ColumnCount, cell: string): void {
  if (isBlank(cell)) return
  count.filled++
  if (looksLikeAddress(cell)) count.addresses++
}

function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === ''
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

type Place = { delimiter: Delimiter; column: number; hasHeader: boolean }

async function countPeople(text: AsyncIterable<Buffer>, { delimiter, column, hasHeader }: Place) {
  // Eight bytes of a hash stand for each address, so that a hundred thousand of any length need a few megabytes. That two
  // addresses meet in them happens once in thousands of millions of such files.
  const seen = new Set<bigint>()
  const byProvider = new Map<string, number>()
  let isHeader = hasHeader
  await readRecords(text, delimiter, (cells) => {
    if (cells.every(isBlank)) return
    const cell = isHeader ? '' : (cells[column] ?? '')
    isHeader = false
    if (isBlank(cell)) return

    const key = dedupeKey(cell)
    const short = hash('sha256', key, 'buffer').readBigUInt64LE()
    if (seen.has(short)) return
    seen.add(short)
    const provider = PROVIDER_OF.get(key.slice(key.lastIndexOf('@') + 1)) ?? ''
    byProvider.set(provider, (byProvider.get(provider) ?? 0) + 1)
  })
  const providers = [...byProvider].map(([provider, count]) => ({ provider, count }))
  return { uniqueCount: seen.size, providers: providers.toSorted((a, b) => b.count - a.count) }
}

function tooManyEmails(emailsMax: number, row?: number): Refusal {
  const where = row === undefined ? '' : ` Row ${row} is beyond that.`
  return new Refusal('too_many_emails', `The file has more than ${emailsMax.toLocaleString('en')} emails.${where}`)
}
