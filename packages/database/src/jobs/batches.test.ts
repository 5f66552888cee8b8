import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listDrift } from '../billing/ledger.ts'
import { listLedgerMismatches } from '../billing/reconciliation.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { type ClaimedBatch, claimBatch, claimBatches, dispatchBatches, releaseBatch, releaseClaims } from './batches.ts'
import { settleBatch, settleBatches } from './settle-batches.ts'
import {
  ageDispatches,
  ageTestHeartbeat,
  claimNext,
  finalRows,
  planTestJob,
  removeTestJobs,
  startTestWorker,
} from './test-jobs.ts'

const { db } = await createTestDatabase()

async function startJob(sizes: number[], credits = 1_000) {
  await removeTestJobs(db)
  const { id: accountId } = await openTestAccount(db, credits)
  const job = await planTestJob(
    db,
    accountId,
    sizes.map((size) => ({ size })),
  )
  const workerId = await startTestWorker(db, 8)
  const look = async () => {
    const account = await inTenant(db, accountId, (trx) =>
      trx.selectFrom('accounts').select(['available', 'reserved', 'spent']).executeTakeFirstOrThrow(),
    )
    const row = await inTenant(db, accountId, (trx) =>
      trx.selectFrom('jobs').select(['state', 'doneCount', 'refundedCount']).executeTakeFirstOrThrow(),
    )
    const chunks = await inTenant(db, accountId, (trx) => trx.selectFrom('resultChunks').select('size').execute())
    return { ...account, ...row, results: chunks.reduce((sum, { size }) => sum + size, 0) }
  }
  return { accountId, job, workerId, look }
}

async function claim(workerId: string): Promise<ClaimedBatch> {
  const batch = await claimNext(db, workerId)
  if (batch === undefined) throw new Error('there was no batch')
  return batch
}

const NOTHING_LATER = { later: [] }
const LATER = {
  deferrals: 1,
  throttles: 0,
  noResponses: 0,
  attempts: 0,
  egress: null,
  waitReason: 'greylisted',
  waitMs: 0,
}

test('settlement stores and charges results, and the last row completes the job', async () => {
  const { workerId, look } = await startJob([3, 2])
  expect(await look()).toMatchObject({ available: 995, reserved: 5, spent: 0, state: 'processing' })
  const [first, second] = [await claim(workerId), await claimBoth(workerId)]
  await settleBatch(db, first, { final: finalRows(first), ...NOTHING_LATER })
  expect(await look()).toMatchObject({ available: 995, reserved: 2, spent: 3, state: 'processing', doneCount: 3 })
  await settleBatch(db, second, { final: finalRows(second), ...NOTHING_LATER })
  expect(await look()).toEqual({
    ...{ available: 995, reserved: 0, spent: 5, state: 'completed', doneCount: 5, refundedCount: 0, results: 5 },
  })
  expect(await asOwner(db, listDrift)).toEqual([])
})

/** The second of two batches that were dispatched together. */
async function claimBoth(workerId: string): Promise<ClaimedBatch> {
  const rows = await asOwner(db, (trx) =>
    trx.selectFrom('jobQueue').select(['jobId', 'no']).where('claimedBy', 'is', null).execute(),
  )
  const batch = rows[0] && (await claimBatch(db, workerId, rows[0]))
  if (batch === undefined) throw new Error('there was no batch')
  return batch
}

test('settlement refunds unknown results', async () => {
  const { workerId, look } = await startJob([4])
  const batch = await claim(workerId)
  const final = [...finalRows(batch).slice(0, 3), ...finalRows(batch, 'unknown').slice(3)]
  await settleBatch(db, batch, { final, ...NOTHING_LATER })
  expect(await look()).toMatchObject({ available: 997, reserved: 0, spent: 3, refundedCount: 1, state: 'completed' })
})

test('a batch that is settled twice is charged once', async () => {
  const { workerId, look } = await startJob([3])
  const batch = await claim(workerId)
  const settlement = { final: finalRows(batch), ...NOTHING_LATER }
  const outcomes = await Promise.all([settleBatch(db, batch, settlement), settleBatch(db, batch, settlement)])
  expect(outcomes.toSorted()).toEqual(['lost', 'settled'])
  expect(await look()).toMatchObject({ available: 997, reserved: 0, spent: 3, results: 3 })
})

test('a worker with an outdated epoch cannot settle a batch', async () => {
  const { workerId: zombie, look } = await startJob([3])
  const late = await claim(zombie)
  await ageTestHeartbeat(db, zombie, 11)
  await ageDispatches(db, 6)
  const heir = await claim(await startTestWorker(db, 8))
  expect(heir).toMatchObject({ rowNos: late.rowNos, epoch: late.epoch + 2, attempts: 2 })
  expect(await settleBatch(db, late, { final: finalRows(late, 'invalid'), ...NOTHING_LATER })).toBe('lost')
  expect(await look()).toMatchObject({ results: 0, spent: 0, doneCount: 0 })
  expect(await settleBatch(db, heir, { final: finalRows(heir), ...NOTHING_LATER })).toBe('settled')
  expect(await look()).toMatchObject({ results: 3, spent: 3, state: 'completed' })
})

test('settlement charges the inserted results, not the processed ones', async () => {
  const { workerId, look, accountId } = await startJob([3, 1])
  const batch = await claim(workerId)
  const queued = await readQueued(batch)
  await settleBatch(db, batch, { final: finalRows(batch), ...NOTHING_LATER })
  // Simulates a failed fence: the batch is queued again under the same epoch, and its chunk exists.
  await asOwner(db, (trx) => trx.insertInto('jobQueue').values(queued).execute())
  expect(await settleBatch(db, batch, { final: finalRows(batch), ...NOTHING_LATER })).toBe('settled')
  expect(await look()).toMatchObject({ spent: 3, reserved: 1, doneCount: 3, results: 3 })
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

function readQueued({ jobId, no }: ClaimedBatch) {
  return asOwner(db, (trx) =>
    trx.selectFrom('jobQueue').selectAll().where('jobId', '=', jobId).where('no', '=', no).executeTakeFirstOrThrow(),
  )
}

test('deferred addresses move to a later batch in the same transaction', async () => {
  const { workerId, look } = await startJob([3])
  const batch = await claim(workerId)
  const [done, ...rest] = finalRows(batch)
  const later = [
    { ...LATER, rowNos: rest.map((row) => row.rowNo), emails: rest.map((row) => row.email), waitMs: 60_000 },
  ]
  await settleBatch(db, batch, { final: done ? [done] : [], later })
  expect(await look()).toMatchObject({ doneCount: 1, reserved: 2, spent: 1, state: 'processing' })
  expect(await claimNext(db, workerId)).toBeUndefined()

  await asOwner(db, (trx) => sql`update job_queue set retry_at = clock_timestamp()`.execute(trx))
  const again = await claim(workerId)
  expect(again).toMatchObject({
    deferrals: 1,
    emails: rest.map((row) => row.email),
    rowNos: rest.map((row) => row.rowNo),
  })
  await settleBatch(db, again, { final: finalRows(again), ...NOTHING_LATER })
  expect(await look()).toMatchObject({ state: 'completed', spent: 3, reserved: 0 })
})

test('results of a canceled job are not stored', async () => {
  const { workerId, look, job, accountId } = await startJob([3])
  const batch = await claim(workerId)
  await inTenant(db, accountId, (trx) =>
    trx
      .updateTable('jobs')
      .set({ state: 'canceled', finishedAt: sql<Date>`clock_timestamp()` })
      .where('id', '=', job.id)
      .execute(),
  )
  expect(await settleBatch(db, batch, { final: finalRows(batch), ...NOTHING_LATER })).toBe('lost')
  expect(await look()).toMatchObject({ results: 0, spent: 0, reserved: 3 })
})

test('no result is stored while the account is on hold', async () => {
  const { workerId, look, accountId } = await startJob([3])
  const batch = await claim(workerId)
  await asOwner(db, (trx) => sql`update accounts set on_hold_since = now() where id = ${accountId}`.execute(trx))
  expect(await settleBatch(db, batch, { final: finalRows(batch), ...NOTHING_LATER })).toBe('lost')
  expect(await look()).toMatchObject({ results: 0, spent: 0, reserved: 3 })
})

async function claimAll(workerId: string): Promise<ClaimedBatch[]> {
  const claimed = await claimBatches(db, workerId, await dispatchBatches(db, []))
  return claimed.filter((batch) => batch !== undefined)
}

const asProcessed = (batch: ClaimedBatch, status = 'valid') => ({
  batch,
  settlement: { final: finalRows(batch, status), later: [] },
})
const keyOf = (email: string) => email

test('a group of batches is settled in one transaction, with one ledger entry per batch and kind', async () => {
  const { workerId, look, accountId, job } = await startJob([3, 2, 4])
  const batches = await claimAll(workerId)
  expect(batches.map(({ emails }) => emails.length)).toEqual([3, 2, 4])
  const group = batches.map((batch, n) => asProcessed(batch, n === 1 ? 'unknown' : 'valid'))
  expect(await settleBatches(db, group, keyOf)).toEqual(['settled', 'settled', 'settled'])
  expect(await look()).toEqual({
    ...{ available: 993, reserved: 0, spent: 7, state: 'completed', doneCount: 9, refundedCount: 2, results: 9 },
  })
  const entries = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('ledger').select(['kind', 'part', 'dSpent']).where('subject', '=', job.id).orderBy('id').execute(),
  )
  expect(entries.map(({ kind, part, dSpent }) => `${kind} ${part} ${dSpent}`)).toEqual([
    ...['reserve 0 0', 'settle 0 3', 'settle 1 2', 'settle 2 4', 'refund 1 -2'],
  ])
  expect(await asOwner(db, listDrift)).toEqual([])
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('the batches of a group that are still claimed are settled if others were claimed again, and only they are charged', async () => {
  const { workerId, look, accountId } = await startJob([3, 2, 4])
  const [first, second, third] = await claimAll(workerId)
  if (!(first && second && third)) throw new Error('a batch is missing')
  const late = [{ ...first, epoch: first.epoch - 1 }, second, { ...third, epoch: third.epoch + 1 }]
  const group = late.map((batch) => asProcessed(batch))
  expect(await settleBatches(db, group, keyOf)).toEqual(['lost', 'settled', 'lost'])
  expect(await look()).toMatchObject({ spent: 2, reserved: 7, doneCount: 2, results: 2, state: 'processing' })
  expect(await settleBatches(db, [asProcessed(first), asProcessed(third)], keyOf)).toEqual(['settled', 'settled'])
  expect(await look()).toMatchObject({ spent: 9, reserved: 0, doneCount: 9, results: 9, state: 'completed' })
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('overlapping groups that are settled at the same time charge each batch once', async () => {
  const { workerId, look, accountId } = await startJob([3, 2, 4, 1])
  const [a, b, c, d] = (await claimAll(workerId)).map((batch) => asProcessed(batch))
  if (!(a && b && c && d)) throw new Error('a batch is missing')
  const outcomes = await Promise.all([
    settleBatches(db, [a, b, c], keyOf),
    settleBatches(db, [d, c, b], keyOf),
    settleBatches(db, [b, d, a], keyOf),
  ])
  expect(outcomes.flat().filter((outcome) => outcome === 'settled')).toHaveLength(4)
  expect(await look()).toMatchObject({ spent: 10, reserved: 0, doneCount: 10, results: 10, state: 'completed' })
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('a group is not stored if one of its batches does not account for all of its addresses', async () => {
  const { workerId, look } = await startJob([3, 2])
  const [first, second] = await claimAll(workerId)
  if (!(first && second)) throw new Error('a batch is missing')
  const short = { batch: second, settlement: { final: finalRows(second).slice(1), later: [] } }
  await expect(settleBatches(db, [asProcessed(first), short], keyOf)).rejects.toThrow('does not have the size')
  expect(await look()).toMatchObject({ spent: 0, reserved: 5, doneCount: 0, results: 0 })
  expect(await settleBatches(db, [asProcessed(first)], keyOf)).toEqual(['settled'])
})

test('deferred addresses of a group continue in separate batches', async () => {
  const { workerId, look, accountId } = await startJob([2, 2])
  const [first, second] = await claimAll(workerId)
  if (!(first && second)) throw new Error('a batch is missing')
  const later = (batch: ClaimedBatch) => ({
    batch,
    settlement: {
      final: finalRows(batch).slice(1),
      later: [{ ...LATER, rowNos: batch.rowNos.slice(0, 1), emails: batch.emails.slice(0, 1) }],
    },
  })
  expect(await settleBatches(db, [later(first), later(second)], keyOf)).toEqual(['settled', 'settled'])
  const again = await claimAll(workerId)
  expect(again.map(({ no, emails, deferrals }) => [no, emails, deferrals])).toEqual([
    [2, first.emails.slice(0, 1), 1],
    [3, second.emails.slice(0, 1), 1],
  ])
  await settleBatches(
    db,
    again.map((batch) => asProcessed(batch)),
    keyOf,
  )
  expect(await look()).toMatchObject({ spent: 4, doneCount: 4, state: 'completed' })
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('the addresses of a batch are deleted with its queue row when it is settled', async () => {
  const { workerId, accountId } = await startJob([3, 2])
  const [first] = await claimAll(workerId)
  if (first === undefined) throw new Error('a batch is missing')
  await settleBatch(db, first, { final: finalRows(first), later: [] })
  const left = await inTenant(db, accountId, async (trx) => ({
    queue: await trx.selectFrom('jobQueue').select('no').execute(),
    batches: await trx.selectFrom('jobBatches').select('no').execute(),
  }))
  expect(left).toEqual({ queue: [{ no: 1 }], batches: [{ no: 1 }] })
})

test('a batch that crashes workers twice is split repeatedly until the cause is isolated', async () => {
  const { look } = await startJob([5])
  const alone: number[] = []
  for (let round = 0; round < 60 && (await look()).state !== 'completed'; round += 1) {
    for (const ref of await dispatchBatches(db, [])) {
      const workerId = await startTestWorker(db, 8)
      const batch = await claimBatch(db, workerId, ref)
      if (batch === undefined) continue // it was split
      const isPoison = batch.emails.includes('row-4@example.com')
      if (isPoison && batch.emails.length === 1) alone.push(batch.attempts)
      if (isPoison && batch.attempts < 4) await ageTestHeartbeat(db, workerId, 11)
      else await settleBatch(db, batch, { final: finalRows(batch, isPoison ? 'unknown' : 'valid'), ...NOTHING_LATER })
    }
    await ageDispatches(db, 6)
  }
  expect(alone).toEqual([1, 2, 3, 4])
  expect(await look()).toMatchObject({ doneCount: 5, spent: 4, refundedCount: 1, reserved: 0 })
})

test('batches of crashed workers are dispatched again one at a time to isolate the cause', async () => {
  await startJob([1, 1, 1, 1])
  for (let n = 0; n < 2; n += 1) {
    const workerId = await startTestWorker(db, 8)
    for (const ref of await dispatchBatches(db, [])) await claimBatch(db, workerId, ref)
    await ageTestHeartbeat(db, workerId, 11)
    await ageDispatches(db, 6)
  }
  const workerId = await startTestWorker(db, 8)
  for (let n = 0; n < 4; n += 1) {
    const released = await dispatchBatches(db, [])
    expect(released).toHaveLength(1)
    expect(await dispatchBatches(db, [])).toEqual([])
    const batch = released[0] && (await claimBatch(db, workerId, released[0]))
    expect(await dispatchBatches(db, [])).toEqual([])
    if (batch) await settleBatch(db, batch, { final: finalRows(batch), ...NOTHING_LATER })
  }
})

test('a released batch does not count as claimed', async () => {
  const { workerId } = await startJob([3])
  const batch = await claim(workerId)
  await releaseBatch(db, await startTestWorker(db, 8), batch) // not claimed by this worker
  expect(await dispatchBatches(db, [])).toEqual([])
  await releaseBatch(db, workerId, batch)
  expect(await claim(workerId)).toMatchObject({ attempts: 1, epoch: 2 })
})

test('a worker that shuts down releases its batch immediately', async () => {
  const { workerId } = await startJob([3])
  await claim(workerId)
  await releaseClaims(db, workerId)
  expect(await claim(await startTestWorker(db, 8))).toMatchObject({ attempts: 1, epoch: 2 })
})

test('a batch claimed by a live worker cannot be claimed', async () => {
  const { workerId } = await startJob([3])
  const batch = await claim(workerId)
  await ageDispatches(db, 60)
  expect(await dispatchBatches(db, [])).toEqual([])
  expect(await claimBatch(db, await startTestWorker(db, 8), batch)).toBeUndefined()
})

test('an unfinished batch of a live worker is dispatched again after three minutes', async () => {
  const { workerId } = await startJob([3])
  await claim(workerId)
  await ageDispatches(db, 200)
  await asOwner(db, (trx) => sql`update job_queue set claimed_at = claimed_at - interval '200 seconds'`.execute(trx))
  expect(await dispatchBatches(db, [])).toHaveLength(1)
})
