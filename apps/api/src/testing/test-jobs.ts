import { randomUUID } from 'node:crypto'
import { resultNoOf } from '@probity/contract/constants/jobs'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { type BatchRef, claimBatch } from '@probity/database/jobs/batches'
import type { PlanLimits } from '@probity/database/jobs/planning'
import { savePlan } from '@probity/database/jobs/planning'
import { type LaterRows, settleBatch } from '@probity/database/jobs/settle-batches'
import { finalRow } from '@probity/database/jobs/test-jobs'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestApi, TestClient } from './test-api.ts'

/** A list of so many different addresses. */
export function emailsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `person${n}@example.com`)
}

export function csvOf(emails: string[]): string {
  return `email\n${emails.join('\n')}\n`
}

/** Uploads a file and returns the id of the upload. */
export async function uploadList(caller: TestClient, csv: string, name = 'list.csv'): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([csv]), name)
  const { status, body } = await caller.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  expect(status).toBe(200)
  return String(body['upload_id'])
}

/** Copies an upload and what is stored of it, without sending the file each time. */
export async function copyUpload(
  { db, services: { storage } }: TestApi,
  uploadId: string,
  count: number,
): Promise<string[]> {
  const { storageKey } = await asOwner(db, (trx) =>
    trx.selectFrom('uploads').select('storageKey').where('id', '=', uploadId).executeTakeFirstOrThrow(),
  )
  const note = (await storage.findNote(storageKey)) ?? ''
  const keys: string[] = []
  for (let n = 0; n < count; n++) {
    const { key } = await storage.save(storage.open(storageKey))
    await storage.saveNote(key, note)
    keys.push(key)
  }
  const { rows } = await asOwner(db, (trx) =>
    sql<{ id: string }>`
      insert into uploads (account_id, mode, filename, size_bytes, columns, delimiter, encoding, header_row, suggested_column,
        row_count, email_count, unique_count, storage_key)
      select account_id, mode, filename, size_bytes, columns, delimiter, encoding, header_row, suggested_column,
        row_count, email_count, unique_count, key
      from uploads, unnest(${keys}::text[]) key where id = ${uploadId} returning id`.execute(trx),
  )
  return rows.map(({ id }) => id)
}

export function confirmList(caller: TestClient, uploadId: string, emailColumn = 'email', options: object = {}) {
  const payload = { upload_id: uploadId, email_column: emailColumn, ...options }
  return caller.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload })
}

/** A job of so many addresses. */
export async function startJob(caller: TestClient, count: number): Promise<string> {
  const { status, body } = await confirmList(caller, await uploadList(caller, csvOf(emailsOf(count))))
  expect(status).toBe(201)
  return String(body['id'])
}

export async function getJob(caller: TestClient, jobId: string): Promise<Job> {
  const { status, body } = await caller.call({ method: 'GET', url: `/api/v1/bulk/jobs/${jobId}` })
  expect(status).toBe(200)
  return body as Job
}

/** Plans a job as a worker does, in batches of these sizes. */
export async function planJob(db: Db, jobId: string, sizes: number[], limits?: PlanLimits): Promise<BatchRef[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ id: string; accountId: string; expiresOn: string; epoch: number }>`
      update jobs set state = 'planning', plan_epoch = plan_epoch + 1, started_at = clock_timestamp()
      where id = ${jobId} returning id, account_id, expires_on, plan_epoch as epoch`.execute(trx),
  )
  const [job] = rows
  if (job === undefined) throw new Error('no such job')
  let row = 1
  const batches = sizes.map((size) => {
    const rows = Array.from({ length: size }, () => ++row)
    const rowNos = rows.map((no) => resultNoOf(no, 0))
    return { site: '', siteMax: 1, rowNos, emails: rows.map((no) => `person${no - 2}@example.com`) }
  })
  const plan = {
    mode: 'live',
    encoding: 'utf-8',
    delimiter: ',',
    headerRow: 1,
    columnIndex: 0,
    severalAddresses: 'first',
    malformed: 'validate',
  } as const
  const isSaved = await savePlan(
    db,
    { ...plan, ...job, attempts: 1, uniqueCount: row - 1, storageKey: '' },
    batches,
    limits,
  )
  expect(isSaved).toBe(true)
  return batches.map((_, no) => ({ expiresOn: job.expiresOn, accountId: job.accountId, jobId, no }))
}

/** Claims a batch and settles it as a worker does, each address with this verdict. The last addresses may be deferred. */
export async function workBatch(
  db: Db,
  ref: BatchRef,
  { status = 'valid', subStatus = '', later = 0, waitMs = 600_000 } = {},
): Promise<'settled' | 'lost' | 'not_to_be_had'> {
  const batch = await claimBatch(db, randomUUID(), ref)
  if (batch === undefined) return 'not_to_be_had'
  const ends = batch.emails.length - later
  const final = batch.emails
    .slice(0, ends)
    .map((email, n) => finalRow(batch.rowNos[n] ?? 0, email, { status, subStatus }))
  const put: LaterRows = {
    rowNos: batch.rowNos.slice(ends),
    emails: batch.emails.slice(ends),
    deferrals: 1,
    throttles: 0,
    noResponses: 0,
    attempts: 0,
    egress: null,
    waitReason: 'greylisted',
    waitMs,
  }
  return settleBatch(db, batch, { final, later: later > 0 ? [put] : [] })
}

/** Ledger and balance of the account, and whether they agree. */
export async function booksOf(db: Db, accountId: string) {
  return asOwner(db, async (trx) => {
    const account = await trx
      .selectFrom('accounts')
      .select(['available', 'reserved', 'spent'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()
    const drift = await trx.selectFrom('ledgerMismatches').selectAll().execute()
    expect(drift).toEqual([])
    return account
  })
}
