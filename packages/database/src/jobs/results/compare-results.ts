import { hash } from 'node:crypto'
import type { Trx } from '../../connection/connect.ts'
import { type ChunkSet, listChunks, type ResultsLocation, readIndexes, withChunks } from './chunk-store.ts'
import { type ChunkIndex, decodeIndex } from './result-chunk.ts'

/** Addresses that have one status in the earlier job and another, or the same, in the later one. */
type StatusChange = { from: string; to: string; count: number }

export type ResultChanges = {
  /** Addresses that have a result in both jobs. */
  matchedCount: number
  /** Those of them whose status differs. */
  changedCount: number
  /** Addresses with a result in the later job only, and in the earlier one only. */
  addedCount: number
  removedCount: number
  /** The addresses in both jobs by their status in the later and in the earlier one. */
  laterCounts: ReadonlyMap<string, number>
  earlierCounts: ReadonlyMap<string, number>
  /** Most frequent first, without those that stayed the same. */
  byStatus: StatusChange[]
}

/** A comparison of this many results reads 20 MB and holds 20 MB in memory. */
export const COMPARED_RESULTS_MAX = 200_000

/**
 * Compares the results of two jobs by address, in upper or lower case. Reads the indexes of the chunks only. Undefined if one of the jobs
 * has too many results. Erased results match none.
 */
export async function compareResults(
  trx: Trx,
  later: ResultsLocation,
  earlier: ResultsLocation,
): Promise<ResultChanges | undefined> {
  for (const location of [later, earlier]) {
    const { heads } = await listChunks(trx, location)
    if (heads.reduce((sum, { size }) => sum + size, 0) > COMPARED_RESULTS_MAX) return undefined
  }
  const statuses = await withChunks(trx, earlier, (set) => readStatuses(trx, set))
  return withChunks(trx, later, async (set) => {
    const counter = openChangeCounter(statuses)
    for await (const chunk of readEntries(trx, set)) for (const { key, status } of chunk) counter.add(key, status)
    return counter.changes()
  })
}

async function readStatuses(trx: Trx, set: ChunkSet): Promise<Map<number, string>> {
  const statuses = new Map<number, string>()
  for await (const chunk of readEntries(trx, set)) for (const { key, status } of chunk) statuses.set(key, status)
  return statuses
}

type Entry = { key: number; status: string }

/** The addresses of each chunk with their status. */
async function* readEntries(trx: Trx, set: ChunkSet): AsyncGenerator<Entry[]> {
  for await (const group of readIndexes(trx, set)) {
    for (const chunk of group) yield listEntries(decodeIndex(chunk))
  }
}

function listEntries(index: ChunkIndex): Entry[] {
  const entries: Entry[] = []
  for (let n = 0; n < index.size; n++) {
    const email = index.email(n)
    if (email !== '') entries.push({ key: keyOf(email), status: index.kind(n).status })
  }
  return entries
}

/** Six bytes of a hash, so that a map of them is small. A collision occurs in one of ten thousand comparisons of the largest size. */
function keyOf(email: string): number {
  return hash('sha256', email.toLowerCase(), 'buffer').readUIntLE(0, 6)
}

function openChangeCounter(earlier: ReadonlyMap<number, string>) {
  const counts = new Map<string, StatusChange>()
  let addedCount = 0
  return {
    add(key: number, to: string): void {
      const from = earlier.get(key)
      if (from === undefined) {
        addedCount++
        return
      }
      const change = counts.get(`${from} ${to}`) ?? { from, to, count: 0 }
      change.count++
      counts.set(`${from} ${to}`, change)
    },
    changes(): ResultChanges {
      const all = [...counts.values()].toSorted((a, b) => b.count - a.count)
      const changed = all.filter(({ from, to }) => from !== to)
      const matchedCount = sumOf(all)
      return {
        matchedCount,
        changedCount: sumOf(changed),
        addedCount,
        removedCount: earlier.size - matchedCount,
        laterCounts: countBy(all, ({ to }) => to),
        earlierCounts: countBy(all, ({ from }) => from),
        byStatus: changed,
      }
    },
  }
}

function sumOf(changes: StatusChange[]): number {
  return changes.reduce((sum, { count }) => sum + count, 0)
}

function countBy(changes: StatusChange[], statusOf: (change: StatusChange) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const change of changes) counts.set(statusOf(change), (counts.get(statusOf(change)) ?? 0) + change.count)
  return counts
}
