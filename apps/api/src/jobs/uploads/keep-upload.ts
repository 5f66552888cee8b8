import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { getAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import {
  type Draft,
  discardDraft,
  findSameFileJob,
  insertUpload,
  removeExpiredUploads,
} from '@probity/database/jobs/uploads'
import { getProbing } from '@probity/database/validations/probing'
import type { CellOptions } from '@probity/uploads/read-cell'
import type { Convert, FileStorage } from '@probity/uploads/storage'
import { isArchive } from '@probity/uploads/xlsx/is-archive'
import { found } from '../../http/problem.ts'
import { type Auth, viewOf } from '../../middleware/authentication/auth.ts'
import { presentPreview } from './present-upload.ts'
import type { FileReading, UploadReader } from './reader.ts'
import type { UploadShares } from './share.ts'
import { keepReading } from './stored-preview.ts'

export type UploadServices = {
  db: Db
  storage: FileStorage
  uploadReader: UploadReader
  uploadShares: UploadShares
}

type LocalFile = { path: string; convert: Convert; signal: AbortSignal; cells: CellOptions }

/** Reads a received file. The sheet of a workbook is stored as CSV, and the workbook with it if it has other sheets. */
export async function readReceived(
  { db, uploadReader }: UploadServices,
  { accountId }: Auth,
  { path, convert, signal, cells }: LocalFile,
): Promise<FileReading> {
  const { plan } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  const options = { accountId, emailsMax: plan.emailsPerFile, cells, signal }
  if (!(await isArchive(path))) return uploadReader.read(path, options)
  return convertReceived(convert, async (from, to) => {
    const reading = await uploadReader.convert(from, to, options)
    return { reading, keepsOriginal: reading.sheets.length > 1 }
  })
}

type Converted = { reading: FileReading; keepsOriginal: boolean }

/** Replaces a received file by the one that `write` creates, and returns the content of the latter. */
export async function convertReceived(
  convert: Convert,
  write: (from: string, to: string) => Promise<Converted>,
): Promise<FileReading> {
  let reading: FileReading | undefined
  await convert(async (from, to) => {
    const converted = await write(from, to)
    reading = converted.reading
    return converted
  })
  if (reading === undefined) throw new Error('the file was not converted')
  return reading
}

export type Received = { key: string; size: number; filename: string; seen: FileReading }

/** Stores the upload and its preview, in place of another one if `replaced` is given; removes the file if that fails. */
export async function keepUpload(
  services: UploadServices,
  auth: Auth,
  received: Received,
  replaced?: Draft,
): Promise<UploadPreview> {
  const preview = await storeUpload(services, auth, received, replaced).catch(async (error: unknown) => {
    await services.storage.remove(received.key)
    throw error
  })
  if (replaced) await removeDraftFile(services, replaced)
  return preview
}

async function storeUpload(
  { db, storage, uploadShares }: UploadServices,
  auth: Auth,
  received: Received,
  replaced: Draft | undefined,
): Promise<UploadPreview> {
  const { accountId, mode } = auth
  const { filename, size: sizeBytes, seen } = received
  await keepReading(storage, received.key, seen)
  return inTenant(db, accountId, async (trx) => {
    if (replaced) found(await discardDraft(trx, viewOf(auth), replaced.id))
    await uploadShares.check(trx, accountId, sizeBytes)
    const kept = await insertUpload(trx, accountId, { mode, ...rowOf(received) })
    const { account } = await getAccount(trx, accountId)
    const probing = await getProbing(trx)
    const earlier = await findSameFileJob(trx, viewOf(auth), { uploadId: kept.id, hash: seen.hash })
    return presentPreview({ mode, filename, sizeBytes, ...kept }, seen, { account, probing, earlier })
  })
}

/** Removes the file of a discarded upload. If the process ends before this, maintenance removes file and row. */
export async function removeDraftFile(
  { db, storage }: Pick<UploadServices, 'db' | 'storage'>,
  { id, storageKey }: Pick<Draft, 'id' | 'storageKey'>,
): Promise<void> {
  await storage.remove(storageKey)
  await removeExpiredUploads(db, [id])
}

function rowOf({ key, size, filename, seen }: Received) {
  const { columns, delimiter, encoding, headerRow, rowCount, emailCount, uniqueCount, suggestion } = seen
  const suggestedColumn = columns[suggestion.index] ?? ''
  const counts = { columns, delimiter, encoding, headerRow, rowCount, emailCount, uniqueCount, suggestedColumn }
  return { ...counts, filename, sizeBytes: size, storageKey: key, fileHash: seen.hash }
}
