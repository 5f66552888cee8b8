import { hash } from 'node:crypto'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { Db } from '@probity/database/connection/connect'
import { openResultsReader, type ResultsReader } from '@probity/database/jobs/results/read-results'
import {
  isNarrow,
  type KeptResult,
  type ResultsFile,
  type ResultsFilter,
  type ResultsJob,
} from '@probity/database/jobs/results/results'
import { isBlank, type Open, type Row, readAllRows, type Writing } from '@probity/uploads/csv'
import { ERASED_CELL } from '@probity/uploads/erase-rows'
import { keyOfCell, readCell } from '@probity/uploads/read-addresses'
import { presentResult, type Shown } from '../../http/present-result.ts'
import { openPageSize } from './export.ts'

/** The columns that are appended to the customer's, in this order. */
const COLUMNS: [name: string, cellOf: (result: Result) => string][] = [
  ['probity_status', ({ status }) => status],
  ['probity_sub_status', ({ sub_status }) => sub_status],
  ['probity_confidence', ({ confidence }) => String(confidence)],
  ['probity_safe_to_send', ({ safe_to_send }) => String(safe_to_send)],
  ['probity_is_valid', ({ is_valid }) => String(is_valid)],
  ['probity_did_you_mean', ({ did_you_mean }) => did_you_mean ?? ''],
  ['probity_domain', ({ domain }) => domain],
  ['probity_provider', ({ provider }) => provider],
  ['probity_is_disposable', ({ is_disposable }) => String(is_disposable)],
  ['probity_is_role_based', ({ is_role_based }) => String(is_role_based)],
  ['probity_has_spf', ({ has_spf }) => String(has_spf)],
  ['probity_has_dmarc', ({ has_dmarc }) => String(has_dmarc)],
  ['probity_is_free', ({ flags }) => String(flags.is_free)],
  ['probity_is_privacy_relay', ({ flags }) => String(flags.is_privacy_relay)],
  ['probity_is_tagged', ({ flags }) => String(flags.is_tagged)],
  ['probity_deliverability', ({ deliverability }) => String(deliverability)],
  ['probity_is_machine_generated', ({ flags }) => String(flags.is_machine_generated)],
  ['probity_override', ({ override }) => override ?? ''],
  ['probity_depth', ({ depth }) => depth],
  // The cell can contain a display name, and a repeated address can be spelled differently in its first row.
  ['probity_email', ({ email }) => email],
]
const POLICY_COLUMNS: typeof COLUMNS = [
  ['probity_decision', ({ policy }) => policy?.decision ?? ''],
  ['probity_reason', ({ policy }) => policy?.reason ?? ''],
]
const EVIDENCE_COLUMN: (typeof COLUMNS)[number] = ['probity_result', (result) => JSON.stringify(result)]

type SheetColumns = {
  /** The customer's header row with our column names appended. */
  names(theirs: string[]): string[]
  /** Our cells for one row, empty without a result. */
  cells(result: Result | undefined): string[]
}

function sheetColumns({ evidence, policy }: Shown): SheetColumns {
  const columns = [...COLUMNS, ...(policy ? POLICY_COLUMNS : []), ...(evidence ? [EVIDENCE_COLUMN] : [])]
  return {
    names(theirs) {
      const taken = new Set(theirs.map((name) => name.trim().toLowerCase()))
      return columns.map(([name]) => nameBeside(name, taken))
    },
    cells: (result) => columns.map(([, cellOf]) => (result ? cellOf(result) : '')),
  }
}

const NO_COLUMNS: SheetColumns = { names: () => [], cells: () => [] }

/** The file may be an earlier export that was uploaded again. */
function nameBeside(name: string, taken: Set<string>): string {
  if (!taken.has(name)) return name
  let n = 2
  while (taken.has(`${name}_${n}`)) n++
  return `${name}_${n}`
}

/** Maximum size of the file's cells in one page. */
const PAGE_UNITS = 256 * 1024

export type RowsOptions = Shown & {
  filter: ResultsFilter
  /** Omits rows that repeat an earlier address. */
  isUnique: boolean
  /** Omits the columns of the service. */
  hasOwnColumns: boolean
}
export type SheetJob = ResultsJob & { file: ResultsFile }

/** A row of an export. It has no cells if it is blank in the file. */
export type SheetRow = readonly string[]

/**
 * The rows of the uploaded file with our columns appended, page by page: same rows, order and columns. A repeated address has the result of
 * its first row; a row without an address or a result has empty cells. The row of an erased address has the verdict and no cells of
 * the file, since any of them may contain the address.
 */
export async function* readSheet(
  { db, open }: { db: Db; open: Open },
  job: SheetJob,
  options: RowsOptions,
): AsyncGenerator<SheetRow[]> {
  const { file } = job
  const form = openForm(job, options)
  const firstRowOf = openFirstRows(file.columns.indexOf(job.emailColumn))
  const reader = openResultsReader(db, job)
  const size = openPageSize()
  let last: number | undefined
  const writing = file as Writing // as detected by our own reader
  for await (const page of pagesOf(readAllRows(open, writing), size.rows)) {
    const firstRows = page.map(firstRowOf)
    const kept = await findResults(reader, { firstRows, filter: options.filter })
    size.note(kept)
    const results = new Map(kept.map((one) => [one.rowNo, presentResult(one, options)]))
    if (last === undefined && !file.hasHeader && !options.hasOwnColumns) yield [form.head([])]
    let rows: SheetRow[] = []
    for (const [n, row] of page.entries()) {
      const gap = form.hasBlankRows && last !== undefined ? row.row - last - 1 : 0
      last = row.row
      if (gap > 0) {
        if (rows.length > 0) yield rows
        yield* blankRows(gap)
        rows = []
      }
      const shown = form.row(row, { firstRow: firstRows[n], result: results.get(firstRows[n] ?? 0) })
      if (shown) rows.push(shown)
    }
    if (rows.length > 0) yield rows
  }
}

const BLANK_PAGE: SheetRow[] = Array.from({ length: 500 }, () => [])

/** Empty lines of the file, of which a small file can have millions. */
function* blankRows(count: number): Generator<SheetRow[]> {
  for (let left = count; left > 0; left -= BLANK_PAGE.length) yield BLANK_PAGE.slice(0, left)
}

type Found = { firstRow: number | undefined; result: Result | undefined }

/** How the rows of the file are shown. */
function openForm({ file, emailColumn }: SheetJob, options: RowsOptions) {
  const { filter, isUnique, hasOwnColumns } = options
  const ours = hasOwnColumns ? NO_COLUMNS : sheetColumns(options)
  const hasBlankRows = !isNarrow(filter)
  const email = file.columns.indexOf(emailColumn)

  function head(cells: string[]): SheetRow {
    const theirs = file.columns.map((name, n) => cells[n] ?? name)
    return [...theirs, ...ours.names(theirs)]
  }

  /** The own cells of a row. Without our columns, the email column is the only place for the validated address. */
  function cellsOf(cells: string[]): string[] {
    const own = file.columns.map((_, n) => cells[n] ?? '')
    if (hasOwnColumns) own[email] = addressIn(own[email] ?? '')
    return own
  }

  /** Undefined for a row that is omitted. */
  function row({ row: rowNo, cells, isHeader }: Row, { firstRow, result }: Found): SheetRow | undefined {
    if (isHeader) return head(cells)
    if (!hasBlankRows && result === undefined) return undefined
    if (isUnique && firstRow !== undefined && firstRow !== rowNo) return undefined
    if (cells.every(isBlank)) return []
    const isErased = result?.email === ''
    if (isErased && hasOwnColumns) return hasBlankRows ? [] : undefined
    return [...(isErased ? file.columns.map(() => '') : cellsOf(cells)), ...ours.cells(result)]
  }
  return { head, row, hasBlankRows }
}

/** The address in a cell that also has a display name or the like; any other cell unchanged. */
function addressIn(text: string): string {
  const cell = readCell(text)
  return cell.kind === 'wrapped' ? cell.email : text
}

/**
 * Returns the first row with the same address for each row in order; undefined without an address. Addresses are compared by eight bytes of
 * a hash, as when a file is counted.
 */
function openFirstRows(column: number): (row: Row) => number | undefined {
  const seen = new Map<bigint, number>()
  return ({ row, cells, isHeader }) => {
    const text = cells[column] ?? ''
    if (isHeader || isBlank(text)) return undefined
    // The first row of an erased address has a result, found by its row number.
    if (text === ERASED_CELL) return row
    const cell = readCell(text)
    if (cell.kind === 'text') return undefined
    const short = hash('sha256', keyOfCell(cell), 'buffer').readBigUInt64LE()
    const first = seen.get(short) ?? row
    if (first === row) seen.set(short, row)
    return first
  }
}

type Wanted = { firstRows: (number | undefined)[]; filter: ResultsFilter }

function findResults(reader: ResultsReader, { firstRows, filter }: Wanted): Promise<KeptResult[]> {
  const rowNos = [...new Set(firstRows)].filter((row) => row !== undefined)
  return reader.listAt({ ...filter, rowNos })
}

/** Combines small pages of the file. */
async function* pagesOf(small: AsyncIterable<Row[]>, rowsMax: () => number): AsyncGenerator<Row[]> {
  let page: Row[] = []
  let units = 0
  for await (const rows of small) {
    for (const row of rows) {
      page.push(row)
      for (const cell of row.cells) units += cell.length
      if (page.length < rowsMax() && units < PAGE_UNITS) continue
      yield page
      page = []
      units = 0
    }
  }
  if (page.length > 0) yield page
}
