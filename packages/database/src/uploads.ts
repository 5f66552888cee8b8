import { type Insertable, sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import type { Schema } from './schema.ts'

export type NewUpload = Omit<Insertable<Schema['uploads']>, 'accountId'>

/** Notes what was found in a file, for as long as it may be confirmed. */
export function insertUpload(trx: Trx, accountId: string, upload: NewUpload): Promise<{ id: string; expiresAt: Date }> {
  return trx
    .insertInto('uploads')
    .values({ ...upload, accountId })
    .returning(['id', 'expiresAt'])
    .executeTakeFirstOrThrow()
}

export type ExpiredUpload = { id: string; storageKey: string }

/** Uploads of all accounts whose time is over. Their files go first, then `removeExpiredUploads` forgets them. */
export async function listExpiredUploads(db: Db, limit: number): Promise<ExpiredUpload[]> {
  const { rows } = await asNobody(db, (trx) =>
    sql<ExpiredUpload>`select * from list_expired_uploads(${limit})`.execute(trx),
  )
  return rows
}

export async function removeExpiredUploads(db: Db, ids: string[]): Promise<void> {
  await asNobody(db, (trx) => sql`select remove_expired_uploads(${ids}::uuid[])`.execute(trx))
}
