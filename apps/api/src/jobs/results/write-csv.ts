import type { Db } from '@probity/database/connection/connect'
import { type Open, startsWithMark } from '@probity/uploads/csv'
import type { FileStorage } from '@probity/uploads/storage'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../../http/exports/defuse-cell.ts'
import { readLeftOut } from './left-out-rows.ts'
import { type RowsOptions, readSheet, type SheetJob, type SheetRow } from './sheet-rows.ts'

/** What a file consists of: the rows of the list with their results, or those that were not validated. */
export type SheetOptions = RowsOptions & { isLeftOut: boolean }

export type CsvOptions = SheetOptions & {
  /** Whether a byte order mark comes first. `as_uploaded`: if the file has one, or has an encoding that only spreadsheet programs write. */
  bom: 'always' | 'as_uploaded' | 'never'
  /** Whether cells that start a formula get a leading apostrophe. */
  isFormulaSafe: boolean
}

const BYTE_ORDER_MARK = '\uFEFF'

/** The rows of an export as CSV with the delimiter of the uploaded file, page by page. */
export async function* writeCsv(
  { db, storage }: { db: Db; storage: FileStorage },
  job: SheetJob,
  options: CsvOptions,
): AsyncGenerator<string> {
  const { file } = job
  let hasMark = options.bom === 'always' || (options.bom === 'as_uploaded' && file.encoding !== 'utf-8')
  async function* open(): AsyncGenerator<Buffer> {
    let isFirst = true
    for await (const chunk of storage.open(file.storageKey)) {
      if (isFirst && options.bom === 'as_uploaded') hasMark ||= startsWithMark(chunk)
      isFirst = false
      yield chunk
    }
  }
  let before = () => (hasMark ? BYTE_ORDER_MARK : '')
  for await (const rows of readSheetRows({ db, open }, job, options)) {
    yield before() + writeRows(rows, file.delimiter, options.isFormulaSafe)
    before = () => ''
  }
}

export function readSheetRows(source: { db: Db; open: Open }, job: SheetJob, options: SheetOptions) {
  return options.isLeftOut ? readLeftOut(source.open, job) : readSheet(source, job, options)
}

/** All cells are quoted, so that no content can end them. */
function writeRows(rows: SheetRow[], delimiter: string, isFormulaSafe: boolean): string {
  const guard = isFormulaSafe ? defuseCell : (cell: string) => cell
  const options = { delimiter, quoted: true, quoted_empty: true, record_delimiter: 'windows' } as const
  let text = ''
  let filled: string[][] = []
  const flush = () => {
    text += stringify(filled, options)
    filled = []
  }
  for (const cells of rows) {
    if (cells.length > 0) {
      filled.push(cells.map(guard))
      continue
    }
    flush()
    text += '\r\n'
  }
  flush()
  return text
}
