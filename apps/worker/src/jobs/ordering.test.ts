import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { listTestResults, makeTestRows, storeTestResults } from '@probity/database/jobs/results/test-results'
import { confirmTestJob, startTestWorker } from '@probity/database/jobs/test-jobs'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { startOrdering } from './ordering.ts'

const SOON = { timeout: 30_000, interval: 50 }

async function openWorld() {
  const { db } = await createTestDatabase()
  const { log, lines } = openTestLog()
  const { id: accountId } = await openTestAccount(db, 0)
  const workerId = await startTestWorker(db, 1)

  /** A job that has ended with 120 results in two chunks. */
  async function endJob(): Promise<string> {
    const { id } = await confirmTestJob(db, accountId, { uniqueCount: 120, mode: 'test' })
    await storeTestResults(db, id, makeTestRows(120))
    await asOwner(db, (trx) =>
      sql`update jobs set state = 'completed', done_count = 120, finished_at = clock_timestamp() where id = ${id}`.execute(
        trx,
      ),
    )
    return id
  }
  const generationOf = async (id: string) =>
    (
      await asOwner(db, (trx) =>
        trx.selectFrom('jobs').select('resultsGeneration').where('id', '=', id).executeTakeFirstOrThrow(),
      )
    ).resultsGeneration
  return { db, log, lines, workerId, endJob, generationOf }
}

test('a running worker stores the results of ended jobs in row order', async () => {
  const world = await openWorld()
  const first = await world.endJob()
  const ordering = startOrdering(world)
  whenDone(() => ordering.stop())
  const second = await world.endJob()
  for (const id of [first, second]) {
    await vi.waitFor(async () => expect(await world.generationOf(id)).toBe(1), SOON)
    expect(await listTestResults(world.db, id)).toEqual(makeTestRows(120))
  }
  expect(world.lines()).toEqual([])
})

test('a job whose results do not match its counts is logged as an error, and other jobs are still ordered', async () => {
  const world = await openWorld()
  const [damaged, other] = [await world.endJob(), await world.endJob()]
  await asOwner(world.db, (trx) => sql`delete from result_chunks where job_id = ${damaged} and no = 0`.execute(trx))
  const ordering = startOrdering(world)
  whenDone(() => ordering.stop())
  await vi.waitFor(() => expect(world.lines()).toHaveLength(1), SOON)
  expect(world.lines()).toMatchObject([{ level: 50, jobId: damaged, attempt: 1 }])
  await ordering.stop() // does not wait for the next attempt
  const again = startOrdering(world)
  whenDone(() => again.stop())
  await vi.waitFor(async () => expect(await world.generationOf(other)).toBe(1), SOON)
  expect(await world.generationOf(damaged)).toBe(0)
  expect(await listTestResults(world.db, damaged)).toHaveLength(20)
})
