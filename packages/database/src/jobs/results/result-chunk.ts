import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { OverrideAction } from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'

/** The same as in the check on `result_chunks.size`. */
export const CHUNK_ROWS_MAX = 1_000

/** Decompressed size of a block. An index entry has two addresses of 4 KB at most; results have evidence of some kilobytes each. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024
const RESULTS_BYTES_MAX = 64 * 1024 * 1024

/** One result as it is stored. Filters, counts and searches need all fields but `result`, so they read no results. */
export type ChunkRow = {
  /** First row of the address in the file. */
  rowNo: number
  email: string
  status: string
  subStatus: string
  /** Empty if the provider is not known. */
  provider: string
  /** Empty if there is no domain. */
  domain: string
  deliverability: number | null
  safeToSend: boolean
  override: OverrideAction | null
  /** JSON on one line. Readers get the same text. */
  result: string
}

/** Number of results of a chunk that have the same verdict, recommendation and override. Named as in `result_chunks.tally`. */
export type TallyEntry = {
  status: string
  sub_status: string
  safe_to_send: boolean
  override: OverrideAction | null
  count: number
}

/** A chunk as it is stored. Row numbers are ascending; `index` and `results` are compressed and in the same order. */
export type Chunk = {
  size: number
  firstRow: number
  lastRow: number
  rowNos: number[]
  tally: TallyEntry[]
  index: Buffer
  results: Buffer
}

/** The row of a result. `text` is the result as JSON, for callers that have it already. */
export function chunkRow(
  { rowNo, email }: { rowNo: number; email: string },
  result: StoredResult,
  text = JSON.stringify(result),
): ChunkRow {
  return {
    rowNo,
    email,
    status: result.status,
    subStatus: result.sub_status,
    provider: result.details.provider,
    domain: result.details.domain,
    // A result that was stored without one has none; the type says otherwise.
    deliverability: (result.deliverability as number | undefined) ?? null,
    safeToSend: result.safe_to_send,
    override: result.override ?? null,
    result: text,
  }
}

/** A row has two results, which settlement prevents. */
export class RepeatedRowError extends RangeError {}

/** Sorts rows by number and compresses them. Rejects rows that no reader could decode again. */
export async function encodeChunk(unsorted: readonly ChunkRow[]): Promise<Chunk> {
  const rows = unsorted.toSorted((a, b) => a.rowNo - b.rowNo)
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined || rows.length > CHUNK_ROWS_MAX) {
    throw new RangeError(`A chunk has 1 to ${CHUNK_ROWS_MAX} results, not ${rows.length}.`)
  }
  const repeated = rows.find((row, n) => row.rowNo === rows[n + 1]?.rowNo)
  if (repeated) throw new RepeatedRowError(`Row ${repeated.rowNo} is in a chunk twice.`)
  const results = rows.map(({ result }) => result)
  if (results.some((text) => text.includes('\n'))) throw new RangeError('A result of a chunk has more than one line.')
  const { tally, lines } = describe(rows)
  const [index, compressed] = await Promise.all([
    compress(lines.map((line) => JSON.stringify(line)).join('\n'), INDEX_BYTES_MAX),
    compress(results.join('\n'), RESULTS_BYTES_MAX),
  ])
  const rowNos = rows.map(({ rowNo }) => rowNo)
  return { size: rows.length, firstRow: first.rowNo, lastRow: last.rowNo, rowNos, tally, index, results: compressed }
}

type Kind = [status: string, subStatus: string, safeToSend: boolean, override: OverrideAction | null]

/** The index: columns, one JSON array per line. Kinds, providers and domains are dictionaries, followed by a number for each row. */
type IndexLines = [
  kinds: Kind[],
  kindNos: number[],
  providers: string[],
  providerNos: number[],
  domains: string[],
  domainNos: number[],
  deliverabilities: (number | null)[],
  emails: string[],
]

function describe(rows: readonly ChunkRow[]): { tally: TallyEntry[]; lines: IndexLines } {
  const [kinds, providers, domains] = [openDictionary(), openDictionary(), openDictionary()]
  const tally: TallyEntry[] = []
  const kindNos = rows.map(({ status, subStatus: sub_status, safeToSend: safe_to_send, override }) => {
    const no = kinds.numberOf(`${status} ${sub_status} ${safe_to_send} ${override}`)
    const entry = tally[no] ?? { status, sub_status, safe_to_send, override, count: 0 }
    entry.count += 1
    tally[no] = entry
    return no
  })
  const providerNos = rows.map(({ provider }) => providers.numberOf(provider))
  const domainNos = rows.map(({ domain }) => domains.numberOf(domain))
  const lines: IndexLines = [
    tally.map(({ status, sub_status, safe_to_send, override }) => [status, sub_status, safe_to_send, override]),
    kindNos,
    providers.words(),
    providerNos,
    domains.words(),
    domainNos,
    rows.map(({ deliverability }) => deliverability),
    rows.map(({ email }) => email),
  ]
  return { tally, lines }
}

function openDictionary() {
  const numbers = new Map<string, number>()
  return {
    numberOf(word: string): number {
      const known = numbers.get(word)
      if (known !== undefined) return known
      numbers.set(word, numbers.size)
      return numbers.size - 1
    },
    words: () => [...numbers.keys()],
  }
}

const compressAsync = promisify(zstdCompress)

/** Level 3 takes 1.5 times the processor time of level 1 and saves 6 bytes per result, of about 100. */
const COMPRESSION_LEVEL = 1

/** Most chunks have fewer bytes. A call in another thread costs 100 µs, twice as much as compressing the results of a batch here. */
const ASYNC_FROM_BYTES = 1024 * 1024

async function compress(text: string, bytesMax: number): Promise<Buffer> {
  const bytes = Buffer.from(text)
  if (bytes.length > bytesMax)
    throw new RangeError(`A block of a chunk has ${bytes.length} bytes; ${bytesMax} is the limit.`)
  const options = {
    params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
    chunkSize: bytes.length < SMALL_BYTES ? SMALL_BUFFER_BYTES : COMPRESS_BUFFER_BYTES,
  }
  return bytes.length < ASYNC_FROM_BYTES ? zstdCompressSync(bytes, options) : compressAsync(bytes, options)
}

/**
 * The size of most blocks: 500 results are compressed to about 45 KB, their index has about 30 KB and their texts 850 KB. Each filled
 * buffer costs one more call of the library, and allocating a large one takes longer than compressing the results of a small batch.
 */
const SMALL_BYTES = 32 * 1024
const SMALL_BUFFER_BYTES = 4 * 1024
const COMPRESS_BUFFER_BYTES = 64 * 1024
const INDEX_BUFFER_BYTES = 64 * 1024
const RESULTS_BUFFER_BYTES = 1024 * 1024

/** Where a chunk is stored, for errors. */
export type ChunkRef = { jobId: string; generation: number; no: number }

/** A block that cannot be decoded. Other chunks of the job can still be read. */
export class DamagedChunkError extends Error {
  constructor({ jobId, generation, no }: ChunkRef, block: 'index' | 'results', cause: unknown) {
    super(`The ${block} of result chunk ${no} (generation ${generation}) of job ${jobId} cannot be decoded.`, { cause })
  }
}

/** Verdict, recommendation and override of a result. */
export type ResultKind = { status: string; subStatus: string; safeToSend: boolean; override: OverrideAction | null }

/** The index of a chunk by the position of a row. A column is parsed when it is first read. */
export type ChunkIndex = {
  size: number
  rowNo(n: number): number
  /** The different kinds of the chunk's results; `kindNo` is a position in them. */
  kinds(): ResultKind[]
  kindNo(n: number): number
  kind(n: number): ResultKind
  provider(n: number): string
  domain(n: number): string
  deliverability(n: number): number | null
  email(n: number): string
  /** False if no row of the chunk has this domain. */
  hasDomain(domain: string): boolean
  /** False if no address contains this text, which is in lower case. True says nothing: compare the addresses. */
  mayContain(lowerCase: string): boolean
}

export function decodeIndex(chunk: ChunkRef & { rowNos: number[]; index: Buffer }): ChunkIndex {
  const { rowNos } = chunk
  const size = rowNos.length
  const damaged = (cause: unknown) => new DamagedChunkError(chunk, 'index', cause)
  const lines = attempt(
    () => decompress(chunk.index, INDEX_BYTES_MAX, INDEX_BUFFER_BYTES).toString().split('\n'),
    damaged,
  )
  const parsed: unknown[][] = []
  function column<N extends keyof IndexLines & number>(n: N): IndexLines[N] {
    const values = parsed[n] ?? attempt(() => parseColumn(lines[n], n, size), damaged)
    parsed[n] = values
    return values as IndexLines[N]
  }
  const kinds = once(() =>
    column(0).map(([status, subStatus, safeToSend, override]) => ({ status, subStatus, safeToSend, override })),
  )
  const kindNo = (n: number) => at(column(1), n)
  return {
    size,
    rowNo: (n) => at(rowNos, n),
    kinds,
    kindNo,
    kind: (n) => at(kinds(), kindNo(n)),
    provider: (n) => at(column(2), at(column(3), n)),
    domain: (n) => at(column(4), at(column(5), n)),
    deliverability: (n) => column(6)[n] ?? null,
    email: (n) => at(column(7), n),
    hasDomain: (domain) => (lines[4] ?? '').includes(JSON.stringify(domain)) && column(4).includes(domain),
    mayContain: (lowerCase) => (lines[7] ?? '').toLowerCase().includes(JSON.stringify(lowerCase).slice(1, -1)),
  }

  function at<T>(values: readonly T[], n: number): T {
    const value = values[n]
    if (value === undefined) throw damaged(new RangeError(`There is no entry ${n}.`))
    return value
  }
}

/** Dictionaries have any number of entries; every other column has one for each row. */
function parseColumn(line: string | undefined, n: number, size: number): unknown[] {
  const values: unknown = JSON.parse(line ?? '')
  const isDictionary = n === 0 || n === 2 || n === 4
  if (Array.isArray(values) && (isDictionary || values.length === size)) return values
  throw new RangeError(`Column ${n} does not have ${size} entries.`)
}

const NEW_LINE = 10

/**
 * The results of a chunk by the position of a row, as the JSON texts that were stored. Each text is a string of its own: a part of
 * one large string would keep all of it in memory.
 */
export function decodeResults(chunk: ChunkRef & { rowNos: number[]; results: Buffer }): (n: number) => string {
  const damaged = (cause: unknown) => new DamagedChunkError(chunk, 'results', cause)
  const bytes = attempt(() => decompress(chunk.results, RESULTS_BYTES_MAX, RESULTS_BUFFER_BYTES), damaged)
  const ends: number[] = []
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, end + 1)) ends.push(end)
  ends.push(bytes.length)
  if (ends.length !== chunk.rowNos.length) {
    throw damaged(new RangeError(`There are ${ends.length} results for ${chunk.rowNos.length} rows.`))
  }
  return (n) => bytes.toString('utf8', n === 0 ? 0 : (ends[n - 1] ?? 0) + 1, ends[n])
}

/** All rows of a chunk. */
export function decodeChunk(chunk: ChunkRef & { rowNos: number[]; index: Buffer; results: Buffer }): ChunkRow[] {
  const index = decodeIndex(chunk)
  const result = decodeResults(chunk)
  return chunk.rowNos.map((rowNo, n) => ({
    rowNo,
    email: index.email(n),
    ...index.kind(n),
    provider: index.provider(n),
    domain: index.domain(n),
    deliverability: index.deliverability(n),
    result: result(n),
  }))
}

/** The limit keeps a damaged or hostile block from filling the memory of the process. */
function decompress(block: Buffer, maxOutputLength: number, chunkSize: number): Buffer {
  return zstdDecompressSync(block, { maxOutputLength, chunkSize })
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}

function attempt<T>(work: () => T, asError: (cause: unknown) => Error): T {
  try {
    return work()
  } catch (error) {
    throw asError(error)
  }
}
