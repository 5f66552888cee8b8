import { createLruCache } from '@probity/concurrency/lru-cache'
import { type Db, inTenant, type Trx } from '../../connection/connect.ts'
import {
  areReplaced,
  type ChunkHead,
  type ChunkSet,
  listChunks,
  positionOfKey,
  type ResultsLocation,
  readChunks,
  readRowNos,
  rowKey,
  rowOfKey,
} from './chunk-store.ts'
import { type ChunkIndex, decodeIndex, decodeResults } from './result-chunk.ts'
import { isNarrow, type KeptResult, matchRows, parseResult, type ResultsFilter, stillHasResults } from './results.ts'

/**
 * Reads the results of one job for an export, page by page. Each page is read in a transaction of its own, since the client may take
 * long until the next. Throws if the job was deleted or expired meanwhile: a part of the results must not look like all of them.
 */
export type ResultsReader = {
  /** The results after a row, in row order. Fewer than `limit`: there are no more. */
  listAfter(page: ResultsFilter & { afterRow: number; limit: number }): Promise<KeptResult[]>
  /** The results at these rows, in row order. */
  listAt(page: ResultsFilter & { rowNos: readonly number[] }): Promise<KeptResult[]>
}

export function openResultsReader(db: Db, location: ResultsLocation): ResultsReader {
  const chunks = openMappedChunks(db, location)

  /** Undefined if there are no rows after this one. */
  function readStep(after: number, limit: number, filter: ResultsFilter) {
    return chunks.withMap(async (map) => {
      const rowNos = await map.rowsAfter(after, isNarrow(filter) ? Math.max(limit, STEP_ROWS) : limit)
      const lastRow = rowNos.at(-1)
      return lastRow === undefined ? undefined : { lastRow, found: await chunks.readAt(map, { rowNos, limit, filter }) }
    })
  }

  return {
    listAt: ({ rowNos, ...filter }) =>
      chunks.withMap((map) => chunks.readAt(map, { rowNos, limit: rowNos.length, filter })),
    async listAfter({ afterRow, limit, ...filter }) {
      const results: KeptResult[] = []
      let after = afterRow
      let isFresh = false
      while (results.length < limit) {
        const step = await readStep(after, limit - results.length, filter)
        if (step) {
          results.push(...step.found)
          after = step.lastRow
        } else {
          // A running job may have new results behind the last row.
          if (isFresh || (await chunks.withMap(({ set }) => Promise.resolve(set.generation))) > 0) break
          await chunks.loadMap()
          isFresh = true
        }
      }
      return results
    },
  }
}

/** The chunks of a job, and which rows they have. */
function openMappedChunks(db: Db, location: ResultsLocation) {
  let map: ChunkMap | undefined
  const decoded = createLruCache<number, DecodedChunk>(CACHED_CHUNKS)

  function inPage<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return inTenant(db, location.accountId, async (trx) => {
      const done = await work(trx)
      // Afterwards, so that a deletion during the work is noticed.
      if (!(await stillHasResults(trx, location)))
        throw new Error('the results were deleted while they were being exported')
      return done
    })
  }

  async function loadMap(): Promise<ChunkMap> {
    map = undefined // one at a time in memory
    decoded.clear()
    map = await inPage(async (trx) => {
      const set = await listChunks(trx, location)
      return set.generation > 0 ? mapOrdered(set, inPage) : mapSettled(trx, set)
    })
    return map
  }

  /** Reads with the map of the chunks; loads it again if the results are in row order by now. */
  async function withMap<T>(work: (map: ChunkMap) => Promise<T>): Promise<T> {
    const known = map ?? (await loadMap())
    try {
      return await work(known)
    } catch (error) {
      if (!areReplaced(error)) throw error
      return work(await loadMap())
    }
  }

  async function readAt(map: ChunkMap, { rowNos, limit, filter }: Wanted): Promise<KeptResult[]> {
    const wanted = new Set(rowNos)
    const found: FoundResult[] = []
    const missing = map.headsOf(rowNos).filter((head) => {
      const chunk = decoded.get(head.no)
      if (chunk) found.push(...takeRows(chunk, wanted, filter))
      return chunk === undefined
    })
    await inPage(async (trx) => {
      for await (const group of readChunks(trx, map.set, missing)) {
        for (const stored of group) {
          const chunk = { index: decodeIndex(stored), result: decodeResults(stored) }
          found.push(...takeRows(chunk, wanted, filter))
          // As settled, neighboring rows are in different chunks, and few of them would be used again.
          if (map.set.generation > 0) decoded.set(stored.no, chunk)
        }
      }
    })
    const inOrder = found.sort((a, b) => a.rowNo - b.rowNo).slice(0, limit)
    return inOrder.map(({ text, ...row }) => ({ ...row, result: parseResult(text) }))
  }

  return { loadMap, withMap, readAt }
}

function takeRows({ index, result }: DecodedChunk, wanted: ReadonlySet<number>, filter: ResultsFilter): FoundResult[] {
  return matchRows(filter, index).flatMap((n) => {
    const rowNo = index.rowNo(n)
    if (!wanted.has(rowNo)) return []
    const { status, subStatus } = index.kind(n)
    return [{ rowNo, email: index.email(n), status, subStatus, text: result(n) }]
  })
}

/** The minimum number of rows that one step of a filtered export reads: few of them may be selected. */
const STEP_ROWS = 500

type Wanted = { rowNos: readonly number[]; limit: number; filter: ResultsFilter }
type FoundResult = Omit<KeptResult, 'result'> & { text: string }
type DecodedChunk = { index: ChunkIndex; result: (n: number) => string }

/** Pages of an export are in one or two chunks; repeated addresses refer to earlier ones. */
const CACHED_CHUNKS = 4

/** Finds the chunk of a row. */
type ChunkMap = {
  set: ChunkSet
  /** The chunks that have these rows; a row without a result has none. */
  headsOf(rowNos: readonly number[]): ChunkHead[]
  /** The next rows that have results, at most `limit`. */
  rowsAfter(afterRow: number, limit: number): Promise<number[]>
}

type InPage = <T>(work: (trx: Trx) => Promise<T>) => Promise<T>

/** In row order, chunks do not overlap, so their first rows are sufficient. */
function mapOrdered(set: ChunkSet, inPage: InPage): ChunkMap {
  const { heads } = set
  const firstFrom = (rowNo: number) => lowerBound(heads.length, (n) => (heads[n]?.lastRow ?? 0) >= rowNo)
  let known: { no: number; rowNos: number[] } | undefined

  return {
    set,
    headsOf(rowNos) {
      const found = new Set<ChunkHead>()
      for (const rowNo of rowNos) {
        const head = heads[firstFrom(rowNo)]
        if (head && head.firstRow <= rowNo) found.add(head)
      }
      return [...found]
    },
    async rowsAfter(afterRow, limit) {
      const head = heads[firstFrom(afterRow + 1)]
      if (head === undefined) return []
      if (known?.no !== head.no) {
        const [rows] = await inPage((trx) => collect(readRowNos(trx, set, [head])))
        known = { no: head.no, rowNos: rows?.rowNos ?? [] }
      }
      const { rowNos } = known
      const from = lowerBound(rowNos.length, (n) => (rowNos[n] ?? 0) > afterRow)
      return rowNos.slice(from, from + limit)
    },
  }
}

/** As settled, each chunk has rows from all over the file, so a map with 8 bytes per result is needed. */
async function mapSettled(trx: Trx, set: ChunkSet): Promise<ChunkMap> {
  const size = set.heads.reduce((sum, head) => sum + head.size, 0)
  const positions = new Map(set.heads.map(({ no }, position) => [no, position]))
  const keys = new Float64Array(size)
  let filled = 0
  for await (const group of readRowNos(trx, set)) {
    for (const { no, rowNos } of group) {
      for (const rowNo of rowNos) keys[filled++] = rowKey(rowNo, positions.get(no) ?? 0)
    }
  }
  keys.sort()
  const rowAt = (n: number) => rowOfKey(keys[n] ?? 0)
  const firstFrom = (rowNo: number) => lowerBound(keys.length, (n) => rowAt(n) >= rowNo)

  return {
    set,
    headsOf(rowNos) {
      const found = new Set<ChunkHead>()
      for (const rowNo of rowNos) {
        const n = firstFrom(rowNo)
        const head = set.heads[positionOfKey(keys[n] ?? 0)]
        if (n < keys.length && head && rowAt(n) === rowNo) found.add(head)
      }
      return [...found]
    },
    rowsAfter(afterRow, limit) {
      const from = firstFrom(afterRow + 1)
      const count = Math.min(limit, keys.length - from)
      return Promise.resolve(Array.from({ length: count }, (_, n) => rowAt(from + n)))
    },
  }
}

/** The first position for which a condition holds that also holds for all later ones. */
function lowerBound(size: number, holds: (n: number) => boolean): number {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

async function collect<T>(groups: AsyncGenerator<T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const group of groups) all.push(...group)
  return all
}
