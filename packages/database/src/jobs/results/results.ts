import {
  isKept,
  type MalformedOption,
  type PresetName,
  resultNoOf,
  rowOf,
  type SeveralAddresses,
} from '@probity/contract/constants/jobs'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import type { Trx } from '../../connection/connect.ts'
import type { View } from '../../connection/scope.ts'
import {
  type ChunkHead,
  type ChunkSet,
  isCurrent,
  positionOfKey,
  type ResultsLocation,
  readChunks,
  readIndexes,
  readRowNos,
  rowKey,
  rowOfKey,
  type StoredChunk,
  withChunks,
} from './chunk-store.ts'
import { type ChunkIndex, decodeIndex, decodeResults, type ResultKind } from './result-chunk.ts'
import { openRowSorter, type ResultsOrder } from './sort-results.ts'

/** A job as its results are read: where they are stored, and its file for as long as that is kept. */
export type ResultsJob = ResultsLocation & {
  /** Its results are deleted. */
  isExpired: boolean
  filename: string
  emailColumn: string
  severalAddresses: SeveralAddresses
  malformed: MalformedOption
  file: ResultsFile | null
}

export type ResultsFile = {
  storageKey: string
  encoding: string
  delimiter: string
  headerRow: number | null
  columns: string[]
}

export async function findResultsJob(trx: Trx, view: View, jobId: string): Promise<ResultsJob | undefined> {
  const found = await trx
    .selectFrom('jobs as j')
    .select(['j.accountId', 'j.id', 'j.uploadId', 'j.expiresOn', 'j.filename', 'j.emailColumn'])
    .select(['j.severalAddresses', 'j.malformed'])
    .select(sql<boolean>`j.expires_on < utc_today()`.as('isExpired'))
    .where('j.accountId', '=', view.accountId)
    .where('j.mode', '=', view.mode)
    .where('j.id', '=', jobId)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { uploadId, ...job } = found
  return { ...job, file: await findFile(trx, job.accountId, uploadId) }
}

/** An expired file counts as deleted, even if it is not deleted yet. */
async function findFile(trx: Trx, accountId: string, uploadId: string): Promise<ResultsFile | null> {
  const file = await trx
    .selectFrom('uploads')
    .select(['storageKey', 'encoding', 'delimiter', 'headerRow', 'columns'])
    .where('accountId', '=', accountId)
    .where('id', '=', uploadId)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return file ?? null
}

/** A result as it is stored. `rowNo` is its number (resultNoOf in the contract). The email of an erased result is empty. */
export type KeptResult = { rowNo: number; email: string; status: string; subStatus: string; result: StoredResult }

/** Whether the job exists and its results are not expired. */
export async function stillHasResults(trx: Trx, { accountId, id }: ResultsLocation): Promise<boolean> {
  const job = await trx
    .selectFrom('jobs')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('expiresOn', '>=', sql<string>`utc_today()`)
    .executeTakeFirst()
  return job !== undefined
}

type ResultsPage = ResultsFilter & { skip: number; limit: number }

/** One page in row order or another one, and how many results the filter selects in all. */
export function pageResults(
  trx: Trx,
  location: ResultsLocation,
  { skip, limit, order, ...filter }: ResultsPage & { order?: ResultsOrder | undefined },
): Promise<{ results: KeptResult[]; total: number }> {
  return withChunks(trx, location, async (set) => {
    const counted = countChunks(set, filter)
    if (order) {
      const heads = counted.filter(({ count }) => count > 0).map(({ head }) => head)
      const { rows, total } = await sortRows(trx, { ...set, heads }, { ...filter, skip, limit, order })
      return { results: await readRows(trx, set, rows), total }
    }
    if (set.generation === 0 || filtersRows(filter)) {
      const heads = counted.filter(({ count }) => count > 0).map(({ head }) => head)
      const { rows, total } = await findRows(trx, { ...set, heads }, { ...filter, skip, limit })
      return { results: await readRows(trx, set, rows), total }
    }
    const { heads, before, total } = chooseChunks(counted, skip, limit)
    const { rows } = await findRows(trx, { ...set, heads }, { ...filter, skip: skip - before, limit })
    return { results: await readRows(trx, set, rows), total }
  })
}

type CountedChunk = { head: ChunkHead; count: number }

/** How many results of each chunk the filter selects by their kinds alone. */
function countChunks({ heads }: ChunkSet, filter: ResultsFilter): CountedChunk[] {
  return heads.map((head) => {
    const selected = head.tally.filter(({ status, sub_status: subStatus, safe_to_send: safeToSend, override }) =>
      matchesKind(filter, { status, subStatus, safeToSend, override }),
    )
    return { head, count: selected.reduce((sum, { count }) => sum + count, 0) }
  })
}

/** The chunks in row order that have the results from `skip` on, and how many results the filter selects before them. */
function chooseChunks(counted: CountedChunk[], skip: number, limit: number) {
  const heads: ChunkHead[] = []
  let [before, total] = [0, 0]
  for (const { head, count } of counted) {
    if (count > 0 && total + count > skip && total < skip + limit) heads.push(head)
    if (heads.length === 0) before += count
    total += count
  }
  return { heads, before, total }
}

type FoundRow = { rowNo: number; head: ChunkHead }

/** Finds one page of the rows that the filter selects, in row order, and counts all of them. */
async function findRows(
  trx: Trx,
  set: ChunkSet,
  { skip, limit, ...filter }: ResultsPage,
): Promise<{ rows: FoundRow[]; total: number }> {
  const positions = new Map(set.heads.map(({ no }, position) => [no, position]))
  const found: number[] = []
  const note = (no: number, rowNo: number) => found.push(rowKey(rowNo, positions.get(no) ?? 0))
  if (isNarrow(filter)) {
    for await (const group of readIndexes(trx, set)) {
      for (const chunk of group) {
        const index = decodeIndex(chunk)
        for (const n of matchRows(filter, index)) note(chunk.no, index.rowNo(n))
      }
    }
  } else {
    for await (const group of readRowNos(trx, set)) {
      for (const { no, rowNos } of group) for (const rowNo of rowNos) note(no, rowNo)
    }
  }
  const page = Float64Array.from(found)
    .toSorted()
    .subarray(skip, skip + limit)
  const rows = [...page].flatMap((key) => {
    const head = set.heads[positionOfKey(key)]
    return head ? [{ rowNo: rowOfKey(key), head }] : []
  })
  return { rows, total: found.length }
}

/** The same in another order, by a column of the indexes. */
async function sortRows(
  trx: Trx,
  set: ChunkSet,
  { skip, limit, order, ...filter }: ResultsPage & { order: ResultsOrder },
): Promise<{ rows: FoundRow[]; total: number }> {
  const positions = new Map(set.heads.map(({ no }, position) => [no, position]))
  const sorter = openRowSorter(order)
  for await (const group of readIndexes(trx, set)) {
    for (const chunk of group) {
      const index = decodeIndex(chunk)
      const position = positions.get(chunk.no) ?? 0
      for (const n of matchRows(filter, index)) sorter.add(index, n, position)
    }
  }
  const rows = sorter.page(skip, limit).flatMap(({ rowNo, chunk }) => {
    const head = set.heads[chunk]
    return head ? [{ rowNo, head }] : []
  })
  return { rows, total: sorter.count() }
}

/** The results at these rows, in the same order. */
async function readRows(trx: Trx, set: ChunkSet, rows: FoundRow[]): Promise<KeptResult[]> {
  const heads = [...new Set(rows.map(({ head }) => head))]
  const wanted = new Set(rows.map(({ rowNo }) => rowNo))
  const results = new Map<number, KeptResult>()
  for await (const group of readChunks(trx, set, heads)) {
    for (const chunk of group) for (const result of takeRows(chunk, wanted)) results.set(result.rowNo, result)
  }
  return rows.flatMap(({ rowNo }) => results.get(rowNo) ?? [])
}

function takeRows(chunk: StoredChunk, wanted: ReadonlySet<number>): KeptResult[] {
  const index = decodeIndex(chunk)
  const result = decodeResults(chunk)
  return chunk.rowNos.flatMap((rowNo, n) => {
    if (!wanted.has(rowNo)) return []
    const { status, subStatus } = index.kind(n)
    return [{ rowNo, email: index.email(n), status, subStatus, result: parseResult(result(n)) }]
  })
}

/** Written as a result when its batch was settled. */
export function parseResult(text: string): StoredResult {
  return JSON.parse(text) as StoredResult
}

/** The result of a value in a row, the first one by default; none if the address occurs first elsewhere. */
export async function findResult(
  trx: Trx,
  location: ResultsLocation,
  { row, position }: { row: number; position?: number | undefined },
): Promise<KeptResult | undefined> {
  const from = resultNoOf(row, position ?? 0)
  const below = position === undefined ? resultNoOf(row + 1, 0) : from + 1
  const { rows } = await sql<StoredChunk & { found: number }>`
    select c.job_id, c.generation, c.no, c.row_nos, c.index, c.results, f.no as found from result_chunks c
    cross join lateral (select min(no) as no from unnest(c.row_nos) no where no >= ${from} and no < ${below}) f
    where ${isCurrent(location)} and c.first_row < ${below} and c.last_row >= ${from} and f.no is not null
    order by f.no limit 1`.execute(trx)
  const [chunk] = rows
  return chunk && takeRows(chunk, new Set([chunk.found]))[0]
}

/** Selects results. A field that is not set excludes nothing. */
export type ResultsFilter = {
  statuses: readonly string[]
  subStatuses?: readonly string[] | undefined
  /** The empty text stands for those whose provider is not known. */
  provider?: string | undefined
  domain?: string | undefined
  /** A part of the address, in any case. */
  search?: string | undefined
  /** The rows of the file whose results are selected. */
  onlyRows?: ReadonlySet<number> | undefined
  /** The results that a preset keeps, or those that it removes. */
  plan?: { preset: PresetName; part: 'keep' | 'remove' } | undefined
}

/** Whether the filter can exclude results. */
export function isNarrow(filter: ResultsFilter): boolean {
  return filtersKinds(filter) || filtersRows(filter)
}

/** Whether the filter needs more than the kinds of results, which are counted in the tally of each chunk. */
export function filtersRows({ provider, domain, search, onlyRows }: ResultsFilter): boolean {
  return provider !== undefined || domain !== undefined || search !== undefined || onlyRows !== undefined
}

function filtersKinds({ statuses, subStatuses = [], plan }: ResultsFilter): boolean {
  return statuses.length > 0 || subStatuses.length > 0 || plan !== undefined
}

export function matchesKind({ statuses, subStatuses = [], plan }: ResultsFilter, kind: ResultKind): boolean {
  if (statuses.length > 0 && !statuses.includes(kind.status)) return false
  if (subStatuses.length > 0 && !subStatuses.includes(kind.subStatus)) return false
  return plan === undefined || isKept(plan.preset, { ...kind, override: kind.override }) === (plan.part === 'keep')
}

/** The positions of the rows of a chunk that the filter selects. */
export function matchRows(filter: ResultsFilter, index: ChunkIndex): number[] {
  const { provider, domain, onlyRows } = filter
  const search = filter.search?.toLowerCase()
  if (domain !== undefined && !index.hasDomain(domain)) return []
  if (search !== undefined && !index.mayContain(search)) return []
  const kinds = filtersKinds(filter) ? index.kinds().map((kind) => matchesKind(filter, kind)) : undefined
  const positions: number[] = []
  for (let n = 0; n < index.size; n++) {
    if (onlyRows && !onlyRows.has(rowOf(index.rowNo(n)))) continue
    if (kinds && !kinds[index.kindNo(n)]) continue
    if (provider !== undefined && index.provider(n) !== provider) continue
    if (domain !== undefined && index.domain(n) !== domain) continue
    if (search !== undefined && !index.email(n).toLowerCase().includes(search)) continue
    positions.push(n)
  }
  return positions
}
