import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { type Db, inTenant, type Trx } from '../../connection/connect.ts'
import { type ChunkSet, listChunks, type ResultsLocation, readChunks, readIndexes, withChunks } from './chunk-store.ts'
import { type ChunkIndex, type ChunkRow, decodeChunk, decodeIndex, encodeChunk } from './result-chunk.ts'
import { type RewrittenChunk, tallyChunks } from './tally-chunks.ts'

/**
 * The address to erase. Texts with the same key are the same address; `probe` is a lower-case text that each of them has. `isIn` is true for
 * texts that contain the address, `isInJson` for values with one of them.
 */
export type ErasedAddress = {
  key: string
  probe: string
  is(email: string): boolean
  isIn(text: string): boolean
  isInJson(value: unknown): boolean
}

/** `unfinished`: jobs that have not ended. Their results are unchanged; erase again when they have ended. */
export type Erasure = { jobs: string[]; unfinished: string[]; results: number; batches: number }

/**
 * Erases an address from the results of all ended jobs of an account. The result keeps its row, verdict, recommendation and provider,
 * so that counts, pages and exports have as many rows as before; it has no address, domain and evidence any more. Results of typos of the
 * address lose the suggestion. One transaction for each job, the newest first: a rerun that is merged meanwhile brings nothing into an earlier
 * job that was read before. Uploaded files are not changed. Throws if the signal aborts between two jobs.
 */
export async function eraseResults(
  db: Db,
  accountId: string,
  address: ErasedAddress,
  signal?: AbortSignal,
): Promise<Erasure> {
  const jobs = await inTenant(db, accountId, (trx) =>
    trx
      .selectFrom('jobs')
      .select(['id', 'accountId', 'expiresOn', 'finishedAt'])
      .where('accountId', '=', accountId)
      .where('expiresOn', '>=', sql<string>`utc_today()`)
      .orderBy('createdAt', 'desc')
      .execute(),
  )
  const erasure: Erasure = { jobs: [], unfinished: [], results: 0, batches: 0 }
  for (const { finishedAt, ...job } of jobs) {
    signal?.throwIfAborted()
    if (finishedAt === null) {
      erasure.unfinished.push(job.id)
      continue
    }
    const erased = await inTenant(db, accountId, (trx) => eraseInJob(trx, job, address))
    if (erased === undefined) continue
    erasure.jobs.push(job.id)
    erasure.results += erased.results
    erasure.batches += erased.batches
  }
  return erasure
}

/** Whether batches or results of a job contain an address. */
export async function isInJob(trx: Trx, location: ResultsLocation, address: ErasedAddress): Promise<boolean> {
  return (await countBatches(trx, location, address)) > 0 || isInResults(trx, location, address)
}

function isInResults(trx: Trx, location: ResultsLocation, address: ErasedAddress): Promise<boolean> {
  return withChunks(trx, location, async (set) => (await rewriteChunks(trx, set, address)).chunks.length > 0)
}

/** Undefined if nothing in the job contains the address. */
async function eraseInJob(trx: Trx, location: ResultsLocation, address: ErasedAddress) {
  // Reads without locks first: most jobs do not contain the address, and preparing an erasure interrupts a worker that stores the results
  // in row order. The batches of an ended job get no more addresses, and neither do its chunks.
  const batches = await countBatches(trx, location, address)
  const isNeeded = batches > 0 || (await isInResults(trx, location, address))
  if (!isNeeded) return undefined
  const { rows } = await sql<{ generation: number | null }>`select begin_erasure(${location.id}) as generation`.execute(
    trx,
  )
  if (typeof rows[0]?.generation !== 'number') return undefined
  const set = await listChunks(trx, location)
  const { chunks, results } = await rewriteChunks(trx, set, address)
  if (chunks.length > 0) await storeChunks(trx, set, chunks)
  return { results, batches }
}

async function storeChunks(trx: Trx, set: ChunkSet, chunks: RewrittenChunk[]): Promise<void> {
  const tallies = await tallyChunks(trx, set, chunks)
  const { rows } = await sql<{ count: number }>`
    select erase_results(${set.location.id}, ${set.generation}::smallint, ${chunks.map(({ no }) => no)}::integer[],
      ${chunks.map(({ index }) => index)}::bytea[], ${chunks.map(({ results }) => results)}::bytea[],
      ${JSON.stringify(tallies)}::jsonb) as count`.execute(trx)
  if (rows[0]?.count !== chunks.length) throw new Error('an erasure did not find the chunks that it read')
}

async function countBatches(trx: Trx, location: ResultsLocation, { isIn }: ErasedAddress): Promise<number> {
  const batches = trx.selectFrom('jobBatches').select('emails').where('expiresOn', '=', location.expiresOn)
  const ofJob = batches.where('accountId', '=', location.accountId).where('jobId', '=', location.id)
  return (await ofJob.execute()).filter(({ emails }) => emails.some(isIn)).length
}

/** A local part without quotes is lower-cased in its key, so most addresses differ without being parsed. */
const PLAIN = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/i

/** Whether the result of an email can contain the address: as its own, or as the suggestion for a typo, which has the same local part. */
function candidateTest({ key }: ErasedAddress): (email: string) => boolean {
  const local = key.slice(0, key.lastIndexOf('@'))
  return (email) =>
    email !== '' && (!PLAIN.test(email) || email.slice(0, email.lastIndexOf('@')).toLowerCase() === local)
}

/** The chunks that change, and how many of their results are those of the address. */
async function rewriteChunks(trx: Trx, set: ChunkSet, address: ErasedAddress) {
  const isCandidate = candidateTest(address)
  const nos = new Set<number>()
  for await (const group of readIndexes(trx, set)) {
    for (const chunk of group) if (hasEmail(decodeIndex(chunk), isCandidate)) nos.add(chunk.no)
  }
  const heads = set.heads.filter(({ no }) => nos.has(no))
  const chunks: RewrittenChunk[] = []
  let results = 0
  for await (const group of readChunks(trx, set, heads)) {
    for (const stored of group) {
      const before = decodeChunk(stored)
      const after = before.map((row) => (isCandidate(row.email) ? eraseRow(row, address) : row))
      if (after.every((row, n) => row === before[n])) continue
      chunks.push({ ...(await encodeChunk(after)), no: stored.no })
      results += after.filter((row, n) => row !== before[n] && row.email === '').length
    }
  }
  return { chunks, results }
}

function hasEmail(index: ChunkIndex, test: (email: string) => boolean): boolean {
  for (let n = 0; n < index.size; n++) if (test(index.email(n))) return true
  return false
}

function eraseRow(row: ChunkRow, { is, isIn, isInJson, probe }: ErasedAddress): ChunkRow {
  if (PLAIN.test(row.email) ? is(row.email) : isIn(row.email)) return eraseResult(row)
  if (!row.result.toLowerCase().includes(probe)) return row
  const result = JSON.parse(row.result) as StoredResult
  return isInJson(result) ? { ...row, result: JSON.stringify(withoutAddress(result, isIn)) } : row
}

/** The value without the texts that contain the address; a suggestion becomes null. */
export function withoutAddress<T>(value: T, isIn: ErasedAddress['isIn']): T {
  return JSON.parse(JSON.stringify(value), (field, part: unknown) => {
    if (typeof part !== 'string' || !isIn(part)) return part
    return field === 'did_you_mean' ? null : ''
  }) as T
}

/** The same verdict without anything that identifies the address. */
function eraseResult(row: ChunkRow): ChunkRow {
  const { status, sub_status, confidence, deliverability, depth, safe_to_send, is_valid, details, override } =
    JSON.parse(row.result) as Partial<StoredResult>
  const empty = pendingResult('', 'not_probed')
  const erased = {
    ...empty,
    ...{ status, sub_status, confidence, deliverability, depth, safe_to_send, is_valid },
    details: { ...empty.details, provider: details?.provider ?? '' },
    ...(override && { override }),
  }
  return { ...row, email: '', domain: '', result: JSON.stringify(erased) }
}
