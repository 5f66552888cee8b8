import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listLedgerMismatches } from '../billing/reconciliation.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch } from '../jobs/batches.ts'
import { cancelJob } from '../jobs/job-control.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { confirmTestJob, finalRows, planTestJob, startTestWorker } from '../jobs/test-jobs.ts'
import { deferResult, openValidations } from '../validations/validations.ts'
import { endExpired, keepPartitions } from './retention.ts'
import { letExpire } from './test-expiry.ts'

const { db } = await createTestDatabase()
const workerId = await startTestWorker(db, 8)

async function look(accountId: string) {
  return inTenant(db, accountId, async (trx) => {
    const account = await trx
      .selectFrom('accounts')
      .select(['available', 'reserved', 'spent'])
      .executeTakeFirstOrThrow()
    const jobs = await trx.selectFrom('jobs').select(['state', 'doneCount']).orderBy('createdAt').execute()
    return { ...account, jobs: jobs.map(({ state, doneCount }) => `${state} ${doneCount}`) }
  })
}

async function open(accountId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => ({ id: randomUUID(), email: 'x', emailKey: 'x' }))
  await inTenant(db, accountId, async (trx) => {
    const opening = { accountId, keyId: null, retentionDays: 1, group: randomUUID() }
    const opened = await openValidations(trx, opening, rows)
    if (opened.kind === 'opened') for (const ref of opened.refs.slice(1)) await deferResult(trx, ref)
  })
}

test('an expired unfinished job fails, and its unused credits are released once', async () => {
  const { id: accountId } = await openTestAccount(db, 100)
  const job = await planTestJob(db, accountId, [{ size: 3 }, { size: 4 }])
  const batch = await claimBatch(db, workerId, { ...job, jobId: job.id, no: 0 })
  if (batch) await settleBatch(db, batch, { final: finalRows(batch), later: [] })
  const late = await claimBatch(db, workerId, { ...job, jobId: job.id, no: 1 })
  await confirmTestJob(db, accountId, { uniqueCount: 5 })
  await letExpire(db, accountId)

  const ended = await Promise.all([endExpired(db), endExpired(db), endExpired(db)])
  expect(ended.some(({ jobs }) => jobs === 2)).toBe(true)
  expect(await endExpired(db)).toEqual({ jobs: 0, validations: 0 })
  expect(await look(accountId)).toEqual({ available: 97, reserved: 0, spent: 3, jobs: ['failed 3', 'failed 0'] })

  if (late === undefined) throw new Error('the second batch was not to be had')
  const settled = settleBatch(db, late, { final: finalRows(late), later: [] })
  expect(await settled).toBe('lost')
  await keepPartitions(db)
  expect(await look(accountId)).toEqual({ available: 97, reserved: 0, spent: 3, jobs: ['failed 3', 'failed 0'] })
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('ended jobs and jobs that have not expired are not changed', async () => {
  const { id: accountId } = await openTestAccount(db, 100)
  const job = await planTestJob(db, accountId, [{ size: 3 }])
  await asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() + 1 where id = ${job.id}`.execute(trx))
  expect(await endExpired(db)).toEqual({ jobs: 0, validations: 0 })
  expect(await look(accountId)).toMatchObject({ reserved: 3, jobs: ['processing 0'] })

  await inTenant(db, accountId, (trx) => cancelJob(trx, { accountId, mode: 'live' }, job.id))
  await letExpire(db, accountId)
  expect(await endExpired(db)).toEqual({ jobs: 0, validations: 0 })
  expect(await look(accountId)).toMatchObject({ available: 100, reserved: 0, jobs: ['canceled 0'] })
})

test('a job in test mode fails without moving a credit', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  await confirmTestJob(db, accountId, { uniqueCount: 5, mode: 'test' })
  await letExpire(db, accountId)
  expect(await endExpired(db)).toMatchObject({ jobs: 1 })
  expect(await look(accountId)).toEqual({ available: 0, reserved: 0, spent: 0, jobs: ['failed 0'] })
})

test('open validations are refunded before they expire', async () => {
  const { id: accountId } = await openTestAccount(db, 1_000)
  await open(accountId, 3)
  await open(accountId, 250) // more than one round ends
  await letExpire(db, accountId)
  expect(await endExpired(db)).toEqual({ jobs: 0, validations: 253 })
  await keepPartitions(db)
  expect(await look(accountId)).toMatchObject({ available: 1_000, spent: 0 })
  const waiting = await inTenant(db, accountId, (trx) => trx.selectFrom('uncollectedResults').selectAll().execute())
  expect(waiting).toEqual([])
})

test('the batches of a canceled job are deleted with their addresses, even if the process that canceled it died', async () => {
  const { id: accountId } = await openTestAccount(db, 100)
  const canceled = await planTestJob(db, accountId, [{ size: 3 }, { size: 2 }])
  const running = await planTestJob(db, accountId, [{ size: 4 }])
  await inTenant(db, accountId, (trx) => cancelJob(trx, { accountId, mode: 'live' }, canceled.id))
  const listLeft = () =>
    inTenant(db, accountId, async (trx) => {
      const queue = await trx.selectFrom('jobQueue').select('jobId').execute()
      const batches = await trx.selectFrom('jobBatches').select('jobId').execute()
      return [queue, batches].map((rows) => rows.map(({ jobId }) => jobId))
    })
  await endExpired(db)
  expect((await listLeft()).map((jobs) => jobs.length)).toEqual([3, 3]) // a worker may be settling one of them
  await asOwner(db, (trx) =>
    sql`update jobs set finished_at = now() - interval '2 minutes' where id = ${canceled.id}`.execute(trx),
  )
  await endExpired(db)
  expect(await listLeft()).toEqual([[running.id], [running.id]])
})

test('an error of one account does not prevent refunds of the others', async () => {
  const [broken, sound] = [await openTestAccount(db, 10), await openTestAccount(db, 10)]
  for (const { id } of [broken, sound]) {
    await confirmTestJob(db, id, { uniqueCount: 5 })
    await letExpire(db, id)
  }
  await asOwner(db, (trx) => sql`update accounts set reserved = 0 where id = ${broken.id}`.execute(trx))
  await expect(endExpired(db)).rejects.toThrow('accounts_reserved_check')
  expect(await look(sound.id)).toMatchObject({ available: 10, reserved: 0, jobs: ['failed 0'] })
  expect(await look(broken.id)).toMatchObject({ available: 5, jobs: ['queued 0'] })
})
