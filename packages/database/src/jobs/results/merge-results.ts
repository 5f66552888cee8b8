import { sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../../connection/connect.ts'
import { isRerunnable } from '../reruns.ts'
import {
  type ChunkHead,
  type ChunkSet,
  listChunks,
  type ResultsLocation,
  readChunks,
  readIndexes,
} from './chunk-store.ts'
import { CHUNK_ROWS_MAX, type ChunkRow, decodeChunk, decodeIndex, encodeChunk } from './result-chunk.ts'
import { type RewrittenChunk, tallyChunks } from './tally-chunks.ts'

/** A rerun of unknown rows whose results this worker merges into the job that it runs again. */
export type MergeJob = ResultsLocation & { attempt: number }

/** The ended rerun that was attempted least, and of these the one that ended first; undefined if there is none. */
export async function claimMerge(db: Db, workerId: string): Promise<MergeJob | undefined> {
  const { rows } = await withoutTenant(db, (trx) => sql<MergeJob>`select * from claim_merge(${workerId})`.execute(trx))
  return rows[0]
}

/** The same for two texts that are the same address. */
type KeyOf = (email: string) => string

/**
 * Merges the results of a rerun into the job that it runs again, in one transaction that locks both jobs: an erasure comes before it, and
 * then its address is in neither, or after it. Addresses are matched by their key, because the rows of the two files differ. A result is
 * replaced if it is still unknown and the one of the rerun says more: it is conclusive, or unknown for a reason that lasts. False if there
 * is nothing to merge: it was merged before, or one of the jobs is deleted or has expired.
 *
 * Memory: about 100 bytes per result of the rerun and per replaced chunk row. A list has 100,000 addresses at most.
 */
export async function mergeResults(db: Db, rerun: ResultsLocation, keyOf: KeyOf): Promise<boolean> {
  return inTenant(db, rerun.accountId, async (trx) => {
    const { rows } = await sql<ResultsLocation>`
      select id, account_id, expires_on from begin_merge(${rerun.id})`.execute(trx)
    const [list] = rows
    if (list === undefined) return false
    const set = await listChunks(trx, list)
    const chunks = await replaceResults(trx, set, await openNewResults(trx, rerun, keyOf), keyOf)
    const breakdown = await tallyChunks(trx, set, chunks)
    const merged = await sql<{ count: number }>`
      select merge_results(${rerun.id}, ${chunks.map(({ no }) => no)}::integer[],
        ${JSON.stringify(chunks.map(({ tally }) => tally))}::jsonb, ${chunks.map(({ index }) => index)}::bytea[],
        ${chunks.map(({ results }) => results)}::bytea[], ${JSON.stringify(breakdown)}::jsonb) as count`.execute(trx)
    if (merged.rows[0]?.count !== chunks.length) throw new Error('a merge did not find the chunks that it read')
    return true
  })
}

type NewResults = { has(key: string): boolean; read(key: string): Promise<ChunkRow | undefined> }

/** The results of the rerun that say more than the unknown ones that they replace. */
async function openNewResults(trx: Trx, rerun: ResultsLocation, keyOf: KeyOf): Promise<NewResults> {
  const set = await listChunks(trx, rerun)
  const positions = new Map(set.heads.map(({ no }, position) => [no, position]))
  const places = new Map<string, number>()
  for await (const group of readIndexes(trx, set)) {
    for (const chunk of group) {
      const index = decodeIndex(chunk)
      const base = (positions.get(chunk.no) ?? 0) * CHUNK_ROWS_MAX
      for (let n = 0; n < index.size; n++) {
        const isErased = index.email(n) === ''
        if (!isErased && !isRerunnable(index.kind(n))) places.set(keyOf(index.email(n)), base + n)
      }
    }
  }
  // Both jobs have their addresses in the same order, so that each chunk is decoded once.
  let decoded: { head: ChunkHead; rows: ChunkRow[] } | undefined
  return {
    has: (key) => places.has(key),
    async read(key) {
      const place = places.get(key) ?? -1
      const head = set.heads[Math.floor(place / CHUNK_ROWS_MAX)]
      if (head === undefined) return undefined
      if (decoded?.head !== head) decoded = { head, rows: await readRows(trx, set, head) }
      return decoded.rows[place % CHUNK_ROWS_MAX]
    },
  }
}

async function readRows(trx: Trx, set: ChunkSet, head: ChunkHead): Promise<ChunkRow[]> {
  for await (const [chunk] of readChunks(trx, set, [head])) if (chunk) return decodeChunk(chunk)
  return []
}

/** The chunks of the list in which at least one result is replaced. */
async function replaceResults(trx: Trx, set: ChunkSet, newer: NewResults, keyOf: KeyOf): Promise<RewrittenChunk[]> {
  const nos = new Set<number>()
  for await (const group of readIndexes(trx, set, set.heads.filter(hasRerunnable))) {
    for (const chunk of group) {
      const index = decodeIndex(chunk)
      for (let n = 0; n < index.size; n++) {
        if (isRerunnable(index.kind(n)) && newer.has(keyOf(index.email(n)))) nos.add(chunk.no)
      }
    }
  }
  const chunks: RewrittenChunk[] = []
  const heads = set.heads.filter(({ no }) => nos.has(no))
  for await (const group of readChunks(trx, set, heads)) {
    for (const stored of group) {
      const rows: ChunkRow[] = []
      for (const row of decodeChunk(stored)) {
        const found = isRerunnable(row) ? await newer.read(keyOf(row.email)) : undefined
        rows.push(found ? { ...found, rowNo: row.rowNo, email: row.email } : row)
      }
      chunks.push({ ...(await encodeChunk(rows)), no: stored.no })
    }
  }
  return chunks
}

function hasRerunnable({ tally }: ChunkHead): boolean {
  return tally.some(({ status, sub_status: subStatus }) => isRerunnable({ status, subStatus }))
}
