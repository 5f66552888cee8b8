import { rowOf } from '@probity/contract/constants/jobs'
import { sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../../connection/connect.ts'
import { areReplaced, insertChunks, listChunks, type ResultsLocation, readChunks } from './chunk-store.ts'
import {
  type Chunk,
  type ChunkRef,
  type ChunkRow,
  decodeChunk,
  decodeIndex,
  encodeChunk,
  RepeatedRowError,
} from './result-chunk.ts'
import { openTallyCounter, type TallyCounter } from './result-tallies.ts'

/** A job whose results this worker stores in row order. Only the latest epoch can finish. */
export type OrderingJob = ResultsLocation & { epoch: number }

/** The ended job that was attempted least, and of these the one that ended first; undefined if there is none. */
export async function claimOrdering(db: Db, workerId: string): Promise<OrderingJob | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<OrderingJob>`select * from claim_ordering(${workerId})`.execute(trx),
  )
  return rows[0]
}

/** `lost`: another worker does it by now, the job was deleted or an address was erased. `mismatch`: results are missing or double. */
export type OrderingOutcome = 'ordered' | 'lost' | 'mismatch'

/**
 * Stores the results of an ended job in row order and then deletes the chunks as settled. Batches are made by mail server, so rows
 * that follow each other in the file are in many chunks; in row order a page or an export reads each chunk once. Writes in short
 * transactions under a generation of its own, which readers do not see until all is checked. May run twice.
 *
 * Memory: results are distributed to buckets of 10,000 rows of the file, which are compressed again. About 105 bytes per result stay
 * in memory, and the results of one bucket.
 */
export async function orderResults(db: Db, job: OrderingJob): Promise<OrderingOutcome> {
  try {
    const buckets = await fillBuckets(db, job)
    const counter = openTallyCounter()
    await writeSegments(db, job, { buckets, counter })
    return await finish(db, job, counter)
  } catch (error) {
    if (error instanceof OrderingLost || areReplaced(error)) return 'lost'
    if (error instanceof RepeatedRowError) return 'mismatch'
    throw error
  }
}

/** Rows of the file that one bucket has. */
const BUCKET_ROWS = 10_000
/** A bucket compresses what it has as soon as it is one of these. */
const PACK_ROWS = 500
const PACK_UNITS = 1024 * 1024

type Bucket = { packed: Chunk[]; loose: ChunkRow[]; looseUnits: number }

async function fillBuckets(db: Db, location: ResultsLocation): Promise<Map<number, Bucket>> {
  const buckets = new Map<number, Bucket>()
  const set = await inTenant(db, location.accountId, (trx) => listChunks(trx, location))
  if (set.generation > 0) return buckets
  const { heads } = set
  for (let from = 0; from < heads.length; from += CHUNKS_AT_ONCE) {
    const some = heads.slice(from, from + CHUNKS_AT_ONCE)
    await inTenant(db, location.accountId, async (trx) => {
      for await (const group of readChunks(trx, set, some)) {
        for (const chunk of group) {
          for (const row of decodeChunk(chunk)) {
            const bucket = addToBucket(buckets, row)
            if (bucket.loose.length >= PACK_ROWS || bucket.looseUnits >= PACK_UNITS) await pack(bucket)
          }
        }
      }
    })
  }
  return buckets
}

/** About 160 KB from the database for chunks of 100 results. */
const CHUNKS_AT_ONCE = 20

function addToBucket(buckets: Map<number, Bucket>, row: ChunkRow): Bucket {
  const key = Math.floor(rowOf(row.rowNo) / BUCKET_ROWS)
  const bucket = buckets.get(key) ?? { packed: [], loose: [], looseUnits: 0 }
  buckets.set(key, bucket)
  bucket.loose.push(row)
  bucket.looseUnits += row.result.length
  return bucket
}

async function pack(bucket: Bucket): Promise<void> {
  bucket.packed.push(await encodeChunk(bucket.loose))
  bucket.loose = []
  bucket.looseUnits = 0
}

/** A page of 50 takes half the time with segments of 500 that it takes with 1,000. */
const SEGMENT_ROWS = 500
/** Exports hold one segment at a time, so one with long evidence has fewer rows. */
const SEGMENT_UNITS = 2 * 1024 * 1024
/** About 450 KB. */
const SEGMENTS_AT_ONCE = 10

async function writeSegments(
  db: Db,
  job: OrderingJob,
  { buckets, counter }: { buckets: Map<number, Bucket>; counter: TallyCounter },
): Promise<void> {
  const ref = { jobId: job.id, generation: job.epoch }
  let no = 0
  let rest: ChunkRow[] = []
  let segments: (Chunk & { generation: number; no: number })[] = []
  async function cut(rows: ChunkRow[]): Promise<void> {
    const segment = { ...(await encodeChunk(rows)), ...ref, no: no++ }
    counter.add(decodeIndex(segment))
    segments.push(segment)
    if (segments.length < SEGMENTS_AT_ONCE) return
    await store(db, job, segments)
    segments = []
  }
  for (const [key, bucket] of [...buckets].sort(([a], [b]) => a - b)) {
    const rows = [...rest, ...unpack(bucket, ref)]
    buckets.delete(key)
    const whole = cutWhole(rows)
    for (const segment of whole) await cut(segment)
    rest = rows.slice(whole.reduce((sum, segment) => sum + segment.length, 0))
  }
  if (rest.length > 0) await cut(rest)
  if (segments.length > 0) await store(db, job, segments)
}

function unpack({ packed, loose }: Bucket, ref: Omit<ChunkRef, 'no'>): ChunkRow[] {
  const rows = [...loose, ...packed.flatMap((chunk, no) => decodeChunk({ ...chunk, ...ref, no }))]
  return rows.sort((a, b) => a.rowNo - b.rowNo)
}

/** The full segments; the rest begins the next. */
function cutWhole(rows: ChunkRow[]): ChunkRow[][] {
  const whole: ChunkRow[][] = []
  let [from, units] = [0, 0]
  for (const [n, { result }] of rows.entries()) {
    units += result.length
    if (n + 1 - from < SEGMENT_ROWS && units < SEGMENT_UNITS) continue
    whole.push(rows.slice(from, n + 1))
    ;[from, units] = [n + 1, 0]
  }
  return whole
}

class OrderingLost extends Error {}

/** The lock keeps a worker with an old epoch from storing chunks after another has finished or the job was deleted. */
async function store(
  db: Db,
  job: OrderingJob,
  segments: (Chunk & { generation: number; no: number })[],
): Promise<void> {
  await inTenant(db, job.accountId, async (trx) => {
    const claimed = await trx
      .selectFrom('jobs')
      .select('id')
      .where('id', '=', job.id)
      .where('accountId', '=', job.accountId)
      .where('orderEpoch', '=', job.epoch)
      .where('resultsGeneration', '=', 0)
      .forShare()
      .executeTakeFirst()
    if (claimed === undefined) throw new OrderingLost()
    await insertChunks(trx, job, segments)
  })
}

async function finish(db: Db, job: OrderingJob, counter: TallyCounter): Promise<OrderingOutcome> {
  let outcome: OrderingOutcome = 'lost'
  try {
    await inTenant(db, job.accountId, async (trx) => {
      outcome = await finishOrdering(trx, job, counter)
      if (outcome !== 'ordered') throw new OrderingLost() // rolls back
    })
  } catch (error) {
    if (!(error instanceof OrderingLost)) throw error
  }
  return outcome
}

async function finishOrdering(trx: Trx, job: OrderingJob, counter: TallyCounter): Promise<OrderingOutcome> {
  const { rows } = await sql<{ outcome: OrderingOutcome }>`
    select finish_ordering(${job.id}, ${job.epoch}::smallint, ${JSON.stringify(counter.tallies())}::jsonb) as outcome`.execute(
    trx,
  )
  return rows[0]?.outcome ?? 'lost'
}
