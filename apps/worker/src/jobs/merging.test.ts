import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { type ChunkRow, chunkRow } from '@probity/database/jobs/results/result-chunk'
import { listTestResults, makeTestRows, storeTestResults } from '@probity/database/jobs/results/test-results'
import { confirmTestJob, startTestWorker } from '@probity/database/jobs/test-jobs'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { startMerging } from './merging.ts'
import { startOrdering } from './ordering.ts'

const SOON = { timeout: 30_000, interval: 50 }

async function openWorld() {
  const { db } = await createTestDatabase()
  const { log, lines } = openTestLog()
  const { id: accountId } = await openTestAccount(db, 0)
  const workerId = await startTestWorker(db, 1)

  /** A job that has ended, optionally as a rerun of the unknown rows of another. */
  async function endJob(rows: ChunkRow[], rerunOf?: string): Promise<string> {
    const { id } = await confirmTestJob(db, accountId, { uniqueCount: rows.length, mode: 'test' })
    await storeTestResults(db, id, rows)
    await asOwner(db, (trx) =>
      sql`update jobs set state = 'completed', done_count = unique_count, finished_at = clock_timestamp(),
          rerun_of = ${rerunOf ?? null}, rerun_rows = ${rerunOf ? 'unknown' : null} where id = ${id}`.execute(trx),
    )
    return id
  }
  const mergedAtOf = async (id: string) =>
    (
      await asOwner(db, (trx) =>
        trx.selectFrom('jobs').select('mergedAt').where('id', '=', id).executeTakeFirstOrThrow(),
      )
    ).mergedAt
  return { db, log, lines, workerId, endJob, mergedAtOf }
}

const LISTED = makeTestRows(120)

/** The unknown rows as in the file of a rerun, all of them valid now. */
const AGAIN = LISTED.filter(({ status }) => status === 'unknown').map((row, n) => {
  const result = { ...JSON.parse(row.result), status: 'valid', sub_status: '' }
  return chunkRow({ rowNo: n + 2, email: row.email.toLowerCase() }, result)
})

test('a running worker merges a rerun as soon as the results of both jobs are in row order', async () => {
  const world = await openWorld()
  const list = await world.endJob(LISTED)
  const rerun = await world.endJob(AGAIN, list)
  const merging = startMerging(world)
  whenDone(() => merging.stop())
  const ordering = startOrdering(world)
  whenDone(() => ordering.stop())
  await vi.waitFor(async () => expect(await world.mergedAtOf(rerun)).not.toBeNull(), SOON)
  const results = await listTestResults(world.db, list)
  expect(results.map(({ rowNo, email }) => [rowNo, email])).toEqual(LISTED.map(({ rowNo, email }) => [rowNo, email]))
  expect(results.map(({ status }) => status)).toEqual(
    LISTED.map(({ status }) => (status === 'unknown' ? 'valid' : status)),
  )
  expect(world.lines()).toEqual([])
})

test('a rerun that cannot be merged is logged, and others are still merged', async () => {
  const world = await openWorld()
  const [damaged, list] = [await world.endJob(LISTED), await world.endJob(LISTED)]
  const ordering = startOrdering(world)
  const [failing, other] = [await world.endJob(AGAIN, damaged), await world.endJob(AGAIN, list)]
  whenDone(() => ordering.stop())
  await vi.waitFor(async () => {
    const { rows } = await asOwner(world.db, (trx) => sql`select from jobs where results_generation = 0`.execute(trx))
    expect(rows).toEqual([])
  }, SOON)
  await asOwner(world.db, (trx) =>
    sql`update jobs set done_count = done_count - 1, state = 'canceled' where id = ${damaged}`.execute(trx),
  )
  const merging = startMerging(world)
  await vi.waitFor(() => expect(world.lines()).toHaveLength(1), SOON)
  expect(world.lines()).toMatchObject([{ level: 40, jobId: failing, attempt: 1 }])
  await merging.stop() // does not wait for the next attempt
  const again = startMerging(world)
  whenDone(() => again.stop())
  await vi.waitFor(async () => expect(await world.mergedAtOf(other)).not.toBeNull(), SOON)
  expect(await world.mergedAtOf(failing)).toBeNull()
})
