import type { AuditEntry } from '@probity/contract/schemas/operators'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../http/exports/defuse-cell.ts'

const PAGE_ROWS = 500

export const AUDIT_SHEET = {
  type: 'text/csv; charset=utf-8',
  disposition: 'attachment; filename="audit-log.csv"',
}

const COLUMNS = [
  'id',
  'at',
  'account_id',
  'actor',
  'actor_id',
  'actor_name',
  'ip',
  'action',
  'subject_id',
  'subject_name',
  'changes',
] as const satisfies (keyof AuditEntry)[]

/** A page of the entries that a filter keeps: those that are older than the one with this id, or the latest. */
type ReadPage = (before: number | undefined, limit: number) => Promise<AuditEntry[]>

/** All entries as CSV, the latest first, page by page. What is written meanwhile comes into none of them. */
export async function* writeAuditLog(read: ReadPage): AsyncGenerator<string> {
  yield writeRows([[...COLUMNS]])
  let before: number | undefined
  for (;;) {
    const entries = await read(before, PAGE_ROWS)
    if (entries.length > 0) yield writeRows(entries.map(cellsOf))
    if (entries.length < PAGE_ROWS) return
    before = entries.at(-1)?.id
  }
}

function cellsOf(entry: AuditEntry): string[] {
  return COLUMNS.map((column) => {
    const value = entry[column]
    if (typeof value === 'number') return String(value)
    return defuseCell(typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? ''))
  })
}

function writeRows(rows: string[][]): string {
  return stringify(rows, { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}
