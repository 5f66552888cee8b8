import type { Trx } from '@probity/database/connection/connect'
import type { Random } from '@probity/lab/simulation/random'
import type { FileStorage } from '@probity/uploads/storage'
import { sql } from 'kysely'

/** The context of every part of the seed. `trx` is the owner's, with the account as its tenant. */
export type Seeding = { trx: Trx; accountId: string; storage: FileStorage; random: Random; nowMs: number }

export const DAY_MS = 24 * 60 * 60 * 1_000

/** Rows per statement: the parameter is one JSON text. */
const ROWS_AT_ONCE = 2_000

/** Inserts rows whose fields are named as the columns. PostgreSQL converts the values from JSON, and applies defaults to columns left out. */
export async function insertRows(trx: Trx, table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)))
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = JSON.stringify(rows.slice(from, from + ROWS_AT_ONCE))
    await sql`
      insert into ${sql.table(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${part}::jsonb)`.execute(trx)
  }
}

/** The form of a bytea in JSON. */
export function hexOf(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** The UTC day as `2026-11-02`. */
export function dayOf(ms: number): string {
  return isoOf(ms).slice(0, 10)
}
