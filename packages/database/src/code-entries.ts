import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Records that the user of this session entered a valid 2FA code now. */
export async function recordCodeEntry(db: Db, token: string): Promise<void> {
  await asNobody(db, (trx) => sql`select record_code_entry(${hashOf(token)})`.execute(trx))
}

/** Whether the user of this session entered a 2FA code within the last 15 minutes. */
export async function hasRecentCode(db: Db, token: string): Promise<boolean> {
  const { rows } = await asNobody(db, (trx) =>
    sql<{ isRecent: boolean }>`select has_recent_code(${hashOf(token)}) as is_recent`.execute(trx),
  )
  return rows[0]?.isRecent ?? false
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
