import type { LedgerEntry } from '@probity/contract/schemas/billing'
import { cursorAfter, type LedgerCursor, type LedgerFilter, listLedger } from '@probity/database/billing/ledger'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../http/exports/defuse-cell.ts'
import { presentEntry } from './present-entry.ts'

const PAGE_ROWS = 500

const COLUMNS = [
  'id',
  'occurred_at',
  'kind',
  'credits',
  'available_change',
  'available_after',
  'subject',
  'job_id',
  'filename',
  'validation_id',
  'key_id',
  'key_name',
  'note',
] as const satisfies (keyof LedgerEntry)[]

/**
 * All entries that a filter keeps as CSV, newest first, page by page; the next page is read when the last was taken. What is
 * written meanwhile is newer than the first row and comes into none of them.
 */
export async function* writeLedger(db: Db, accountId: string, filter: LedgerFilter): AsyncGenerator<string> {
  yield writeRows([[...COLUMNS]])
  let before: LedgerCursor | undefined
  for (;;) {
    const reading = { ...filter, before, limit: PAGE_ROWS }
    const rows = await inTenant(db, accountId, (trx) => listLedger(trx, accountId, reading))
    const last = rows.at(-1)
    if (last !== undefined) yield writeRows(rows.map((row) => cellsOf(presentEntry(row))))
    if (last === undefined || rows.length < PAGE_ROWS) return
    before = cursorAfter(last)
  }
}

/** A number is never a formula, even where it begins with a minus; as a text it could not be added up. */
function cellsOf(entry: LedgerEntry): string[] {
  return COLUMNS.map((column) => {
    const value = entry[column]
    return typeof value === 'number' ? String(value) : defuseCell(value ?? '')
  })
}

function writeRows(rows: string[][]): string {
  return stringify(rows, { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}
