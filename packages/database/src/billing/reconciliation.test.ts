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

/** A customer who has everything that is audited: a job half done, one that is complete, validations paid and refunded. */
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

/** Opens three, and ends one of them with a verdict and one without. Says which had none. */
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

async function isStopped(accountId: string): Promise<boolean> {
  const { onHoldSince } = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('accounts').select('onHoldSince').executeTakeFirstOrThrow(),
  )
  return onHoldSince !== null
}

/** The kinds of faults that the next audit finds of one account. */
async function auditKinds(accountId: string): Promise<string[]> {
  const audit = await reconcileLedger(db)
  if (audit === undefined) throw new Error('another was at it')
  return audit.faults.filter((fault) => fault.accountId === accountId).map(({ kind }) => kind)
}

type Planted = [what: string, plant: (tenant: Tenant) => Promise<unknown>, kinds: string[]]

const PLANTED: Planted[] = [
  [
    'credits that came from nowhere',
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
    'a movement that moved no balance',
    ({ accountId }) =>
      plant(sql`insert into ledger (account_id, kind, subject, d_available, d_reserved, d_spent)
                values (${accountId}, 'charge', gen_random_uuid(), -1, 0, 1)`),
    ['available_is_not_the_ledger', 'spent_is_not_the_ledger'],
  ],
  [
    'a reservation for no job',
    ({ accountId }) => post(accountId, { kind: 'reserve', credits: 4, subject: randomUUID() }),
    ['reserved_is_not_the_jobs'],
  ],
  [
    'a settlement for no batch',
    ({ accountId, jobId }) => post(accountId, { kind: 'settle', credits: 1, subject: jobId, part: 99 }),
    ['reserved_is_not_the_jobs', 'job_settled', 'job_settled_without_chunk'],
  ],
  [
    'a refund for nothing',
    ({ accountId, jobId }) => post(accountId, { kind: 'refund', credits: 1, subject: jobId, part: 99 }),
    ['job_refunded'],
  ],
  [
    'a release while the job goes on',
    ({ accountId, jobId }) => post(accountId, { kind: 'release', credits: 1, subject: jobId }),
    ['reserved_is_not_the_jobs', 'job_released'],
  ],
  [
    'a job that ended and gave nothing back',
    ({ jobId }) => plant(sql`update jobs set state = 'canceled', finished_at = now() where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_released'],
  ],
  [
    'a job that grew',
    ({ jobId }) => plant(sql`update jobs set unique_count = 6, email_count = 6, row_count = 6 where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_reserved', 'job_rows_lost'],
  ],
  [
    'rows that nobody did',
    ({ jobId }) => plant(sql`update jobs set done_count = done_count + 1 where id = ${jobId}`),
    ['reserved_is_not_the_jobs', 'job_settled', 'job_counts', 'job_results', 'job_rows_lost'],
  ],
  [
    'results that are gone',
    ({ jobId }) => plant(sql`delete from result_chunks where job_id = ${jobId}`),
    ['job_results', 'job_settled_without_chunk'],
  ],
  [
    'a result of a complete job that is gone',
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
  ['a batch that is gone', ({ jobId }) => plant(sql`delete from job_queue where job_id = ${jobId}`), ['job_rows_lost']],
  [
    'a batch that was paid for and opened again',
    ({ accountId, jobId }) =>
      plant(
        sql`insert into job_queue (job_id, no, account_id, site, site_max, size) values (${jobId}, 0, ${accountId}, '', 0, 3)`,
      ),
    ['job_rows_lost'],
  ],
  [
    'a job that is done and does not end',
    ({ endedJobId }) => plant(sql`update jobs set state = 'processing', finished_at = null where id = ${endedJobId}`),
    ['job_not_ended'],
  ],
  [
    'a validation that decided nothing and was not refunded',
    ({ accountId }) =>
      plant(sql`update validations set state = 'final', conclusive = false, refunded = false, finished_at = now()
                where account_id = ${accountId} and state = 'open'`),
    ['validation_refunded'],
  ],
]

test.for(PLANTED)('finds %s, and stops charging that account and no other', async ([, plantIn, kinds]) => {
  const [tenant, neighbour] = [await openBusyTenant(), await openBusyTenant()]
  expect(await auditKinds(tenant.accountId)).toEqual([])
  await plantIn(tenant)

  expect((await auditKinds(tenant.accountId)).toSorted()).toEqual(kinds.toSorted())
  expect([await isStopped(tenant.accountId), await isStopped(neighbour.accountId)]).toEqual([true, false])
  expect(await auditKinds(neighbour.accountId)).toEqual([])
})

test('says what was expected and what was found, of whom and of which job', async () => {
  const { accountId, jobId } = await openBusyTenant()
  await plant(sql`delete from result_chunks where job_id = ${jobId}`)
  const faults = await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))
  expect(faults).toContainEqual({ accountId, kind: 'job_results', subject: jobId, expected: 3, found: 0 })
})

test('a validation that is open for too long is told of, and the account goes on', async () => {
  const { accountId } = await openBusyTenant()
  await plant(sql`update validations set created_at = now() - interval '26 hours' where account_id = ${accountId}`)
  expect(await auditKinds(accountId)).toEqual(['validation_overdue'])
  expect(await isStopped(accountId)).toBe(false)
})

test('what a plan did not promise when it was asked is not held against the account', async () => {
  const { accountId } = await openBusyTenant()
  await plant(sql`update validations set state = 'final', conclusive = false, refunded = false, finished_at = now()
                  where account_id = ${accountId} and state = 'open'`)
  await plant(sql`update accounts set plan = 'scale' where id = ${accountId}`)
  expect(await auditKinds(accountId)).toEqual([])
})

test('a drift is found where most of the ledger was added up before', async () => {
  const { id: accountId } = await openTestAccount(db, 100)
  for (let n = 0; n < 20; n++) await post(accountId, { kind: 'charge', credits: 1, subject: randomUUID() })
  expect(await auditKinds(accountId)).toEqual([])
  const remembered = () =>
    inTenant(db, accountId, async (trx) => {
      const { rows } = await sql`select s.available, s.spent, s.ledger_id = (select max(id) from ledger) as up_to_date
                                 from ledger_sums s`.execute(trx)
      return rows
    })
  expect(await remembered()).toEqual([{ available: 80, spent: 20, upToDate: true }])

  await post(accountId, { kind: 'charge', credits: 5, subject: randomUUID() })
  expect(await auditKinds(accountId)).toEqual([])
  expect(await remembered()).toEqual([{ available: 75, spent: 25, upToDate: true }])

  await plant(sql`update accounts set available = available + 1 where id = ${accountId}`)
  expect(await auditKinds(accountId)).toEqual(['available_is_not_the_ledger'])
})

test('a row of the ledger that was changed behind the remembered sums is found by whoever adds up the whole', async () => {
  const { accountId } = await openBusyTenant()
  expect(await auditKinds(accountId)).toEqual([])
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

test('what nobody has touched for long has its turn once a day', async () => {
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
  // An id at the very edge of the day may be met at both ends.
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

test('while one audits no other does', async () => {
  await withoutTenant(db, async (trx) => {
    await sql`select * from begin_reconciliation()`.execute(trx)
    expect(await reconcileLedger(db)).toBeUndefined()
  })
  expect(await reconcileLedger(db)).toBeDefined()
})

test('an account is charged again once its books add up, and not before', async () => {
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
  expect(await auditKinds(accountId)).toEqual([])
})
