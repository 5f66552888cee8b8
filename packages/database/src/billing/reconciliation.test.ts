import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant, withoutTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch } from '../jobs/batches.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { finalRows, planTestJob, startTestWorker } from '../jobs/test-jobs.ts'
import { finishValidation, openValidations } from '../validations/validations.ts'
import { type Movement, postCredits } from './ledger.ts'
import { listLedgerMismatches, reconcileLedger, resumeCharging } from './reconciliation.ts'

const { db } = await createTestDatabase()
const workerId = await startTestWorker(db, 8)

type Tenant = { accountId: string; jobId: string; endedJobId: string; validationId: string }

/** A customer with every kind of reconciled object: a job in progress, a completed job, and charged and refunded validations. */
async function openBusyTenant(): Promise<Tenant> {
  const { id: accountId } = await openTestAccount(db, 1_000)
  const running = await planTestJob(db, accountId, [{ size: 3 }, { size: 2 }])
  const ended = await planTestJob(db, accountId, [{ size: 2 }])
  await settle(running, 'unknown')
  await settle(ended, 'valid')
  const validationId = await validate(accountId)
  return { accountId, jobId: running.id, endedJobId: ended.id, validationId }
}

async function settle(job: { id: string }, status: string): Promise<void> {
  const batch = await claimBatch(db, workerId, { jobId: job.id, no: 0 })
  if (batch === undefined) throw new Error('there was no batch')
  expect(await settleBatch(db, batch, { final: finalRows(batch, status), later: [] })).toBe('settled')
}

/** Opens three validations and ends one with a verdict and one without. Returns the one without. */
async function validate(accountId: string): Promise<string> {
  const rows = ['a', 'b', 'c'].map((email) => ({ id: randomUUID(), email, emailKey: email }))
  return inTenant(db, accountId, async (trx) => {
    const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
    const opened = await openValidations(trx, opening, rows)
    if (opened.kind !== 'opened') throw new Error(opened.kind)
    const [definite, unknown] = opened.refs
    if (definite === undefined || unknown === undefined) throw new Error('nothing was opened')
    await finishValidation(trx, definite, { conclusive: true, result: {} })
    await finishValidation(trx, unknown, { conclusive: false, result: {} })
    return unknown.id
  })
}

function plant(statement: RawBuilder<unknown>): Promise<unknown> {
  return asOwner(db, (trx) => statement.execute(trx))
}

function post(accountId: string, movement: Movement): Promise<unknown> {
  return inTenant(db, accountId, (trx) => postCredits(trx, movement))
}

async function isOnHold(accountId: string): Promise<boolean> {
  const { onHoldSince } = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('accounts').select('onHoldSince').executeTakeFirstOrThrow(),
  )
  return onHoldSince !== null
}

/** The kinds of mismatches that the next reconciliation finds for one account. */
async function findMismatchKinds(accountId: string): Promise<string[]> {
  const audit = await reconcileLedger(db)
  if (audit === undefined) throw new Error('another reconciliation is running')
  return audit.faults.filter((fault) => fault.accountId === accountId).map(({ kind }) => kind)
}

type Planted = [what: string, plant: (tenant: Tenant) => Promise<unknown>, kinds: string[]]

const PLANTED: Planted[] = [
  [
    'credits without a transaction',
    ({ accountId }) => plant(sql`update accounts set available = available + 1 where id = ${accountId}`),
    ['available_is_not_the_ledger'],
  ],
  [
    'credits that were spent twice',
    ({ accountId }) => plant(sql`update accounts set spent = spent + 1 where id = ${accountId}`),
    ['spent_is_not_the_ledger'],
  ],
  [
    'a reservation that was changed',
    ({ accountId }) => plant(sql`update accounts set reserved = reserved - 1 where id = ${accountId}`),
    ['reserved_is_not_the_ledger', 'reserved_is_not_the_jobs'],
  ],
  [
    'a transaction that changed no balance',
    ({ accountId }) =>
      plant(sql`insert into ledger (account_id, kind, subject, d_available, d_reserved, d_spent)
                values (${accountId}, 'charge', gen_random_uuid(), -1, 0, 1)`),
    ['available_is_not_the_ledger', 'spent_is_not_the_ledger'],
  ],
  [
    'a reservation without a job',
    ({ accountId }) => post(accountId, { kind: 'reserve', credits: 4, subject: randomUUID() }),
    ['reserved_is_not_the_jobs'],
  ],
  [
    'a settlement without a batch',
    ({ accountId, jobId }) => post(accountId, { kind: 'settle', credits: 1, subject: jobId, part: 99 }),
    ['reserved_is_not_the_jobs', 'job_settled', 'job_settled_without_chunk'],
  ],
  [
    'a refund without a validation',
    ({ accountId, jobId }) => post(accountId, { kind: 'refund', credits: 1, subject: jobId, part: 99 }),
    ['job_refunded'],
  ],
  [
    'a release while the job is in progress',
    ({ accountId, jobId }) => post(accountId, { kind: 'release', credits: 1, subject: jobId }),
    ['reserved_is_not_the_jobs', 'job_released'],
  ],
  [
    'a job that ended without releasing its credits',
    ({ jobId }) => plant(sql`update jobs set state = 'canceled', finished_at = now() where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_released'],
  ],
  [
    'a job whose row count was increased',
    ({ jobId }) => plant(sql`update jobs set unique_count = 6, email_count = 6, row_count = 6 where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_reserved', 'job_rows_lost'],
  ],
  [
    'done rows without results',
    ({ jobId }) => plant(sql`update jobs set done_count = done_count + 1 where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_settled', 'job_counts', 'job_results', 'job_rows_lost'],
  ],
  [
    'deleted results',
    ({ jobId }) => plant(sql`delete from result_chunks where job_id = ${jobId}`),
    ['job_results', 'job_settled_without_chunk'],
  ],
  [
    'a deleted result of a completed job',
    ({ endedJobId }) =>
      plant(
        sql`update result_chunks set size = size - 1, row_nos = row_nos[2:], first_row = row_nos[2] where job_id = ${endedJobId}`,
      ),
    ['job_results', 'job_settled_without_chunk'],
  ],
  [
    'a count that was changed',
    ({ jobId }) => plant(sql`update job_counts set count = count + 1 where job_id = ${jobId}`),
    ['job_counts'],
  ],
  ['a deleted batch', ({ jobId }) => plant(sql`delete from job_queue where job_id = ${jobId}`), ['job_rows_lost']],
  [
    'a settled batch that is queued again',
    ({ accountId, jobId }) =>
      plant(
        sql`insert into job_queue (job_id, no, account_id, site, site_max, size) values (${jobId}, 0, ${accountId}, '', 0, 3)`,
      ),
    ['job_rows_lost'],
  ],
  [
    'a job that is done but not completed',
    ({ endedJobId }) => plant(sql`update jobs set state = 'processing', finished_at = null where id = ${endedJobId}`),
    ['job_not_ended'],
  ],
  [
    'an inconclusive validation that was not refunded',
    ({ accountId }) =>
      plant(sql`update validations set state = 'final', conclusive = false, refunded = false, finished_at = now()
                where account_id = ${accountId} and state = 'open'`),
    ['validation_refunded'],
  ],
]

test.for(PLANTED)('reconcileLedger finds %s and puts only that account on hold', async ([, plantIn, kinds]) => {
  const [tenant, other] = [await openBusyTenant(), await openBusyTenant()]
  expect(await findMismatchKinds(tenant.accountId)).toEqual([])
  await plantIn(tenant)

  expect((await findMismatchKinds(tenant.accountId)).toSorted()).toEqual(kinds.toSorted())
  expect([await isOnHold(tenant.accountId), await isOnHold(other.accountId)]).toEqual([true, false])
  expect(await findMismatchKinds(other.accountId)).toEqual([])
})

test('a mismatch has the account, the job, the expected and the actual value', async () => {
  const { accountId, jobId } = await openBusyTenant()
  await plant(sql`delete from result_chunks where job_id = ${jobId}`)
  const faults = await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))
  expect(faults).toContainEqual({ accountId, kind: 'job_results', subject: jobId, expected: 3, found: 0 })
})

test('an overdue validation is reported and does not put the account on hold', async () => {
  const { accountId } = await openBusyTenant()
  await plant(sql`update validations set created_at = now() - interval '26 hours' where account_id = ${accountId}`)
  expect(await findMismatchKinds(accountId)).toEqual(['validation_overdue'])
  expect(await isOnHold(accountId)).toBe(false)
})

test('a refund that the plan does not include is not a mismatch', async () => {
  const { accountId } = await openBusyTenant()
  await plant(sql`update validations set state = 'final', conclusive = false, refunded = false, finished_at = now()
                  where account_id = ${accountId} and state = 'open'`)
  await plant(sql`update accounts set plan = 'scale' where id = ${accountId}`)
  expect(await findMismatchKinds(accountId)).toEqual([])
})

test('a balance error is found with stored sums of most of the ledger', async () => {
  const { id: accountId } = await openTestAccount(db, 100)
  for (let n = 0; n < 20; n++) await post(accountId, { kind: 'charge', credits: 1, subject: randomUUID() })
  expect(await findMismatchKinds(accountId)).toEqual([])
  const storedSums = () =>
    inTenant(db, accountId, async (trx) => {
      const { rows } = await sql`select s.available, s.spent, s.ledger_id = (select max(id) from ledger) as up_to_date
                                 from ledger_sums s`.execute(trx)
      return rows
    })
  expect(await storedSums()).toEqual([{ available: 80, spent: 20, upToDate: true }])

  await post(accountId, { kind: 'charge', credits: 5, subject: randomUUID() })
  expect(await findMismatchKinds(accountId)).toEqual([])
  expect(await storedSums()).toEqual([{ available: 75, spent: 25, upToDate: true }])

  await plant(sql`update accounts set available = available + 1 where id = ${accountId}`)
  expect(await findMismatchKinds(accountId)).toEqual(['available_is_not_the_ledger'])
})

test('a changed ledger row behind the stored sums is found by a full reconciliation', async () => {
  const { accountId } = await openBusyTenant()
  expect(await findMismatchKinds(accountId)).toEqual([])
  await asOwner(db, async (trx) => {
    await sql`alter table ledger disable trigger append_only`.execute(trx)
    await sql`update ledger set d_available = 999 where account_id = ${accountId} and kind = 'grant'`.execute(trx)
    await sql`alter table ledger enable trigger append_only`.execute(trx)
  })
  const faults = await asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))
  expect(faults.filter((fault) => fault.accountId === accountId)).toMatchObject([
    { kind: 'available_is_not_the_ledger', expected: 993, found: 994 },
  ])
})

test('unchanged accounts are reconciled once a day', async () => {
  const tenants = await Promise.all([1, 2, 3, 4].map(() => openEndedTenant()))
  const jobs = tenants.map(({ endedJobId }) => endedJobId)
  await plant(sql`update jobs set finished_at = now() - interval '20 days' where id = any(${jobs}::uuid[])`)
  await plant(sql`delete from result_chunks where job_id = any(${jobs}::uuid[])`)
  await plant(sql`update reconciliation_runs set reconciled_until = clock_timestamp() - interval '1 day'`)

  const found: (string | null)[] = []
  for (let round = 0; round < 50; round++) {
    const audit = await reconcileLedger(db)
    found.push(...(audit?.faults ?? []).map(({ subject }) => subject))
  }
  // An id at the very edge of the day may be found twice.
  for (const job of jobs) expect([1, 2]).toContain(found.filter((subject) => subject === job).length)
})

async function openEndedTenant(): Promise<{ accountId: string; endedJobId: string }> {
  const { id: accountId } = await openTestAccount(db, 10)
  const id = randomUUID()
  await plant(sql`
    insert into jobs (id, account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count, done_count,
      credits_per_email, refund_unknown, expires_on, state, finished_at)
    values (${id}, ${accountId}, 'test', gen_random_uuid(), 'x', 'x', 2, 2, 2, 2, 0, true, utc_today() + 1, 'completed', now())`)
  await plant(sql`insert into job_counts values (${accountId}, ${id}, 'valid', '', 2)`)
  return { accountId, endedJobId: id }
}

test('only one reconciliation runs at a time', async () => {
  await withoutTenant(db, async (trx) => {
    await sql`select * from begin_reconciliation()`.execute(trx)
    expect(await reconcileLedger(db)).toBeUndefined()
  })
  expect(await reconcileLedger(db)).toBeDefined()
})

test('resumeCharging takes an account off hold only when its ledger reconciles', async () => {
  const { accountId } = await openBusyTenant()
  const charge = () =>
    inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'charge', credits: 1, subject: randomUUID() }))
  await plant(sql`update accounts set available = available + 7 where id = ${accountId}`)
  await reconcileLedger(db)
  expect((await charge()).kind).toBe('on_hold')

  expect(await asOwner(db, (trx) => resumeCharging(trx, accountId))).toMatchObject([
    { kind: 'available_is_not_the_ledger' },
  ])
  expect((await charge()).kind).toBe('on_hold')

  await plant(sql`update accounts set available = available - 7 where id = ${accountId}`)
  expect(await asOwner(db, (trx) => resumeCharging(trx, accountId))).toEqual([])
  expect((await charge()).kind).toBe('posted')
  expect(await findMismatchKinds(accountId)).toEqual([])
})
