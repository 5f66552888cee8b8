import { hash } from 'node:crypto'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { Db } from '@probity/database/connection/connect'
import type { ResultsLocation } from '@probity/database/jobs/results/chunk-store'
import { openResultsReader, type ResultsReader } from '@probity/database/jobs/results/read-results'
import {
  isNarrow,
  type KeptResult,
  type ResultsFile,
  type ResultsFilter,
  type ResultsJob,
} from '@probity/database/jobs/results/results'
import { isBlank, type Row, readRows, type Writing } from '@probity/uploads/csv'
import { ERASED_CELL } from '@probity/uploads/erase-rows'
import { keyOfCell, readCell } from '@probity/uploads/read-addresses'
import type { FileStorage } from '@probity/uploads/storage'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../../http/exports/defuse-cell.ts'
import { presentResult, type Shown } from '../../http/present-result.ts'

/** Maximum number of rows of a page; large results make pages smaller. */
const PAGE_ROWS_MAX = 500
const FIRST_PAGE_ROWS = 50
const ROWS_UNITS = 512 * 1024
/** A result without the texts of its evidence. */
const RESULT_UNITS = 1_000

/** The number of rows for the next page of an export, from the largest result of the last one: evidence may make results large. */
export function openPageSize() {
  let rows = FIRST_PAGE_ROWS
  return {
    rows: () => rows,
    note(page: KeptResult[]): void {
      const largest = Math.max(RESULT_UNITS, ...page.map(sizeOf))
      rows = Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(ROWS_UNITS / largest)))
    },
  }
}

function sizeOf({ result }: KeptResult): number {
  return result.evidence.reduce((units, { detail }) => units + detail.length, RESULT_UNITS)
}

export type LinesOptions = Shown & { filter: ResultsFilter }

/** All results of a job as NDJSON, page by page; the next page is read when the previous one was sent. */
export async function* writeLines(
  db: Db,
  job: ResultsLocation,
  { filter, evidence, policy }: LinesOptions,
): AsyncGenerator<string> {
  const reader = openResultsReader(db, job)
  const size = openPageSize()
  let afterRow = 0
  for (;;) {
    const limit = size.rows()
    const page = await reader.listAfter({ ...filter, afterRow, limit })
    size.note(page)
    if (page.length > 0)
      yield page.map((kept) => `${JSON.stringify(presentResult(kept, { evidence, policy }))}\n`).join('')
    if (page.length < limit) return
    afterRow = page.at(-1)?.rowNo ?? afterRow
  }
}

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

export type SheetColumns = {
  /** The customer's header row with our column names appended. */
  names(theirs: string[]): string[]
  /** Our cells for one row, empty without a result. */
  cells(result: Result | undefined): string[]
}

export function sheetColumns({ evidence, policy }: Shown): SheetColumns {
  const columns = [...COLUMNS, ...(policy ? POLICY_COLUMNS : []), ...(evidence ? [EVIDENCE_COLUMN] : [])]
  return {
    names(theirs) {
      const taken = new Set(theirs.map((name) => name.trim().toLowerCase()))
      return columns.map(([name]) => nameBeside(name, taken))
    },
    cells: (result) => columns.map(([, cellOf]) => (result ? cellOf(result) : '')),
  }
}

/** The file may be an earlier export that was uploaded again. */
function nameBeside(name: string, taken: Set<string>): string {
  if (!taken.has(name)) return name
  let n = 2
  while (taken.has(`${name}_${n}`)) n++
  return `${name}_${n}`
}

/** Maximum size of the file's cells in one page. */
const PAGE_UNITS = 256 * 1024

const BYTE_ORDER_MARK = '\uFEFF'

export type SheetOptions = Shown & { filter: ResultsFilter; bom: boolean; formulaSafe: boolean }
export type SheetJob = ResultsJob & { file: ResultsFile }

/**
 * The uploaded file with our columns appended, page by page: same rows, order, columns and delimiter. A repeated address has the result of
 * its first row; a row without an address or a result has empty cells. The row of an erased address has the verdict and no cells of
 * the file, since any of them may contain the address.
 */
export async function* writeSheet(
  { db, storage }: { db: Db; storage: FileStorage },
  job: SheetJob,
  { filter, evidence, policy, bom, formulaSafe }: SheetOptions,
): AsyncGenerator<string> {
  const { file } = job
  const writing = file as Writing // as detected by our own reader
  const ours = sheetColumns({ evidence, policy })
  const onlyMeant = isNarrow(filter)
  const firstRowOf = openFirstRows(file.columns.indexOf(job.emailColumn))
  const write = (rows: string[][]) => writeRows(rows, file.delimiter, formulaSafe)
  const head = (cells: string[]) => {
    const theirs = file.columns.map((name, n) => cells[n] ?? name)
    return [...theirs, ...ours.names(theirs)]
  }

  if (bom) yield BYTE_ORDER_MARK
  if (!file.hasHeader) yield write([head([])])
  const reader = openResultsReader(db, job)
  const size = openPageSize()
  for await (const page of pagesOf(
    readRows(() => storage.open(file.storageKey), writing),
    size.rows,
  )) {
    const firstRows = page.map(firstRowOf)
    const kept = await findResults(reader, { firstRows, filter })
    size.note(kept)
    const results = new Map(kept.map((one) => [one.rowNo, presentResult(one, { evidence, policy })]))
    const lines = page.flatMap(({ cells, isHeader }, n) => {
      if (isHeader) return [head(cells)]
      const result = results.get(firstRows[n] ?? 0)
      if (onlyMeant && result === undefined) return []
      const isErased = result?.email === ''
      return [[...file.columns.map((_, column) => (isErased ? '' : (cells[column] ?? ''))), ...ours.cells(result)]]
    })
    if (lines.length > 0) yield write(lines)
  }
}

/** All cells are quoted, so that no content can end them. */
function writeRows(rows: string[][], delimiter: string, formulaSafe: boolean): string {
  const safe = formulaSafe ? rows.map((cells) => cells.map(defuseCell)) : rows
  return stringify(safe, { delimiter, quoted: true, quoted_empty: true, record_delimiter: 'windows' })
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
