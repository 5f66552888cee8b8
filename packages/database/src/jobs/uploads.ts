import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { type Page, readPage } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'

export type NewUpload = Omit<Insertable<Schema['uploads']>, 'accountId'>

/** Stores the preview of a file until the upload expires. */
export function insertUpload(trx: Trx, accountId: string, upload: NewUpload): Promise<{ id: string; expiresAt: Date }> {
  return trx
    .insertInto('uploads')
    .values({ ...upload, accountId })
    .returning(['id', 'expiresAt'])
    .executeTakeFirstOrThrow()
}

/**
 * The uploads of an account that are not confirmed, of both modes, and their bytes. Confirmed ones of test mode cost nothing, so their
 * bytes count as well. The lock keeps other transactions from adding one before this one ends.
 */
export async function sumKeptUploads(trx: Trx, accountId: string): Promise<{ uploads: number; bytes: number }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads of ${accountId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ uploads: number; bytes: number }>`
    select count(*) filter (where not u.confirmed) as uploads,
      coalesce(sum(u.size_bytes) filter (where u.mode = 'test' or not u.confirmed), 0)::bigint as bytes
    from (
      select mode, size_bytes, exists (select from jobs j where j.upload_id = uploads.id) as confirmed
      from uploads where account_id = ${accountId} and ${STILL_KEPT}
    ) u`.execute(trx)
  return rows[0] ?? { uploads: 0, bytes: 0 }
}

/** An upload cannot be confirmed in its last minute, so that its file is not removed while the job is created. */
export const STILL_KEPT = sql<boolean>`expires_at > clock_timestamp() + interval '1 minute'`

/** An upload that is not confirmed. */
export type Draft = Selectable<Schema['uploads']>

export function findDraft(trx: Trx, view: View, uploadId: string): Promise<Draft | undefined> {
  return draftsIn(trx, view).selectAll().where('uploads.id', '=', uploadId).executeTakeFirst()
}

/** The file of an upload, by the hash of its rows. */
type SameFile = { uploadId: string; hash: string }

export type SameFileJob = Pick<
  Selectable<Schema['jobs']>,
  'id' | 'filename' | 'emailColumn' | 'createdAt' | 'doneCount' | 'refundedCount' | 'creditsPerEmail'
>

/** The last job of the account with the same file. Hashes are deleted with their files, a week after the confirmation. */
export function findSameFileJob(trx: Trx, view: View, { uploadId, hash }: SameFile): Promise<SameFileJob | undefined> {
  return trx
    .selectFrom('uploads as u')
    .innerJoin('jobs as j', 'j.uploadId', 'u.id')
    .select(['j.id', 'j.filename', 'j.emailColumn', 'j.createdAt'])
    .select(['j.doneCount', 'j.refundedCount', 'j.creditsPerEmail'])
    .where('u.accountId', '=', view.accountId)
    .where('u.mode', '=', view.mode)
    .where('u.fileHash', '=', hash)
    .where('u.id', '<>', uploadId)
    .where('j.accountId', '=', view.accountId)
    .orderBy('j.createdAt', 'desc')
    .executeTakeFirst()
}

/** One page of the drafts, newest first, and their number. */
export async function listDrafts(trx: Trx, view: View, page: Page) {
  const { rows, total } = await readPage(draftsIn(trx, view), page, (drafts) =>
    drafts.selectAll().orderBy('createdAt', 'desc').orderBy('id'),
  )
  return { drafts: rows, total }
}

/** Expires a draft, so that its file and row can be removed. Returns its storage key; undefined if it is not a draft. */
export async function discardDraft(trx: Trx, view: View, uploadId: string): Promise<ExpiredUpload | undefined> {
  // The lock waits for a concurrent confirmation, whose job the next statement then sees.
  const uploads = trx.selectFrom('uploads').select('id').where('accountId', '=', view.accountId)
  await uploads.where('id', '=', uploadId).forUpdate().execute()
  const draft = await findDraft(trx, view, uploadId)
  if (draft === undefined) return undefined
  await expireUpload(trx, { accountId: view.accountId, uploadId }, sql<Date>`clock_timestamp()`)
  return { id: draft.id, storageKey: draft.storageKey }
}

function draftsIn(trx: Trx, { accountId, mode }: View) {
  return trx
    .selectFrom('uploads')
    .where('accountId', '=', accountId)
    .where('mode', '=', mode)
    .where(STILL_KEPT)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('jobs').select('jobs.id').whereRef('jobs.uploadId', '=', 'uploads.id'))),
    )
}

type UploadRef = { accountId: string; uploadId: string }

/** Sets when a file is removed. */
export async function expireUpload(
  trx: Trx,
  { accountId, uploadId }: UploadRef,
  expiresAt: RawBuilder<Date>,
): Promise<void> {
  const uploads = trx.updateTable('uploads').set({ expiresAt })
  await uploads.where('accountId', '=', accountId).where('id', '=', uploadId).execute()
}

export type ExpiredUpload = { id: string; storageKey: string }

/** Expired uploads of all accounts. Their files are deleted first, then `removeExpiredUploads` deletes the rows. */
export async function listExpiredUploads(db: Db, limit: number): Promise<ExpiredUpload[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ExpiredUpload>`select * from list_expired_uploads(${limit})`.execute(trx),
  )
  return rows
}

export async function removeExpiredUploads(db: Db, ids: string[]): Promise<void> {
  await withoutTenant(db, (trx) => sql`select delete_expired_uploads(${ids}::uuid[])`.execute(trx))
}

/** A stored file of an account, of either mode, and the job that it became. */
export type StoredUpload = Pick<Draft, 'id' | 'storageKey' | 'encoding' | 'delimiter' | 'columns'> & {
  isExpired: boolean
  emailColumn: string | null
  isUnfinished: boolean
}

export async function listStoredUploads(trx: Trx, accountId: string): Promise<StoredUpload[]> {
  const { rows } = await sql<StoredUpload>`
    select u.id, u.storage_key, u.encoding, u.delimiter, u.columns, u.expires_at <= clock_timestamp() as is_expired, j.email_column,
      j.id is not null and j.finished_at is null as is_unfinished
    from uploads u left join jobs j on j.upload_id = u.id and j.account_id = u.account_id
    where u.account_id = ${accountId} order by u.created_at, u.id`.execute(trx)
  return rows
}

/** Unfinished jobs of an account whose file is no longer stored. */
export async function listJobsWithoutUpload(trx: Trx, accountId: string) {
  const { rows } = await sql<{ id: string; accountId: string; expiresOn: string }>`
    select j.id, j.account_id, j.expires_on from jobs j
    where j.account_id = ${accountId} and j.finished_at is null and j.expires_on >= utc_today()
      and not exists (select from uploads u where u.id = j.upload_id)`.execute(trx)
  return rows
}

/**
 * Expires uploads that are not confirmed, so that their files and rows can be deleted. False if one of them has become an unfinished job
 * meanwhile; the caller must then roll back.
 */
export async function discardUploads(trx: Trx, accountId: string, ids: string[]): Promise<boolean> {
  if (ids.length === 0) return true
  // Locked first: a confirmation that is in progress is waited for, and its job is seen by the next statement.
  const uploads = trx.selectFrom('uploads').select('id').where('accountId', '=', accountId)
  await uploads.where('id', 'in', ids).orderBy('id').forUpdate().execute()
  const jobs = trx.selectFrom('jobs').select('id').where('accountId', '=', accountId).where('uploadId', 'in', ids)
  if ((await jobs.execute()).length > 0) return false
  const ended = trx.updateTable('uploads').set({ expiresAt: sql<Date>`clock_timestamp()` })
  await ended.where('accountId', '=', accountId).where('id', 'in', ids).execute()
  return true
}

/** How long rewriting a file may keep its row locked, the transfer to a bucket included. */
const REWRITE_IDLE = '150s'

/** Locks a stored upload until the transaction ends, so that only one process at a time rewrites its file. False if it does not exist. */
export async function lockUpload(trx: Trx, accountId: string, id: string): Promise<boolean> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${REWRITE_IDLE}, true)`.execute(trx)
  const upload = trx.selectFrom('uploads').select('id').where('accountId', '=', accountId).where('id', '=', id)
  return (await upload.forUpdate().executeTakeFirst()) !== undefined
}
