import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Probity, UploadPreview } from '@probity/sdk'
import { CliError, hasProblemCode, isApiError, systemCodeOf } from '../cli-error.ts'
import { type CostFlags, confirmCost, type Price } from '../confirm.ts'
import { formatSize } from '../output/format.ts'
import type { Run } from '../run.ts'
import { getKey } from '../settings.ts'
import { cellOptionsOf, type ReadFlags, readUpload, settleUpload, uploadFile } from './prepare-upload.ts'
import { openStateStore, type StateStore, type Upload } from './saved-state.ts'

export type StartFlags = CostFlags & ReadFlags & { fresh?: boolean }

/** An upload may have expired, or another process may have started the same file; then it is tried again. */
const ATTEMPTS_MAX = 5

/** Creates a job from a file, or returns the job that an earlier run created. A file is charged once. */
export async function startJob(run: Run, client: Probity, source: Source, flags: StartFlags): Promise<string> {
  const store = storeOf(run, source, flags)
  if (flags.fresh) await store.remove()
  // With these flags a script runs, or a user who wants no questions.
  const asks = run.terminal.isInteractive && !flags.yes && flags.maxCredits === undefined
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const request = { source, flags, store, asks }
    const id = (await findJob(run, client, store)) ?? (await createJob(run, client, request))
    if (id !== undefined) return id
  }
  throw new CliError('later', 'Another process uses this file. Try again.')
}

/** The preview of a file, whose upload is kept for a later start. */
export async function previewFile(
  run: Run,
  client: Probity,
  source: Source,
  flags: StartFlags,
): Promise<UploadPreview> {
  const request = { source, flags, store: storeOf(run, source, flags), asks: false }
  const found = await findOrUpload(run, client, request)
  return found?.preview ?? uploadAndSettle(run, client, request)
}

export function priceOf({ row_count: rows, unique_count: unique, credits }: UploadPreview): Price {
  const { quote, available, unlimited } = credits
  return { rows, unique, credits: quote, available, unlimited }
}

function storeOf({ settings }: Run, source: Source, flags: StartFlags): StateStore {
  const { hint: keyHint } = getKey(settings)
  const { column, sheet, headerRow, firstAddressOnly, validateMalformed, acceptSuggestions } = flags
  const reading = JSON.stringify({ sheet, headerRow, firstAddressOnly, validateMalformed, acceptSuggestions })
  const hash = reading === '{}' ? source.hash : createHash('sha256').update(`${source.hash} ${reading}`).digest('hex')
  return openStateStore(settings.stateFolder, { hash, column, keyHint, baseUrl: settings.baseUrl })
}

const ENDED_EARLY = new Set(['canceled', 'failed'])

/** The job of an earlier run. One that was canceled or failed is not used again. */
async function findJob({ terminal, signal }: Run, client: Probity, store: StateStore): Promise<string | undefined> {
  const saved = await store.find()
  if (saved?.kind !== 'started') return undefined
  try {
    const { id, status } = await client.jobs.get(saved.jobId, { signal })
    if (!ENDED_EARLY.has(status)) {
      terminal.note(`This file already has job ${id} (${status}). Nothing is charged again.`)
      return id
    }
  } catch (error) {
    if (!hasProblemCode(error, 'not_found')) throw error
  }
  await store.remove()
  return undefined
}

type Request = { source: Source; flags: StartFlags; store: StateStore; asks: boolean }

async function createJob(run: Run, client: Probity, request: Request): Promise<string | undefined> {
  const { flags, store } = request
  const found = await findOrUpload(run, client, request)
  if (found === undefined) return undefined
  const { upload, preview } = found
  if (preview !== undefined) {
    await confirmCost(run, priceOf(preview), flags)
    await saveUpload(store, { ...upload, kind: 'confirming' })
  }
  return confirmUpload(client, request, upload)
}

/** There is no preview once the cost was confirmed. */
type Found = { upload: Upload; preview?: UploadPreview }

/** The upload of an earlier run or of another process, or a new one. Undefined if another process has changed its state. */
async function findOrUpload(run: Run, client: Probity, request: Request): Promise<Found | undefined> {
  const { store } = request
  const saved = await store.find()
  if (saved?.kind === 'started') return undefined
  if (saved?.kind === 'confirming') return { upload: saved }
  if (saved !== undefined) return findUpload(run, client, request, saved)
  const preview = await uploadAndSettle(run, client, request)
  const upload = uploadOf(preview)
  if (!isStorable(upload)) return { upload, preview }
  const claimed = await store.claim(upload)
  // Of two processes with the same file, both continue with the first upload.
  const isOwn = claimed.kind === 'uploaded' && claimed.uploadId === upload.uploadId
  return isOwn ? { upload, preview } : undefined
}

async function uploadAndSettle(run: Run, client: Probity, { source, flags, asks }: Request): Promise<UploadPreview> {
  return settleUpload(run, client, await uploadFile(run, client, source, flags), { ...flags, asks })
}

async function findUpload(
  run: Run,
  client: Probity,
  { flags, store, asks }: Request,
  saved: Upload,
): Promise<Found | undefined> {
  let preview: UploadPreview
  try {
    preview = await readUpload(run, client, saved, flags)
  } catch (error) {
    if (!hasProblemCode(error, 'not_found')) throw error
    // Another process may have confirmed it meanwhile, and has saved that.
    const now = await store.find()
    if (now?.kind === 'uploaded' && now.uploadId === saved.uploadId) await store.remove()
    return undefined
  }
  const settled = await settleUpload(run, client, preview, { ...flags, asks })
  const upload = uploadOf(settled)
  await saveUpload(store, upload)
  return { upload, preview: settled }
}

function uploadOf({ upload_id: uploadId, email_column: column }: UploadPreview): Upload {
  return { kind: 'uploaded', uploadId, column }
}

/**
 * Undefined if the upload has expired. Not aborted by the first Ctrl-C: the request takes a moment, and its response contains the id of
 * the job.
 */
async function confirmUpload(client: Probity, { flags, store }: Request, upload: Upload): Promise<string | undefined> {
  try {
    const options = { ...cellOptionsOf(flags), emailColumn: upload.column }
    const { id } = await client.jobs.create(upload.uploadId, options)
    await store.save({ kind: 'started', jobId: id })
    return id
  } catch (error) {
    if (hasProblemCode(error, 'not_found')) {
      await store.remove()
      return undefined
    }
    // The service rejected it, so nothing was charged and the next run asks again.
    if (isApiError(error)) await saveUpload(store, { ...upload, kind: 'uploaded' })
    throw error
  }
}

/** In a file without a header, the first address may be taken for the header. Addresses are not stored. */
function isStorable({ column }: Upload): boolean {
  return !column.includes('@')
}

async function saveUpload(store: StateStore, upload: Upload): Promise<void> {
  if (isStorable(upload)) await store.save(upload)
}

/** A file to upload, and the hash that identifies it. */
type Source = { blob: Blob; filename: string; hash: string }

/** Above the limit of the service, which rejects smaller files itself. */
const SIZE_MAX_BYTES = 64 * 1_024 * 1_024

/** Opens a file, or reads standard input for `-`. */
export async function openSource(run: Run, path: string): Promise<Source> {
  run.terminal.note(`Reading ${path === '-' ? 'standard input' : path}.`)
  const blob = path === '-' ? await readStdin(run) : await openFile(path)
  if (blob.size > SIZE_MAX_BYTES) throw tooLarge()
  return { blob, filename: path === '-' ? 'stdin.csv' : basename(path), hash: await hashOf(blob, run.signal) }
}

/** The blob refers to the file: it is streamed and not held in memory. */
async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new CliError('input', `${path} is not a file.`)
    return await openAsBlob(path)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('input', `Cannot read ${path} (${systemCodeOf(error) ?? 'unknown error'}).`)
  }
}

async function readStdin({ terminal, signal }: Run): Promise<Blob> {
  if (terminal.stdin.isTTY)
    throw new CliError('usage', 'Standard input is a terminal. Pipe a CSV or XLSX file into it.')
  const chunks: Buffer<ArrayBuffer>[] = []
  let size = 0
  // Ctrl-C must also end a read that waits for input.
  signal.addEventListener('abort', () => terminal.stdin.destroy(signal.reason), { once: true })
  for await (const chunk of terminal.stdin) {
    size += chunk.length
    if (size > SIZE_MAX_BYTES) throw tooLarge()
    chunks.push(Buffer.from(chunk))
  }
  signal.throwIfAborted()
  return new Blob(chunks)
}

async function hashOf(blob: Blob, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of blob.stream()) {
    signal.throwIfAborted()
    hash.update(chunk)
  }
  return hash.digest('hex')
}

function tooLarge(): CliError {
  return new CliError('input', `The file is larger than ${formatSize(SIZE_MAX_BYTES)}. Split it.`)
}
