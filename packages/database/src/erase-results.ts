import { type StandingResult, unsettledResult } from '@probity/contract/standing-result'
import { sql } from 'kysely'
import {
  type ChunkSet,
  listChunks,
  type ResultsPlace,
  readChunks,
  readIndexes,
  type StoredChunk,
  withChunks,
} from './chunk-store.ts'
import { type Db, inTenant, type Trx } from './connect.ts'
import { type Chunk, type ChunkIndex, type ChunkRow, decodeChunk, decodeIndex, encodeChunk } from './result-chunk.ts'
import { openTallyCounter } from './result-tallies.ts'

/** The address to erase: its key, and the function that gives the key of any address. Addresses with the same key are the same. */
export type ErasedAddress = { key: string; keyOf(email: string): string }

/** `unfinished`: jobs that have not ended. Their results are unchanged; erase again when they have ended. */
export type Erasure = { jobs: string[]; unfinished: string[] }

/**
 * Erases an address from the results of all ended jobs of an account. The result keeps its row, verdict, recommendation and provider,
 * so that counts, pages and exports have as many rows as before; it has no address, domain and evidence any more. One transaction for
 * each job. Uploaded files are not changed; exports leave the row of an erased address empty.
 */
export async function eraseResults(db: Db, accountId: string, address: ErasedAddress): Promise<Erasure> {
  const jobs = await inTenant(db, accountId, (trx) =>
    trx
      .selectFrom('jobs')
      .select(['id', 'accountId', 'expiresOn', 'finishedAt'])
      .where('accountId', '=', accountId)
      .where('expiresOn', '>=', sql<string>`utc_today()`)
      .orderBy('createdAt')
      .execute(),
  )
  const erasure: Erasure = { jobs: [], unfinished: [] }
  for (const { finishedAt, ...job } of jobs) {
    if (finishedAt === null) erasure.unfinished.push(job.id)
    else if (await inTenant(db, accountId, (trx) => eraseInJob(trx, job, address))) erasure.jobs.push(job.id)
  }
  return erasure
}

/** False if the job has no result of the address. */
async function eraseInJob(trx: Trx, place: ResultsPlace, address: ErasedAddress): Promise<boolean> {
  const isErased = matcherOf(address)
  // Before the results are in row order, batches have addresses, too, and a worker may be reading them.
  const isNeeded = await withChunks(trx, place, async (set) => set.generation === 0 || hasAddress(trx, set, isErased))
  if (!isNeeded) return false
  const { rows } = await sql<{ generation: number | null }>`select begin_erasure(${place.id}) as generation`.execute(
    trx,
  )
  if (typeof rows[0]?.generation !== 'number') return false
  const set = await listChunks(trx, place)
  const { chunks, tallies } = await rewriteChunks(trx, set, isErased)
  if (chunks.length === 0) return false
  const { rows: replaced } = await sql<{ count: number }>`
    select erase_results(${place.id}, ${set.generation}::smallint, ${chunks.map(({ no }) => no)}::integer[],
      ${chunks.map(({ index }) => index)}::bytea[], ${chunks.map(({ results }) => results)}::bytea[],
      ${JSON.stringify(tallies)}::jsonb) as count`.execute(trx)
  if (replaced[0]?.count !== chunks.length) throw new Error('an erasure did not find the chunks that it read')
  return true
}

type IsErased = (email: string) => boolean

/** A local part without quotes is lower-cased in its key, so most addresses differ without being parsed. */
const PLAIN = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/i

function matcherOf({ key, keyOf }: ErasedAddress): IsErased {
  const local = key.slice(0, key.lastIndexOf('@'))
  return (email) => {
    if (email === '') return false
    if (PLAIN.test(email) && email.slice(0, email.lastIndexOf('@')).toLowerCase() !== local) return false
    return keyOf(email) === key
  }
}

async function hasAddress(trx: Trx, set: ChunkSet, isErased: IsErased): Promise<boolean> {
  for await (const group of readIndexes(trx, set)) {
    if (group.some((chunk) => findErased(decodeIndex(chunk), isErased))) return true
  }
  return false
}

function findErased(index: ChunkIndex, isErased: IsErased): boolean {
  for (let n = 0; n < index.size; n++) if (isErased(index.email(n))) return true
  return false
}

/** The chunks that change, and the breakdown of the job afterwards. */
async function rewriteChunks(trx: Trx, set: ChunkSet, isErased: IsErased) {
  const counter = openTallyCounter()
  const chunks: (Chunk & { no: number })[] = []
  for await (const group of readChunks(trx, set)) {
    for (const stored of group) {
      const index = decodeIndex(stored)
      const rewritten = findErased(index, isErased) ? await rewrite(stored, isErased) : undefined
      if (rewritten) chunks.push({ ...rewritten, no: stored.no })
      counter.add(rewritten ? decodeIndex({ ...stored, ...rewritten }) : index)
    }
  }
  return { chunks, tallies: counter.tallies() }
}

function rewrite(stored: StoredChunk, isErased: IsErased): Promise<Chunk> {
  return encodeChunk(decodeChunk(stored).map((row) => (isErased(row.email) ? eraseRow(row) : row)))
}

/** The same verdict with nothing that tells whose it is. */
function eraseRow(row: ChunkRow): ChunkRow {
  const { status, sub_status, confidence, deliverability, depth, safe_to_send, is_valid, details, listed } = JSON.parse(
    row.result,
  ) as Partial<StandingResult>
  const empty = unsettledResult('', 'not_probed')
  const erased = {
    ...empty,
    ...{ status, sub_status, confidence, deliverability, depth, safe_to_send, is_valid },
    details: { ...empty.details, provider: details?.provider ?? '' },
    ...(listed && { listed }),
  }
  return { ...row, email: '', domain: '', result: JSON.stringify(erased) }
}
