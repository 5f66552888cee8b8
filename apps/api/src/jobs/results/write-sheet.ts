import { hash } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { openResultsReader, type ResultsReader } from '@probity/database/jobs/results/read-results'
import {
  isNarrow,
  type KeptResult,
  type ResultsFile,
  type ResultsFilter,
  type ResultsJob,
} from '@probity/database/jobs/results/results'
import { ERASED_CELL } from '@probity/uploads/erase-rows'
import { keyOfCell, readCell } from '@probity/uploads/read-cell'
import { isBlank, type Row, readRows, type Writing } from '@probity/uploads/read-rows'
import type { FileStorage } from '@probity/uploads/storage'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../../http/exports/defuse-cell.ts'
import { openPageSize } from './page-size.ts'
import { presentResult, type Shown } from './present-result.ts'
import { sheetColumns } from './sheet-columns.ts'

/** The cells of the file that one page holds at most. */
const PAGE_UNITS = 256 * 1024

const BYTE_ORDER_MARK = '\uFEFF'

export type SheetOptions = Shown & { filter: ResultsFilter; bom: boolean; formulaSafe: boolean }
export type SheetJob = ResultsJob & { file: ResultsFile }

/**
 * The customer's own file with our columns behind it, page by page: their rows, order, columns and delimiter. A repeated address has
 * the result of its first row; a row without an address or a result has empty cells. The row of an erased address has the verdict
 * and no cells of the file, since any of them may contain the address.
 */
export async function* writeSheet(
  { db, storage }: { db: Db; storage: FileStorage },
  job: SheetJob,
  { filter, evidence, policy, bom, formulaSafe }: SheetOptions,
): AsyncGenerator<string> {
  const { file } = job
  const writing = file as Writing // as our own reader found it
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

/** All cells in quotes, so that nothing in one can end it. */
function writeRows(rows: string[][], delimiter: string, formulaSafe: boolean): string {
  const safe = formulaSafe ? rows.map((cells) => cells.map(defuseCell)) : rows
  return stringify(safe, { delimiter, quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}

/**
 * Says for each row, in order, where its address occurs first; nothing where it has none. Eight bytes of a hash stand for an
 * address, as they do where a file is counted.
 */
function openFirstRows(column: number): (row: Row) => number | undefined {
  const seen = new Map<bigint, number>()
  return ({ row, cells, isHeader }) => {
    const text = cells[column] ?? ''
    if (isHeader || isBlank(text)) return undefined
    // The first row of an erased address has a result, which is found by its number.
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

/** Puts small pages of the file together. */
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
