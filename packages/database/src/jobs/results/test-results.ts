import { setTimeout as sleep } from 'node:timers/promises'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { asOwner, type Db, type Trx } from '../../connection/connect.ts'
import { insertChunks, listChunks, type ResultsLocation, readChunks } from './chunk-store.ts'
import { type OrderingJob, orderResults } from './order-results.ts'
import { type Chunk, type ChunkRow, chunkRow, decodeChunk, encodeChunk } from './result-chunk.ts'

/** The size of a batch. */
const ROWS_PER_CHUNK = 100

/** Stores results of a job and counts them, as settled batches do. Credits, `done_count` and the state of the job stay as they are. */
export async function storeTestResults(db: Db, jobId: string, rows: readonly ChunkRow[]): Promise<void> {
  const chunks: Chunk[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_CHUNK) {
    chunks.push(await encodeChunk(rows.slice(from, from + ROWS_PER_CHUNK)))
  }
  await asOwner(db, async (trx) => {
    const { location, generation, nextNo } = await findLocation(trx, jobId)
    for (let from = 0; from < chunks.length; from += 20) {
      const some = chunks.slice(from, from + 20)
      await insertChunks(
        trx,
        location,
        some.map((chunk, n) => ({ ...chunk, generation, no: nextNo + from + n })),
      )
    }
    await sql`
      insert into job_counts as c (account_id, job_id, status, sub_status, count)
      select ${location.accountId}, ${jobId}, t.status, t.sub_status, sum(t.count)
      from json_to_recordset(${JSON.stringify(chunks.flatMap(({ tally }) => tally))}::json)
        as t (status text, sub_status text, count integer)
      group by t.status, t.sub_status
      on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count`.execute(trx)
  })
}

async function findLocation(trx: Trx, jobId: string) {
  const { rows } = await sql<ResultsLocation & { generation: number; nextNo: number }>`
    select j.id, j.account_id, j.expires_on, j.results_generation as generation,
      (select coalesce(max(c.no) + 1, 0) from result_chunks c where c.job_id = j.id) as next_no
    from jobs j where j.id = ${jobId}`.execute(trx)
  const [found] = rows
  if (found === undefined) throw new Error('the job does not exist')
  const { generation, nextNo, ...location } = found
  return { location, generation, nextNo }
}

/** All results of a job in row order. */
export function listTestResults(db: Db, jobId: string): Promise<ChunkRow[]> {
  return asOwner(db, async (trx) => {
    const { location } = await findLocation(trx, jobId)
    const rows: ChunkRow[] = []
    for await (const group of readChunks(trx, await listChunks(trx, location))) {
      for (const chunk of group) rows.push(...decodeChunk(chunk))
    }
    return rows.sort((a, b) => a.rowNo - b.rowNo)
  })
}

/** Changes stored results, which the product never does. The verdicts stay: they are counted. */
export async function changeTestResults(
  db: Db,
  jobId: string,
  change: (result: StoredResult, row: ChunkRow) => StoredResult,
): Promise<void> {
  await asOwner(db, async (trx) => {
    const { location } = await findLocation(trx, jobId)
    for await (const group of readChunks(trx, await listChunks(trx, location))) {
      for (const stored of group) {
        const rows = decodeChunk(stored).map((row) => chunkRow(row, change(JSON.parse(row.result), row)))
        const { index, results, tally } = await encodeChunk(rows)
        await sql`
          update result_chunks set index = ${index}, results = ${results}, tally = ${JSON.stringify(tally)}::jsonb
          where job_id = ${jobId} and generation = ${stored.generation} and no = ${stored.no}`.execute(trx)
      }
    }
  })
}

const ORDERED_WITHIN_MS = 60_000

/** Stores the results of a job in row order, as a worker does for one that has ended. If a worker has begun as well, waits for it. */
export async function orderTestResults(db: Db, jobId: string): Promise<void> {
  const { rows } = await asOwner(db, (trx) =>
    sql<OrderingJob>`
      update jobs set order_epoch = order_epoch + 1 where id = ${jobId}
      returning id, account_id, expires_on, order_epoch as epoch`.execute(trx),
  )
  const [job] = rows
  const outcome = job && (await orderResults(db, job))
  if (outcome === 'lost') return untilOrdered(db, jobId)
  if (outcome !== 'ordered') throw new Error(`storing results in row order ended with ${outcome}`)
}

async function untilOrdered(db: Db, jobId: string): Promise<void> {
  for (const deadline = Date.now() + ORDERED_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
    const { resultsGeneration } = await asOwner(db, (trx) =>
      trx.selectFrom('jobs').select('resultsGeneration').where('id', '=', jobId).executeTakeFirstOrThrow(),
    )
    if (resultsGeneration > 0) return
  }
  throw new Error('no worker has stored the results in row order')
}

const VERDICTS = [
  { status: 'valid', sub_status: '', safe_to_send: true },
  { status: 'valid', sub_status: '', safe_to_send: false },
  { status: 'invalid', sub_status: 'mailbox_not_found', safe_to_send: false },
  { status: 'risky', sub_status: 'catch_all', safe_to_send: true },
  { status: 'risky', sub_status: 'disposable', safe_to_send: false },
  { status: 'unknown', sub_status: 'greylisted', safe_to_send: false },
] satisfies Partial<StoredResult>[]
const PROVIDERS = ['google', 'google', 'google', 'google', 'microsoft', 'microsoft', '']
const OVERRIDES = ['allow', 'block'] as const

/**
 * Rows of a list at every second row from 2 on, all different: verdicts, providers and 41 domains by turns, which repeat with
 * different periods, and an override for each 37th.
 */
export function makeTestRows(count: number): ChunkRow[] {
  return Array.from({ length: count }, (_, n) => {
    const domain = `d${(n * n) % 41}.example`
    const email = `Person-${n}@${domain}`
    const base = pendingResult(email, 'greylisted')
    const details = { ...base.details, domain, provider: PROVIDERS[n % PROVIDERS.length] ?? '' }
    const override = n % 37 === 0 ? OVERRIDES[n % 2] : undefined
    const deliverability = (n % 100) / 100
    const result: StoredResult = {
      ...base,
      ...VERDICTS[n % VERDICTS.length],
      deliverability,
      details,
      ...(override && { override }),
    }
    return chunkRow({ rowNo: 2 * n + 2, email }, result)
  })
}
