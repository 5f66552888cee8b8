import { hash } from 'node:crypto'
import { resultNoOf } from '@probity/contract/constants/jobs'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { Db } from '@probity/database/connection/connect'
import { openResultsReader } from '@probity/database/jobs/results/read-results'
import { isNarrow, type ResultsFile, type ResultsFilter, type ResultsJob } from '@probity/database/jobs/results/results'
import { isBlankRow, type Open, type Row, readAllRows } from '@probity/uploads/csv'
import { type Layout, readLayout } from '@probity/uploads/read-addresses'
import { chooseValues, keyOfValue, readCell } from '@probity/uploads/read-cell'
import { presentResult, type Shown } from '../../http/present-result.ts'
import { openPageSize } from './export.ts'

const ROW_COLUMN = 'probity_row'

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
  // Of the row of the file, also without a result. A row with several addresses is repeated for each of them.
  [ROW_COLUMN, () => ''],
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
  cells(row: number, result: Result | undefined): string[]
}

function sheetColumns({ evidence, policy }: Shown): SheetColumns {
  const columns = [...COLUMNS, ...(policy ? POLICY_COLUMNS : []), ...(evidence ? [EVIDENCE_COLUMN] : [])]
  return {
    names: (theirs) => columns.map(([name]) => name).map(besides(theirs)),
    cells: (row, result) =>
      columns.map(([name, cellOf]) => (name === ROW_COLUMN ? String(row) : result ? cellOf(result) : '')),
  }
}

const NO_COLUMNS: SheetColumns = { names: () => [], cells: () => [] }

/** A name that no column of the file has: it may be an earlier export that was uploaded again. */
export function besides(theirs: string[]): (name: string) => string {
  const taken = new Set(theirs.map((name) => name.trim().toLowerCase()))
  return (name) => {
    if (!taken.has(name)) return name
    let n = 2
    while (taken.has(`${name}_${n}`)) n++
    return `${name}_${n}`
  }
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

/** How the file of a job is read. */
export function layoutOf({ file, emailColumn, severalAddresses: several, malformed }: SheetJob): Layout {
  const { encoding, delimiter, headerRow, columns } = file
  return readLayout({ encoding, delimiter, headerRow, column: columns.indexOf(emailColumn), several, malformed })
}

/**
 * The rows of the uploaded file from its header on with our columns appended, page by page: same rows, order and columns. A row with several
 * addresses is repeated for each. A repeated address has the result of its first occurrence; a row without an address or a result has
 * empty cells. The row of an erased address has the verdict and no cells of the file, since any of them may contain the address.
 */
export async function* readSheet(
  { db, open }: { db: Db; open: Open },
  job: SheetJob,
  options: RowsOptions,
): AsyncGenerator<SheetRow[]> {
  const layout = layoutOf(job)
  const form = openForm(job, options)
  const listValues = openValues(layout)
  const reader = openResultsReader(db, job)
  const size = openPageSize()
  let last: number | undefined
  for await (const page of pagesOf(readAllRows(open, layout), size.rows)) {
    const values = page.map(listValues)
    const firstNos = [...new Set(values.flatMap((some) => some.map(({ firstNo }) => firstNo)))]
    const kept = await reader.listAt({ ...options.filter, rowNos: firstNos })
    size.note(kept)
    const results = new Map(kept.map((one) => [one.rowNo, presentResult(one, options)]))
    if (last === undefined && layout.headerRow === null && !options.hasOwnColumns) yield [form.head([])]
    let rows: SheetRow[] = []
    for (const [n, row] of page.entries()) {
      const gap = form.hasBlankRows && last !== undefined ? row.row - last - 1 : 0
      last = row.row
      if (gap > 0) {
        if (rows.length > 0) yield rows
        yield* blankRows(gap)
        rows = []
      }
      const found = (values[n] ?? []).map((value) => ({ ...value, result: results.get(value.firstNo) }))
      rows.push(...form.rows(row, found))
    }
    if (rows.length > 0) yield rows
  }
}

const BLANK_PAGE: SheetRow[] = Array.from({ length: 500 }, () => [])

/** Empty lines of the file, of which a small file can have a million. */
function* blankRows(count: number): Generator<SheetRow[]> {
  for (let left = count; left > 0; left -= BLANK_PAGE.length) yield BLANK_PAGE.slice(0, left)
}

/** A value of a row that was to be validated, the number of its result, and the one of its own position. */
type RowValue = { email: string | undefined; no: number; firstNo: number }
type FoundValue = RowValue & { result: Result | undefined }

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
  function cellsOf(cells: string[], value: FoundValue | undefined): string[] {
    const own = file.columns.map((_, n) => cells[n] ?? '')
    if (hasOwnColumns && value?.email !== undefined) own[email] = value.email
    return own
  }

  function rowOf({ row, cells }: Row, value: FoundValue | undefined): SheetRow[] {
    const isErased = value?.result?.email === ''
    if (isErased && hasOwnColumns) return hasBlankRows ? [[]] : []
    const own = isErased ? file.columns.map(() => '') : cellsOf(cells, value)
    return [[...own, ...ours.cells(row, value?.result)]]
  }

  /** None for a row that is omitted. */
  function rows(row: Row, values: FoundValue[]): SheetRow[] {
    if (row.isHeader) return [head(row.cells)]
    if (values.length === 0) {
      if (!hasBlankRows) return []
      return isBlankRow(row.cells) ? [[]] : rowOf(row, undefined)
    }
    return values
      .filter(({ result, no, firstNo }) => (hasBlankRows || result !== undefined) && (!isUnique || no === firstNo))
      .flatMap((value) => rowOf(row, value))
  }
  return { head, rows, hasBlankRows }
}

/**
 * Lists the values of each row in order, with the number of the first occurrence of each. Addresses are compared by eight bytes of a hash, as
 * when a file is counted.
 */
function openValues(layout: Layout): (row: Row) => RowValue[] {
  const seen = new Map<bigint, number>()
  return ({ row, cells, isHeader }) => {
    if (isHeader) return []
    const all = readCell(cells[layout.column] ?? '')
    // The first occurrence of an erased address has a result, found by its number.
    const erased = all.flatMap((value, position) => (value.kind === 'erased' ? [resultNoOf(row, position)] : []))
    const chosen = layout.several === 'first' && erased.length > 0 ? [] : chooseValues(all, layout).chosen
    return [
      ...erased.map((no) => ({ email: undefined, no, firstNo: no })),
      ...chosen.map(({ email, position, value }) => {
        const short = hash('sha256', keyOfValue(value), 'buffer').readBigUInt64LE()
        const no = resultNoOf(row, position)
        const firstNo = seen.get(short) ?? no
        if (firstNo === no) seen.set(short, no)
        return { email, no, firstNo }
      }),
    ]
  }
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
