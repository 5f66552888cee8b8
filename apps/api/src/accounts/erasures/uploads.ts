import { inTenant } from '@probity/database/connection/connect'
import { isInJob } from '@probity/database/jobs/results/erase-results'
import {
  discardUploads,
  listJobsWithoutUpload,
  listStoredUploads,
  lockUpload,
  removeExpiredUploads,
  type StoredUpload,
} from '@probity/database/jobs/uploads'
import type { Erasing } from '@probity/database/system/erase-address'
import type { FileErasure, FileSearch } from '@probity/uploads/erase-rows'
import { readFormat } from '@probity/uploads/read-addresses'
import type { FileStorage } from '@probity/uploads/storage'
import { Problem } from '../../http/problem.ts'

/** Searches stored files for an address, and removes it from them. */
export type UploadSearch = {
  find(key: string, search: FileSearch, options: SearchOptions): Promise<boolean>
  erase(key: string, erasure: FileErasure, options: SearchOptions): Promise<number>
}

type SearchOptions = { accountId: string; signal: AbortSignal }

type Needed = { storage: FileStorage; uploadReader: UploadSearch }

/** `email` is the address as it was sent: the threads that read files build their own matcher from it. */
export type FileWork = Needed & { erasing: Erasing; email: string }

/** Throws a problem if the address is in a job that has not ended. Queued jobs have no batches yet, so their files are read. */
export async function refuseUnfinished(work: FileWork): Promise<void> {
  const { db, accountId, address } = work.erasing
  const uploads = await listUploads(work)
  for (const upload of uploads) {
    if (upload.isUnfinished && (await isInUpload(work, upload))) throw new Problem('job_in_progress')
  }
  const jobs = await inTenant(db, accountId, (trx) => listJobsWithoutUpload(trx, accountId))
  for (const job of jobs) {
    if (await inTenant(db, accountId, (trx) => isInJob(trx, job, address))) throw new Problem('job_in_progress')
  }
}

/** Deletes unconfirmed uploads with the address, file and preview. Their counts and quotes would be wrong without it. */
export async function eraseDrafts(work: FileWork): Promise<number> {
  const { db, accountId } = work.erasing
  const drafts: StoredUpload[] = []
  for (const upload of await listUploads(work)) {
    if (upload.emailColumn !== null || upload.isExpired) continue
    if (await isInUpload(work, upload)) drafts.push(upload)
    // Other sheets of its workbook may contain the address. They are not searched, so the workbook is removed.
    else await work.storage.removeOriginal(upload.storageKey)
  }
  const ids = drafts.map(({ id }) => id)
  await inTenant(db, accountId, async (trx) => {
    if (!(await discardUploads(trx, accountId, ids))) throw new Problem('job_in_progress')
  })
  await removeFiles(work, drafts)
  return drafts.length
}

/**
 * Removes the cells with the address from the files of ended jobs, and deletes expired files. Their previews are no longer used. Returns
 * the
 * number of changed rows.
 */
export async function eraseFiles(work: FileWork): Promise<number> {
  const { erasing, storage, uploadReader, email } = work
  const { db, accountId, signal } = erasing
  const uploads = await listUploads(work)
  const expired = uploads.filter(({ isExpired }) => isExpired)
  await removeFiles(work, expired)
  let rows = 0
  for (const upload of uploads) {
    if (upload.isExpired || upload.emailColumn === null || upload.isUnfinished) continue
    signal.throwIfAborted()
    const column = upload.columns.indexOf(upload.emailColumn)
    const erasure = { writing: writingOf(upload), email, column }
    rows += await inTenant(db, accountId, async (trx) => {
      if (!(await lockUpload(trx, accountId, upload.id))) return 0
      await storage.removeOriginal(upload.storageKey)
      const changed = await uploadReader.erase(upload.storageKey, erasure, { accountId, signal })
      if ((await storage.findNote(upload.storageKey)) !== undefined) await storage.saveNote(upload.storageKey, '{}')
      return changed
    })
  }
  return rows
}

function listUploads({ erasing: { db, accountId, signal } }: FileWork): Promise<StoredUpload[]> {
  signal.throwIfAborted()
  return inTenant(db, accountId, (trx) => listStoredUploads(trx, accountId))
}

function isInUpload({ erasing, uploadReader, email }: FileWork, upload: StoredUpload): Promise<boolean> {
  const { accountId, signal } = erasing
  return uploadReader.find(upload.storageKey, { writing: writingOf(upload), email }, { accountId, signal })
}

function writingOf({ encoding, delimiter }: StoredUpload) {
  return readFormat({ encoding, delimiter })
}

/** The files have expired: if the process ends before this, maintenance removes files and rows. */
async function removeFiles({ erasing, storage }: FileWork, uploads: StoredUpload[]): Promise<void> {
  for (const { storageKey } of uploads) await storage.remove(storageKey)
  if (uploads.length === 0) return
  await removeExpiredUploads(
    erasing.db,
    uploads.map(({ id }) => id),
  )
}
