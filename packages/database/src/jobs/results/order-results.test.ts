import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../../connection/test-database.ts'
import { removeJob } from '../job-control.ts'
import { tallyResults } from '../present-job.ts'
import { ageTestHeartbeat, confirmTestJob, startTestWorker } from '../test-jobs.ts'
import { insertChunks } from './chunk-store.ts'
import { claimOrdering, type OrderingJob, orderResults } from './order-results.ts'
import { encodeChunk } from './result-chunk.ts'
import { listTestResults, makeTestRows, storeTestResults } from './test-results.ts'

const { db } = await createTestDatabase()

/** An ended job with these results, settled in a different order. */
async function endJob(results: number): Promise<{ accountId: string; id: string }> {
  const { id: accountId } = await openTestAccount(db, 0)
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: Math.max(results, 1), mode: 'test' })
  const rows = makeTestRows(results)
  for (let part = 0; part < 5; part++)
    await storeTestResults(
      db,
      id,
      rows.filter((_, n) => n % 5 === part),
    )
  await asOwner(db, (trx) =>
    sql`update jobs set state = 'canceled', done_count = ${results}, finished_at = clock_timestamp() where id = ${id}`.execute(
      trx,
    ),
  )
  return { accountId, id }
}

function look(jobId: string) {
  return asOwner(db, async (trx) => {
    const { rows } = await sql<{ generation: number; chunks: number[]; rows: number; breakdowns: number }>`
      select j.results_generation as generation,
        array(select distinct c.generation::integer from result_chunks c where c.job_id = j.id order by 1) as chunks,
        (select coalesce(sum(c.size), 0) from result_chunks c where c.job_id = j.id) as rows,
        (select count(*) from job_breakdowns b where b.job_id = j.id) as breakdowns
      from jobs j where j.id = ${jobId}`.execute(trx)
    return rows[0]
  })
}

async function claim(workerId: string): Promise<OrderingJob> {
  const job = await claimOrdering(db, workerId)
  if (job === undefined) throw new Error('there is no job to order')
  return job
}

test('results are stored in segments of 500 in row order, with their breakdown, and the chunks as settled are deleted', async () => {
  const { accountId, id } = await endJob(23_456)
  const before = await inTenant(db, accountId, async (trx) => {
    const job = await trx.selectFrom('jobs').select(['accountId', 'id', 'expiresOn']).executeTakeFirstOrThrow()
    return { job, tallies: await tallyResults(trx, job) }
  })
  const job = await claim(await startTestWorker(db, 1))
  expect(job.id).toBe(id)
  expect(await orderResults(db, job)).toBe('ordered')

  expect(await look(id)).toEqual({ generation: job.epoch, chunks: [job.epoch], rows: 23_456, breakdowns: 1 })
  expect(await listTestResults(db, id)).toEqual(makeTestRows(23_456))
  const chunks = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('resultChunks').select(['no', 'size', 'firstRow', 'lastRow']).orderBy('no').execute(),
  )
  expect(chunks.slice(0, -1).every(({ size }) => size === 500)).toBe(true)
  expect(chunks.map(({ firstRow }) => firstRow)).toEqual(chunks.map((_, n) => 2 + 1_000 * n))
  const after = await inTenant(db, accountId, (trx) => tallyResults(trx, before.job))
  expect(after.kinds).toHaveLength(before.tallies.kinds.length)
  expect({ ...after, kinds: [] }).toEqual({ ...before.tallies, kinds: [] })
}, 60_000)

test('a job without results is ordered, too, and none is ordered twice', async () => {
  const { id } = await endJob(0)
  const workerId = await startTestWorker(db, 1)
  expect(await orderResults(db, await claim(workerId))).toBe('ordered')
  expect(await look(id)).toMatchObject({ generation: 1, chunks: [] })
  expect(await claimOrdering(db, workerId)).toBeUndefined()
})

test('a job is claimed by one worker, and by another when that one is dead', async () => {
  const { id } = await endJob(300)
  const [first, second] = [await startTestWorker(db, 1), await startTestWorker(db, 1)]
  const stale = await claim(first)
  expect(await claimOrdering(db, second)).toBeUndefined()
  await ageTestHeartbeat(db, first, 3_600)
  const latest = await claim(second)
  expect([latest.id, latest.epoch]).toEqual([id, stale.epoch + 1])

  // The first was frozen, not dead.
  expect(await orderResults(db, stale)).toBe('lost')
  expect(await look(id)).toEqual({ generation: 0, chunks: [0], rows: 300, breakdowns: 0 })
  expect(await orderResults(db, latest)).toBe('ordered')
  expect(await orderResults(db, stale)).toBe('lost')
  expect(await look(id)).toEqual({ generation: latest.epoch, chunks: [latest.epoch], rows: 300, breakdowns: 1 })
})

test('the segments of a worker that died are deleted when another has ordered the results', async () => {
  const { id } = await endJob(300)
  const dead = await claim(randomUUID()) // a worker that never sent a heartbeat
  const part = await encodeChunk(makeTestRows(100))
  await asOwner(db, (trx) => insertChunks(trx, dead, [{ ...part, generation: dead.epoch, no: 0 }]))
  expect(await listTestResults(db, id)).toHaveLength(300)
  const next = await claim(await startTestWorker(db, 1))
  expect(await orderResults(db, next)).toBe('ordered')
  expect(await look(id)).toMatchObject({ generation: next.epoch, chunks: [next.epoch], rows: 300 })
})

test.each([
  ['a chunk is missing', (id: string) => sql`delete from result_chunks where job_id = ${id} and no = 1`],
  [
    'a row is in two chunks',
    (id: string) => sql`
      insert into result_chunks
      select expires_on, account_id, job_id, generation, 99, codec, size, first_row, last_row, row_nos, tally, index, results
      from result_chunks where job_id = ${id} and no = 0`,
  ],
  [
    'results have other verdicts than were counted',
    (id: string) => sql`update job_counts set status = 'other' where job_id = ${id} and status = 'invalid'`,
  ],
])('nothing is deleted if %s', async (_, damage) => {
  const { id } = await endJob(300)
  await asOwner(db, (trx) => damage(id).execute(trx))
  const before = await look(id)
  const workerId = await startTestWorker(db, 1)
  expect(await orderResults(db, await claim(workerId))).toBe('mismatch')
  expect(await look(id)).toMatchObject({ generation: 0, breakdowns: 0 })
  expect((await look(id))?.chunks).toContain(0)
  expect(await listTestResults(db, id)).toHaveLength(before?.rows ?? 0)
  await asOwner(db, (trx) => sql`delete from jobs where id = ${id}`.execute(trx))
})

test('a job that was deleted meanwhile leaves no chunk', async () => {
  const { accountId, id } = await endJob(300)
  const job = await claim(await startTestWorker(db, 1))
  await inTenant(db, accountId, (trx) => removeJob(trx, { accountId, mode: 'test' }, id))
  expect(await orderResults(db, job)).toBe('lost')
  const { rows } = await asOwner(db, (trx) =>
    sql<{ count: number }>`select count(*) as count from result_chunks where job_id = ${id}`.execute(trx),
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('the results of a closed account are left as they are', async () => {
  const { accountId } = await endJob(10)
  await asOwner(db, (trx) =>
    sql`update accounts set closed_at = clock_timestamp() where id = ${accountId}`.execute(trx),
  )
  expect(await claimOrdering(db, await startTestWorker(db, 1))).toBeUndefined()
})

test('of several jobs the one with the fewest attempts is claimed first', async () => {
  const [failing, other] = [await endJob(10), await endJob(10)]
  const workerId = await startTestWorker(db, 1)
  expect((await claim(workerId)).id).toBe(failing.id) // and fails
  expect((await claim(workerId)).id).toBe(other.id)
})
