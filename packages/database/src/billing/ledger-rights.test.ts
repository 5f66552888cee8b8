import { randomUUID } from 'node:crypto'
import { LEDGER_KINDS } from '@probity/contract/constants/billing'
import { whenDone } from '@probity/lab/when-done'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { actAs } from '../connection/actor.ts'
import { asOwner, connect, type Db, inTenant, type ProgramRole } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch, dispatchBatches } from '../jobs/batches.ts'
import { failJob } from '../jobs/job-control.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { confirmTestJob, finalRows, planTestJob, removeTestJobs, startTestWorker } from '../jobs/test-jobs.ts'
import { endExpired } from '../system/retention.ts'
import { finishValidation, openValidations, type ValidationRef } from '../validations/validations.ts'
import { listDrift, postCredits } from './ledger.ts'

const { db, url } = await createTestDatabase()

const PERMISSION_DENIED = { code: '42501', message: expect.stringContaining('permission denied') }

function connectAs(programRole: ProgramRole): Db {
  const connected = connect(url, { connectionsMax: 2, programRole })
  whenDone(() => connected.destroy())
  return connected
}

const worker = connectAs('probity_worker')
const maintenance = connectAs('probity_maintenance')

async function readBalances(accountId: string) {
  const balances = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('accounts').select(['available', 'reserved', 'spent']).executeTakeFirstOrThrow(),
  )
  expect(await asOwner(db, listDrift)).toEqual([])
  return balances
}

/** An open validation that was charged. */
async function openCharged(accountId: string): Promise<ValidationRef> {
  const row = { id: randomUUID(), email: 'ann@example.com', emailKey: 'ann@example.com' }
  const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
  const opened = await inTenant(db, accountId, (trx) => openValidations(trx, opening, [row]))
  if (opened.kind !== 'opened') throw new Error(opened.kind)
  return opened.refs[0] as ValidationRef
}

async function openProcessing(accountId: string, size: number) {
  await removeTestJobs(db)
  const { id } = await planTestJob(db, accountId, [{ size }])
  const workerId = await startTestWorker(db, 8)
  const [ref] = await dispatchBatches(db, [])
  const batch = ref && (await claimBatch(db, workerId, ref))
  if (batch === undefined) throw new Error('no batch was dispatched')
  return { id, batch }
}

describe.each([
  { program: 'worker', login: worker },
  { program: 'maintenance', login: maintenance },
])('the role of $program', ({ login }) => {
  const attempts: [string, RawBuilder<unknown>][] = [
    ...Object.keys(LEDGER_KINDS).map((kind): [string, RawBuilder<unknown>] => [
      `ledger_post('${kind}')`,
      sql`select ledger_post(${kind}, 1000000, gen_random_uuid(), 0, null, 'mine')`,
    ]),
    ['ledger_post_parts', sql`select ledger_post_parts('refund', gen_random_uuid(), null, array[0], array[1000000])`],
    ['ledger_refund_validations', sql`select ledger_refund_validations(array[gen_random_uuid()], null)`],
    ['end_job', sql`select end_job(gen_random_uuid(), 'canceled')`],
    ['an update of the counts of a job', sql`update jobs set done_count = 0, refunded_count = 0`],
    ['an update of the state of a job', sql`update jobs set state = 'processing', finished_at = null`],
    ['an update of the state of a validation', sql`update validations set state = 'open', finished_at = null`],
    ['an update of the balance', sql`update accounts set available = 1000000`],
    ['an insert into the ledger', sql`insert into ledger (account_id) values (gen_random_uuid())`],
    ['a charged validation', sql`insert into validations (id) values (gen_random_uuid())`],
  ]

  test.for(attempts)('is denied %s', async ([, statement]) => {
    const { id } = await openTestAccount(db, 5)
    await expect(inTenant(login, id, (trx) => statement.execute(trx))).rejects.toMatchObject(PERMISSION_DENIED)
    expect(await readBalances(id)).toEqual({ available: 5, reserved: 0, spent: 0 })
  })

  test('refunds a charged validation once, and none of another account', async () => {
    const { id } = await openTestAccount(db, 5)
    const { id: otherId } = await openTestAccount(db, 5)
    const ref = await openCharged(id)
    const result = { status: 'unknown', sub_status: 'not_probed' }
    const finish = (accountId: string) =>
      inTenant(login, accountId, (trx) => finishValidation(trx, { ...ref, accountId }, { conclusive: false, result }))
    expect(await finish(otherId)).toEqual({ kind: 'finished_before' })
    expect(await finish(id)).toEqual({ kind: 'refunded' })
    expect(await finish(id)).toEqual({ kind: 'finished_before' })
    expect(await readBalances(id)).toEqual({ available: 5, reserved: 0, spent: 0 })
    expect(await readBalances(otherId)).toEqual({ available: 5, reserved: 0, spent: 0 })
  })

  test('ends neither a job that is processed nor an expired one of another account', async () => {
    const { id } = await openTestAccount(db, 5)
    const { id: otherId } = await openTestAccount(db, 5)
    const job = await openProcessing(id, 3)
    const fail = (accountId: string) =>
      inTenant(login, accountId, (trx) => failJob(trx, { accountId, mode: 'live', id: job.id }))
    await fail(id)
    await asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${job.id}`.execute(trx))
    await fail(otherId)
    expect(await readBalances(id)).toEqual({ available: 2, reserved: 3, spent: 0 })
    expect(await readBalances(otherId)).toEqual({ available: 5, reserved: 0, spent: 0 })
    await removeTestJobs(db)
  })
})

test('the role of maintenance releases the credits of an expired job, once', async () => {
  const { id } = await openTestAccount(db, 5)
  const job = await confirmTestJob(db, id, { uniqueCount: 3 })
  await asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${job.id}`.execute(trx))
  expect(await endExpired(maintenance)).toEqual({ jobs: 1, validations: 0 })
  expect(await endExpired(maintenance)).toEqual({ jobs: 0, validations: 0 })
  expect(await readBalances(id)).toEqual({ available: 5, reserved: 0, spent: 0 })
})

test('the role of the worker settles a batch once, and none of another account', async () => {
  const { id } = await openTestAccount(db, 5)
  const { id: otherId } = await openTestAccount(db, 5)
  const { batch } = await openProcessing(id, 3)
  const settlement = { final: finalRows(batch, 'unknown'), later: [] }
  expect(await settleBatch(worker, { ...batch, accountId: otherId }, settlement)).toBe('lost')
  expect(await readBalances(otherId)).toEqual({ available: 5, reserved: 0, spent: 0 })
  expect(await settleBatch(worker, batch, settlement)).toBe('settled')
  expect(await settleBatch(worker, batch, settlement)).toBe('lost')
  expect(await readBalances(id)).toEqual({ available: 5, reserved: 0, spent: 0 })
})

test.for([
  { claim: 'more results than the job has addresses', size: 4, unknown: 0, valid: 4, message: 'jobs_check' },
  { claim: 'more refunds than results', size: 3, unknown: 4, valid: 0, message: 'count 4 results' },
  { claim: 'a negative count beside refunds', size: 3, unknown: 5, valid: -2, message: 'violates check' },
])('settle_batches rejects $claim', async ({ size, unknown, valid, message }) => {
  const { id } = await openTestAccount(db, 5)
  const { id: jobId, batch } = await openProcessing(id, 3)
  const tally = [
    { status: 'unknown', sub_status: 'not_probed', count: unknown },
    { status: 'valid', sub_status: '', count: valid },
  ].filter(({ count }) => count !== 0)
  const rowNos = Array.from({ length: size }, (_, n) => n + 1)
  const settle = inTenant(worker, id, (trx) =>
    sql`select settle_batches(${jobId}, array[${batch.no}]::integer[], array[${batch.epoch}]::integer[], array[3], array[0],
      array[${size}]::integer[], ${JSON.stringify([tally])}::jsonb, array[1], array[1], ${rowNos}::integer[], '\\x0102')`.execute(
      trx,
    ),
  )
  await expect(settle).rejects.toThrow(message)
  expect(await readBalances(id)).toEqual({ available: 2, reserved: 3, spent: 0 })
})

async function listCreditEntries(accountId: string) {
  return inTenant(db, accountId, (trx) =>
    trx
      .selectFrom('auditEntries')
      .select(['action', 'actor', 'changes'])
      .where('action', 'like', 'credits.%')
      .orderBy('at')
      .execute(),
  )
}

test('every grant and adjustment is in the audit log, whatever role and actor made it', async () => {
  const { id } = await openTestAccount(db, 0)
  const post = (credits: number) =>
    inTenant(db, id, (trx) =>
      postCredits(trx, { kind: credits > 0 ? 'grant' : 'adjust', credits, subject: randomUUID(), note: 'a note' }),
    )
  await post(7)
  await actAs({ kind: 'key', id: randomUUID(), name: 'a key', ip: '192.0.2.1', account: id }, () => post(-2))
  expect(await listCreditEntries(id)).toEqual([
    { action: 'credits.granted', actor: 'service', changes: { credits: [null, 7], note: [null, 'a note'] } },
    { action: 'credits.taken', actor: 'key', changes: { credits: [null, 2], note: [null, 'a note'] } },
  ])
})

test('the grants that unlimited accounts receive with each charge are not in the audit log', async () => {
  const { id } = await openTestAccount(db, 0, { unlimited: true })
  await openCharged(id)
  expect(await listCreditEntries(id)).toEqual([])
  await inTenant(db, id, (trx) => postCredits(trx, { kind: 'grant', credits: 3, subject: randomUUID() }))
  expect(await listCreditEntries(id)).toMatchObject([{ action: 'credits.granted' }])
})
