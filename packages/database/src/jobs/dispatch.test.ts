import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch, dispatchBatches } from './batches.ts'
import { settleBatch } from './settle-batches.ts'
import {
  ageDispatches,
  ageTestHeartbeat,
  finalRows,
  planTestJob,
  removeTestJobs,
  startTestWorker,
  type TestBatch,
} from './test-jobs.ts'

const { db } = await createTestDatabase()

beforeEach(() => removeTestJobs(db))

async function openAccount(): Promise<string> {
  return (await openTestAccount(db, 1_000_000)).id
}

function batches(count: number, batch: TestBatch = { size: 100 }): TestBatch[] {
  return Array.from({ length: count }, () => batch)
}

/** Dispatches and settles batches up to a number of them, and returns them in order. */
async function settleUpTo(
  workerId: string,
  count: number,
): Promise<{ accountId: string; jobId: string; size: number }[]> {
  const worked: { accountId: string; jobId: string; size: number }[] = []
  for (let round = 0; round < count && worked.length < count; round += 1) {
    for (const ref of await dispatchBatches(db, [])) {
      const batch = await claimBatch(db, workerId, ref)
      if (batch === undefined) throw new Error('a dispatched batch could not be claimed')
      await settleBatch(db, batch, { final: finalRows(batch), later: [] })
      worked.push({ accountId: ref.accountId, jobId: ref.jobId, size: batch.emails.length })
    }
  }
  return worked
}

test('dispatchBatches dispatches 1.5 times the slots of live workers, and more only after settlements', async () => {
  await planTestJob(db, await openAccount(), batches(50))
  await planTestJob(db, await openAccount(), batches(50))
  const workerId = await startTestWorker(db, 8)
  await ageTestHeartbeat(db, await startTestWorker(db, 100), 11)
  const [first, ...rest] = await dispatchBatches(db, [])
  expect(rest).toHaveLength(11)
  expect(await dispatchBatches(db, [])).toEqual([])
  const batch = first && (await claimBatch(db, workerId, first))
  if (batch) await settleBatch(db, batch, { final: finalRows(batch), later: [] })
  expect(await dispatchBatches(db, [])).toHaveLength(1)
})

test('a single account leaves a quarter of the slots to the next one', async () => {
  const [large, small] = [await openAccount(), await openAccount()]
  await planTestJob(db, large, batches(50))
  await startTestWorker(db, 8)
  expect(await dispatchBatches(db, [])).toHaveLength(9)
  await planTestJob(db, small, batches(2))
  const next = await dispatchBatches(db, [])
  expect(next.map(({ accountId }) => accountId)).toEqual([small, small])
})

test('accounts take turns, independent of their number of waiting batches', async () => {
  const [large, small] = [await openAccount(), await openAccount()]
  await planTestJob(db, large, batches(200))
  const workerId = await startTestWorker(db, 1)
  await settleUpTo(workerId, 100) // all slots so far were for the large one
  await planTestJob(db, small, batches(20))
  const worked = await settleUpTo(workerId, 40)
  const ofSmall = worked.filter(({ accountId }) => accountId === small)
  expect(ofSmall.length).toBeGreaterThanOrEqual(18)
  expect(ofSmall.length).toBeLessThanOrEqual(20)
})

test('turns are counted in addresses, so small batches are no disadvantage', async () => {
  const [large, small] = [await openAccount(), await openAccount()]
  await planTestJob(db, large, batches(100))
  await planTestJob(db, small, batches(100, { size: 10 }))
  const worked = await settleUpTo(await startTestWorker(db, 1), 66)
  const sizeOf = (id: string) => worked.filter((one) => one.accountId === id).reduce((sum, { size }) => sum + size, 0)
  expect(Math.abs(sizeOf(large) - sizeOf(small))).toBeLessThanOrEqual(200)
})

test('the jobs of one account run concurrently', async () => {
  const account = await openAccount()
  const [first, second] = [await planTestJob(db, account, batches(30)), await planTestJob(db, account, batches(30))]
  const worked = await settleUpTo(await startTestWorker(db, 1), 20)
  const counts = [first, second].map(({ id }) => worked.filter(({ jobId }) => jobId === id).length)
  expect(counts).toEqual([10, 10])
})

test('a site gets no more batches than its limit, and batches behind them are dispatched', async () => {
  const slow = batches(40, { size: 100, site: 'slow-provider', siteMax: 2 })
  await planTestJob(db, await openAccount(), [...slow, ...batches(5, { size: 50 })])
  await startTestWorker(db, 100)
  const sizes = async () => {
    const released = await dispatchBatches(db, [])
    const nos = released.map(({ no }) => no)
    return { slow: nos.filter((no) => no < 40).length, others: nos.filter((no) => no >= 40).length }
  }
  expect(await sizes()).toEqual({ slow: 2, others: 5 })
  expect(await sizes()).toEqual({ slow: 0, others: 0 })
  await startTestWorker(db, 100) // with its own connections
  expect(await sizes()).toEqual({ slow: 2, others: 0 })
})

test('batches of a full site do not block batches far behind them', async () => {
  const slow = batches(40, { size: 100, site: 'slow-provider', siteMax: 1 })
  await planTestJob(db, await openAccount(), [...slow, ...batches(5, { size: 50 })])
  await startTestWorker(db, 4) // fewer slots than waiting batches of the full site
  const released = [...(await dispatchBatches(db, [])), ...(await dispatchBatches(db, []))]
  expect(released.filter(({ no }) => no < 40)).toHaveLength(1)
  expect(released.filter(({ no }) => no >= 40).length).toBeGreaterThanOrEqual(4)
})

test('batches that the queue lost are dispatched again after five seconds, not earlier', async () => {
  await planTestJob(db, await openAccount(), batches(3))
  await startTestWorker(db, 8)
  const first = await dispatchBatches(db, [])
  expect(await dispatchBatches(db, [])).toEqual([])
  await ageDispatches(db, 6)
  // With another epoch: the queue rejects a task id that may still exist.
  expect(await dispatchBatches(db, [])).toEqual(first.map((batch) => ({ ...batch, epoch: batch.epoch + 1 })))
})

test('batches of paused jobs and of accounts on hold, and those that are not due, are not dispatched', async () => {
  const [paused, stopped, early] = [await openAccount(), await openAccount(), await openAccount()]
  for (const account of [paused, stopped, early]) await planTestJob(db, account, batches(3))
  await startTestWorker(db, 8)
  await asOwner(db, (trx) =>
    sql`update jobs set paused_at = clock_timestamp() where account_id = ${paused}`.execute(trx),
  )
  await asOwner(db, (trx) =>
    sql`update accounts set on_hold_since = clock_timestamp() where id = ${stopped}`.execute(trx),
  )
  await inTenant(db, early, (trx) =>
    sql`update job_queue set retry_at = clock_timestamp() + interval '1 minute'`.execute(trx),
  )
  expect(await dispatchBatches(db, [])).toEqual([])
  await asOwner(db, (trx) => sql`update jobs set paused_at = null`.execute(trx))
  expect(await dispatchBatches(db, [])).toHaveLength(3)
})

test('a dispatched batch of a paused job cannot be claimed', async () => {
  const account = await openAccount()
  await planTestJob(db, account, batches(1))
  const workerId = await startTestWorker(db, 8)
  const [ref] = await dispatchBatches(db, [])
  await asOwner(db, (trx) => sql`update jobs set paused_at = clock_timestamp()`.execute(trx))
  expect(ref && (await claimBatch(db, workerId, ref))).toBeUndefined()
})

test('a batch with an egress is dispatched to that egress, or to any after ten minutes', async () => {
  const account = await openAccount()
  await planTestJob(db, account, batches(1))
  await startTestWorker(db, 8)
  await inTenant(db, account, (trx) =>
    sql`update job_queue set egress = 'mx1', retry_at = clock_timestamp()`.execute(trx),
  )
  expect(await dispatchBatches(db, ['mx2'])).toEqual([])
  expect(await dispatchBatches(db, ['mx1'])).toMatchObject([{ egress: 'mx1' }])
  await inTenant(db, account, (trx) =>
    sql`update job_queue set queued_at = null, retry_at = clock_timestamp() - interval '11 minutes'`.execute(trx),
  )
  expect(await dispatchBatches(db, ['mx2'])).toHaveLength(1)
})

test('both halves of a split batch are dispatched by any egress ten minutes after theirs was due', async () => {
  const account = await openAccount()
  const { id } = await planTestJob(db, account, batches(1, { size: 2 }))
  const workerId = await startTestWorker(db, 8)
  await inTenant(db, account, (trx) => sql`update job_queue set egress = 'mx1', attempts = 2`.execute(trx))
  const [ref] = await dispatchBatches(db, ['mx1'])
  expect(ref && (await claimBatch(db, workerId, ref))).toBeUndefined() // split instead
  await inTenant(db, account, (trx) =>
    sql`update job_queue set retry_at = coalesce(retry_at, clock_timestamp()) - interval '11 minutes' where no = 0`.execute(
      trx,
    ),
  )
  await inTenant(db, account, (trx) =>
    sql`update job_queue set suspect = false, retry_at = retry_at - interval '11 minutes' where no = 1`.execute(trx),
  )
  expect((await dispatchBatches(db, ['mx2'])).map(({ jobId, no }) => [jobId, no])).toEqual([
    [id, 0],
    [id, 1],
  ])
})

test('concurrent calls dispatch no batch twice', async () => {
  await planTestJob(db, await openAccount(), batches(60))
  await startTestWorker(db, 50)
  const rounds = await Promise.all(Array.from({ length: 8 }, () => dispatchBatches(db, [])))
  const nos = rounds.flat().map(({ no }) => no)
  expect(new Set(nos).size).toBe(nos.length)
  expect(nos.length).toBeGreaterThan(0)
})

test('dispatchBatches finds the next batches quickly among a million addresses', { tags: ['timed'] }, async () => {
  const lanes = ['google', 'microsoft', 'yahoo']
  const many = Array.from({ length: 10 }, () =>
    Array.from({ length: 1_000 }, (_, n) => ({ size: 100, site: lanes[n % 4] ?? '', siteMax: 3 })),
  )
  const account = await openAccount()
  for (const list of many) await planTestJob(db, account, list)
  await startTestWorker(db, 32)
  const times: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const began = performance.now()
    await dispatchBatches(db, [])
    times.push(performance.now() - began)
  }
  expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(250)
})
