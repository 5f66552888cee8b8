import type { ResultSortField } from '@probity/contract/constants/jobs'
import { STATUS_LABELS } from '@probity/contract/constants/labels'
import type { ChunkIndex } from './result-chunk.ts'

/** An order of results other than that of their rows. Equal results are in the order of their rows. */
export type ResultsOrder = { field: ResultSortField; isDescending: boolean }

/** `-deliverability` is descending. Undefined for the order of the rows, in which results are stored. */
export function readOrder(sort: string): ResultsOrder | undefined {
  if (sort === 'row') return undefined
  const isDescending = sort.startsWith('-')
  return { field: (isDescending ? sort.slice(1) : sort) as ResultSortField, isDescending }
}

/** Sorts rows by a column of the indexes of their chunks. No result is read. */
type RowSorter = {
  /** Adds row `n` of a chunk. Chunks are named by a number below 2^21. */
  add(index: ChunkIndex, n: number, chunk: number): void
  /** One page of the sorted rows, with their chunks. */
  page(skip: number, limit: number): { rowNo: number; chunk: number }[]
  count(): number
}

export function openRowSorter({ field, isDescending }: ResultsOrder): RowSorter {
  const column = openColumn(field)
  const values: number[] = []
  const rowNos: number[] = []
  const chunks: number[] = []

  function sortKeys(): Float64Array {
    const rankOf = column.ranks()
    const keys = new Float64Array(values.length)
    for (let at = 0; at < keys.length; at++) {
      const rank = rankOf(values[at] ?? 0)
      keys[at] = keyOf(isDescending ? RANK_MAX - rank : rank, rowNos[at] ?? 0)
    }
    return keys.sort()
  }

  return {
    add(index, n, chunk) {
      values.push(column.numberOf(index, n))
      rowNos.push(index.rowNo(n))
      chunks.push(chunk)
    },
    page(skip, limit) {
      if (field === 'row') return pageByRow(rowNos, chunks, { skip, limit })
      const page = [...sortKeys().subarray(skip, skip + limit)].map((key) => key % ROWS_MAX)
      const chunkOf = new Map(page.map((rowNo) => [rowNo, 0]))
      for (const [at, rowNo] of rowNos.entries()) if (chunkOf.has(rowNo)) chunkOf.set(rowNo, chunks[at] ?? 0)
      return page.map((rowNo) => ({ rowNo, chunk: chunkOf.get(rowNo) ?? 0 }))
    },
    count: () => values.length,
  }
}

/** The rows from the last to the first. */
function pageByRow(rowNos: number[], chunks: number[], { skip, limit }: { skip: number; limit: number }) {
  const order = Float64Array.from(rowNos, (rowNo, at) => rowNo * POSITIONS_MAX + at).toSorted()
  const end = Math.max(0, order.length - skip)
  return [...order.subarray(Math.max(0, end - limit), end)].toReversed().map((key) => {
    const at = key % POSITIONS_MAX
    return { rowNo: rowNos[at] ?? 0, chunk: chunks[at] ?? 0 }
  })
}

/** A rank and a row number as one number, so that a typed array sorts them: 2^22 ranks and 2^31 rows are exact in a double. */
function keyOf(rank: number, rowNo: number): number {
  return rank * ROWS_MAX + rowNo
}

const ROWS_MAX = 2 ** 31
const RANK_MAX = 2 ** 22 - 1
const POSITIONS_MAX = 2 ** 21

type SortColumn = {
  /** A number for the value of a row. */
  numberOf(index: ChunkIndex, n: number): number
  /** The position of that number among all values, once all rows are added. */
  ranks(): (value: number) => number
}

/** `deliverability` has six digits. Results from before it was stored are first. */
const DELIVERABILITY: SortColumn = {
  numberOf: (index, n) => Math.round((index.deliverability(n) ?? 0) * 1e6),
  ranks: () => (value) => value,
}

function openColumn(field: ResultSortField): SortColumn {
  switch (field) {
    case 'deliverability':
      return DELIVERABILITY
    case 'row':
      return { numberOf: () => 0, ranks: () => () => 0 }
    case 'status':
      return openWords((index, n) => index.kind(n).status, STATUS_ORDER)
    case 'sub_status':
      return openWords((index, n) => index.kind(n).subStatus)
    case 'provider':
      return openWords((index, n) => index.provider(n))
    case 'domain':
      return openWords((index, n) => index.domain(n))
  }
}

/** From the best verdict to the one that says least. */
const STATUS_ORDER = Object.keys(STATUS_LABELS)

/** Texts are numbered as they are found and ranked at the end. Texts in `first` precede all others. */
function openWords(wordOf: (index: ChunkIndex, n: number) => string, first: readonly string[] = []): SortColumn {
  const numbers = new Map(first.map((word, n) => [word, n]))
  return {
    numberOf(index, n) {
      const word = wordOf(index, n)
      const known = numbers.get(word)
      if (known !== undefined) return known
      numbers.set(word, numbers.size)
      return numbers.size - 1
    },
    ranks() {
      const words = [...numbers.keys()]
      const sorted = [...first, ...words.slice(first.length).sort()]
      const ranks = new Float64Array(sorted.length)
      for (const [rank, word] of sorted.entries()) ranks[numbers.get(word) ?? 0] = rank
      return (value) => ranks[value] ?? 0
    },
  }
}
