import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { WITHOUT_PROBING, WITHOUT_RESOLVER } from '@probity/contract/constants/system'
import type { Probity, UploadPreview } from '@probity/sdk'
import { CliError, hasProblemCode, isApiError, systemCodeOf } from '../cli-error.ts'
import { type CostFlags, confirmCost, findBalance, type Price } from '../confirm.ts'
import { formatSize } from '../output/format.ts'
import type { Run } from '../run.ts'
import { getKey } from '../settings.ts'
import { openStateStore, type SavedState, type StateStore, type Upload } from './saved-state.ts'

export type StartFlags = CostFlags & { column?: string; sheet?: string; fresh?: boolean }

/** An upload may have expired, or another process may have started the same file; then it is tried again. */
const ATTEMPTS_MAX = 3

/** Creates a job from a file, or returns the job that an earlier run created. A file is charged once. */
export async function startJob(run: Run, client: Probity, source: Source, flags: StartFlags): Promise<string> {
  const store = storeOf(run, source, flags)
  if (flags.fresh) await store.remove()
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const id = (await findJob(run, client, store)) ?? (await createJob(run, client, { source, flags, store }))
    if (id !== undefined) return id
  }
  throw new CliError('later', 'Another process uses this file. Try again.')
}

/** The price of a file. The upload is kept for a later start. */
export async function priceFile(run: Run, client: Probity, source: Source, flags: StartFlags): Promise<PricedUpload> {
  const upload = () => uploadFile(run, client, source, flags)
  const found = await findOrUpload(run, client, storeOf(run, source, flags), upload)
  return found.upload.kind === 'started' ? upload() : { ...found, upload: found.upload }
}

function storeOf({ settings }: Run, source: Source, { column, sheet }: StartFlags): StateStore {
  const { hint: keyHint } = getKey(settings)
  const hash = sheet === undefined ? source.hash : createHash('sha256').update(`${source.hash} ${sheet}`).digest('hex')
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

type Request = { source: Source; flags: StartFlags; store: StateStore }

async function createJob(run: Run, client: Probity, { source, flags, store }: Request): Promise<string | undefined> {
  const upload = () => uploadFile(run, client, source, flags)
  const found = await findOrUpload(run, client, store, upload)
  if (found.upload.kind === 'started') return undefined
  if (found.upload.kind === 'uploaded') {
    await confirmCost(run, found.price, flags)
    await saveUpload(store, { ...found.upload, kind: 'confirming' })
  }
  return confirmUpload(client, store, found.upload)
}

type Found = { upload: SavedState; price: Price }

async function findOrUpload(
  run: Run,
  client: Probity,
  store: StateStore,
  upload: () => Promise<PricedUpload>,
): Promise<Found> {
  const saved = await store.find()
  if (saved !== undefined && saved.kind !== 'started') {
    return { upload: saved, price: await priceOfSaved(run, client, saved) }
  }
  const uploaded = await upload()
  // Two processes with the same file both continue with the first upload.
  return isStorable(uploaded.upload) ? { ...uploaded, upload: await store.claim(uploaded.upload) } : uploaded
}

async function priceOfSaved(run: Run, client: Probity, { rows, unique, credits }: Upload): Promise<Price> {
  const balance = credits === 0 ? { available: undefined, unlimited: false } : await findBalance(run, client)
  return { rows, unique: unique ?? undefined, credits, isAtMost: unique === null, ...balance }
}

/**
 * Undefined if the upload has expired. Not aborted by the first Ctrl-C: the request takes a moment, and its response contains the id of
 * the job.
 */
async function confirmUpload(client: Probity, store: StateStore, upload: Upload): Promise<string | undefined> {
  try {
    const { id } = await client.jobs.create(upload.uploadId, { emailColumn: upload.column })
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

/** An upload and its price. Nothing is charged yet. */
type PricedUpload = { upload: Upload; price: Price }

async function uploadFile(
  run: Run,
  client: Probity,
  source: Source,
  { column, sheet }: StartFlags,
): Promise<PricedUpload> {
  const { blob, filename } = source
  const preview = await chooseSheet(
    run,
    client,
    await client.uploads.create(blob, { filename, signal: run.signal }),
    sheet,
  )
  const chosen = column ?? preview.suggested_email_column
  if (!preview.columns.includes(chosen)) throw unknownColumn(chosen, preview)
  // Older services do not send `probing`.
  const { livemode, probing }: Partial<UploadPreview> = preview
  if (livemode && probing?.mode === 'dns') run.terminal.note(WITHOUT_PROBING)
  if (livemode && probing?.resolver_trusted === false) run.terminal.note(WITHOUT_RESOLVER)
  const price = priceOfPreview(preview, chosen)
  const { rows, unique = null, credits } = price
  return { upload: { kind: 'uploaded', uploadId: preview.upload_id, column: chosen, rows, unique, credits }, price }
}

async function chooseSheet(run: Run, client: Probity, preview: UploadPreview, sheet: string | undefined) {
  if (sheet === undefined || preview.sheet === sheet) return preview
  // Older services do not read workbooks.
  const { sheets = [] }: Partial<UploadPreview> = preview
  if (sheets.includes(sheet)) return client.uploads.chooseSheet(preview.upload_id, sheet, { signal: run.signal })
  const known = sheets.length === 0 ? 'It is not a workbook.' : `Its sheets: ${sheets.join(', ')}.`
  throw new CliError('input', `The file has no sheet ${sheet}. ${known} Nothing was charged.`)
}

/** The service counts unique addresses of the suggested column only; of others it counts filled cells. */
function priceOfPreview(preview: UploadPreview, column: string): Price {
  const { credits, unique_count, livemode } = preview
  const balance = { rows: preview.row_count, available: credits.available, unlimited: credits.unlimited }
  if (column === preview.suggested_email_column) return { ...balance, unique: unique_count, credits: credits.quote }
  const filled = preview.column_details.find(({ name }) => name === column)?.filled_count ?? preview.row_count
  return { ...balance, unique: undefined, credits: livemode ? filled : 0, isAtMost: true }
}

function unknownColumn(column: string, { columns }: UploadPreview): CliError {
  return new CliError(
    'input',
    `The file has no column ${column}. Its columns: ${columns.join(', ')}. Nothing was charged.`,
  )
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
