import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { isOutage, isReadOnly } from '@probity/database/connection/outage'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { dispatchBatches } from '@probity/database/jobs/batches'
import { finalRows, planTestJob, startTestWorker } from '@probity/database/jobs/test-jobs'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { openBatchGroups } from './batch-groups.ts'

async function claimAll(sizes: number[]) {
  const { db } = await createTestDatabase()
  const { id: accountId } = await openTestAccount(db, 100)
  const job = await planTestJob(
    db,
    accountId,
    sizes.map((size) => ({ size })),
  )
  const { log, lines } = openTestLog()
  const groups = openBatchGroups({ db, workerId: await startTestWorker(db, 8), log })
  const refs = await dispatchBatches(db, [])
  const claimed = await Promise.all(refs.map((ref) => groups.claim(ref)))
  const batches = claimed.flatMap((batch) => batch ?? [])
  const look = () =>
    inTenant(db, accountId, (trx) =>
      trx.selectFrom('jobs').select(['state', 'doneCount']).where('id', '=', job.id).executeTakeFirstOrThrow(),
    )
  const findFaults = () => asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))
  return { db, accountId, job, groups, batches, look, lines, findFaults }
}

test('batches of a job that end together are settled in one transaction', async () => {
  const { db, accountId, groups, batches, look, findFaults } = await claimAll([3, 2, 1])
  expect(batches.map(({ no, emails }) => [no, emails.length])).toEqual([
    [0, 3],
    [1, 2],
    [2, 1],
  ])
  const outcomes = batches.map((batch) => groups.settle(batch, { final: finalRows(batch), later: [] }))
  expect(await Promise.all(outcomes)).toEqual(['settled', 'settled', 'settled'])
  expect(await look()).toEqual({ state: 'completed', doneCount: 6 })
  const chunks = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('resultChunks').select(sql<string>`xmin::text`.as('transaction')).execute(),
  )
  expect(new Set(chunks.map(({ transaction }) => transaction)).size).toBe(1)
  expect(await findFaults()).toEqual([])
})

test('a batch that cannot be settled does not keep the others of its group from being settled', async () => {
  const { groups, batches, look, lines, findFaults } = await claimAll([3, 2, 1])
  const outcomes = batches.map((batch, n) => {
    const final = finalRows(batch)
    return groups.settle(batch, { final: n === 1 ? final.slice(1) : final, later: [] })
  })
  const [first, second, third] = await Promise.allSettled(outcomes)
  expect([first, third]).toEqual([
    { status: 'fulfilled', value: 'settled' },
    { status: 'fulfilled', value: 'settled' },
  ])
  expect(second).toMatchObject({ status: 'rejected' })
  expect(await look()).toEqual({ state: 'processing', doneCount: 4 })
  expect(lines()).toMatchObject([{ batches: 3, msg: 'failed to settle a group of batches; settling one by one' }])
  expect(await findFaults()).toEqual([])
})

test('a group is not settled one by one when the server is read-only', async () => {
  const { db, groups, batches, lines } = await claimAll([3, 2, 1])
  // New sessions of the database are read-only, and the old ones end.
  await asOwner(db, (trx) =>
    sql`
    do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$
  `.execute(trx),
  )
  const endAll = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`
  await asOwner(db, (trx) => endAll.execute(trx)).catch(() => {}) // its own session ends too
  await vi.waitFor(() => expect(asOwner(db, (trx) => sql`select 1`.execute(trx))).rejects.toSatisfy(isReadOnly))
  const outcomes = await Promise.allSettled(
    batches.map((batch) => groups.settle(batch, { final: finalRows(batch), later: [] })),
  )
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && isOutage(outcome.reason))).toEqual([
    true,
    true,
    true,
  ])
  expect(lines()).toEqual([])
})
