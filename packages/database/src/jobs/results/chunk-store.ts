import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../connection/connect.ts'
import type { Chunk, ChunkRef, TallyEntry } from './result-chunk.ts'

/** Where the results of a job are stored. The day is part of the key, so that a lookup reads one partition. */
export type ResultsLocation = { accountId: string; id: string; expiresOn: string }

/** A chunk without its rows. */
export type ChunkHead = { no: number; size: number; firstRow: number; lastRow: number; tally: TallyEntry[] }

/** The chunks of a job that readers use at one moment. Above generation 0 they are in row order and do not overlap. */
export type ChunkSet = { location: ResultsLocation; generation: number; heads: ChunkHead[] }

/** The chunks of the job's current generation, by their first row. */
export async function listChunks(trx: Trx, location: ResultsLocation): Promise<ChunkSet> {
  const { rows } = await sql<ChunkHead & { generation: number }>`
    select c.generation, c.no, c.size, c.first_row, c.last_row, c.tally from result_chunks c
    where ${isCurrent(location)} order by c.first_row, c.no`.execute(trx)
  return { location, generation: rows[0]?.generation ?? 0, heads: rows }
}

/** A condition on `result_chunks c`. In one statement, so that generation and chunks belong together. */
export function isCurrent({ expiresOn, accountId, id }: ResultsLocation) {
  return sql<boolean>`(c.expires_on = ${expiresOn} and c.account_id = ${accountId} and c.job_id = ${id}
    and c.generation = (select j.results_generation from jobs j where j.id = ${id}))`
}

/**
 * A row and the position of its chunk in a set as one number: a typed array sorts a million of them in 8 MB. Exact for row numbers
 * below 2^31 and positions below 2^21.
 */
export function rowKey(rowNo: number, position: number): number {
  return rowNo * POSITIONS_MAX + position
}

export function rowOfKey(key: number): number {
  return Math.floor(key / POSITIONS_MAX)
}

export function positionOfKey(key: number): number {
  return key % POSITIONS_MAX
}

const POSITIONS_MAX = 2 ** 21

/** Chunks were replaced between two statements: the results are in row order now, or were deleted. */
class ChunksReplacedError extends Error {}

const ATTEMPTS_MAX = 3

/** Repeats work that reads chunks in several statements if they were replaced in between, which happens once per job. */
export async function withChunks<T>(
  trx: Trx,
  location: ResultsLocation,
  work: (set: ChunkSet) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const set = await listChunks(trx, location)
    try {
      return await work(set)
    } catch (error) {
      if (!(error instanceof ChunksReplacedError) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

export function areReplaced(error: unknown): boolean {
  return error instanceof ChunksReplacedError
}

export type StoredRows = ChunkRef & { rowNos: number[] }
export type StoredIndex = StoredRows & { index: Buffer }
export type StoredChunk = StoredIndex & { results: Buffer }

/** The rows of 50 chunks in row order or 250 chunks as settled: their indexes are about 1 MB. */
const INDEX_ROWS_AT_ONCE = 25_000
/** Results are 1 to 2 KB each. */
const RESULT_ROWS_AT_ONCE = 5_000

/** Row numbers of chunks, in groups: between them, other work of the process runs. */
export function readRowNos(trx: Trx, set: ChunkSet, heads = set.heads): AsyncGenerator<StoredRows[]> {
  return readGroups<StoredRows>(trx, set, { heads, rowsMax: INDEX_ROWS_AT_ONCE, columns: sql`c.row_nos::text` })
}

/** The same with the indexes. */
export function readIndexes(trx: Trx, set: ChunkSet, heads = set.heads): AsyncGenerator<StoredIndex[]> {
  return readGroups<StoredIndex>(trx, set, {
    heads,
    rowsMax: INDEX_ROWS_AT_ONCE,
    columns: sql`c.row_nos::text, c.index`,
  })
}

/** The same with indexes and results. */
export function readChunks(trx: Trx, set: ChunkSet, heads = set.heads): AsyncGenerator<StoredChunk[]> {
  const columns = sql`c.row_nos::text, c.index, c.results`
  return readGroups<StoredChunk>(trx, set, { heads, rowsMax: RESULT_ROWS_AT_ONCE, columns })
}

type Reading = { heads: ChunkHead[]; rowsMax: number; columns: RawBuilder<unknown> }

async function* readGroups<T extends StoredRows>(trx: Trx, { location, generation }: ChunkSet, reading: Reading) {
  for (const group of groupHeads(reading.heads, reading.rowsMax)) {
    const nos = group.map(({ no }) => no)
    const { rows } = await sql<Omit<T, 'rowNos'> & { rowNos: string }>`
      select c.job_id, c.generation, c.no, ${reading.columns} from result_chunks c
      where c.expires_on = ${location.expiresOn} and c.account_id = ${location.accountId} and c.job_id = ${location.id}
        and c.generation = ${generation} and c.no = any (${nos}::integer[])
      order by c.first_row, c.no`.execute(trx)
    if (rows.length < nos.length) throw new ChunksReplacedError()
    yield rows.map((row) => ({ ...row, rowNos: parseRowNos(row.rowNos) }) as unknown as T)
  }
}

/** `{2,3,5}` as numbers. 30 times faster than the array parser of the driver, which would take most of the time of a search. */
function parseRowNos(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`) as number[]
}

function* groupHeads(heads: readonly ChunkHead[], rowsMax: number): Generator<ChunkHead[]> {
  let group: ChunkHead[] = []
  let rows = 0
  for (const head of heads) {
    if (group.length > 0 && rows + head.size > rowsMax) {
      yield group
      group = []
      rows = 0
    }
    group.push(head)
    rows += head.size
  }
  if (group.length > 0) yield group
}

/** Stores chunks of a generation. */
export async function insertChunks(
  trx: Trx,
  { accountId, id, expiresOn }: ResultsLocation,
  chunks: (Chunk & { generation: number; no: number })[],
): Promise<void> {
  const rows = chunks.map(({ tally, ...chunk }) => {
    return { ...chunk, accountId, jobId: id, expiresOn, tally: JSON.stringify(tally) }
  })
  await trx.insertInto('resultChunks').values(rows).execute()
}

/** Deletes all results of a job. The caller has locked the job, so that no worker adds any. */
export async function deleteChunks(trx: Trx, { accountId, id, expiresOn }: ResultsLocation): Promise<void> {
  const chunks = trx.deleteFrom('resultChunks').where('expiresOn', '=', expiresOn)
  await chunks.where('accountId', '=', accountId).where('jobId', '=', id).execute()
}
