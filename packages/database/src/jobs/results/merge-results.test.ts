import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listLedgerMismatches } from '../../billing/reconciliation.ts'
import { asOwner, inTenant } from '../../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../../connection/test-database.ts'
import { removeJob } from '../job-control.ts'
import { tallyResults } from '../present-job.ts'
import { confirmTestJob, startTestWorker } from '../test-jobs.ts'
import { listChunks } from './chunk-store.ts'
import { eraseResults } from './erase-results.ts'
import { claimMerge, mergeResults } from './merge-results.ts'
import { type ChunkRow, chunkRow } from './result-chunk.ts'
import { tallyChunks } from './tally-chunks.ts'
import { listTestResults, makeTestRows, orderTestResults, storeTestResults } from './test-results.ts'

const { db } = await createTestDatabase()

type Verdict = [status: string, subStatus: string]

/** A result with a verdict, made from one of the test rows. */
function rowOf(rowNo: number, email: string, [status, subStatus]: Verdict): ChunkRow {
  const [base] = makeTestRows(1)
  const { override: _, ...sample } = JSON.parse(base?.result ?? '') as StoredResult
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const result = { ...sample, email, status, sub_status: subStatus, details: { ...sample.details, domain } }
  return chunkRow({ rowNo, email }, result)
}

const keyOf = (email: string) => email.toLowerCase()

type Wanted = { accountId: string; rows: ChunkRow[]; rerunOf?: string; isOrdered?: boolean }

/** An ended job with these results. */
async function endJob({ accountId, rows, rerunOf, isOrdered = true }: Wanted) {
  const job = await confirmTestJob(db, accountId, { uniqueCount: rows.length, mode: 'test' })
  await storeTestResults(db, job.id, rows)
  await asOwner(db, (trx) =>
    sql`update jobs set state = 'completed', done_count = ${rows.length}, finished_at = clock_timestamp(),
        rerun_of = ${rerunOf ?? null}, rerun_rows = ${rerunOf ? 'unknown' : null} where id = ${job.id}`.execute(trx),
  )
  if (isOrdered) await orderTestResults(db, job.id)
  return job
}

const TIMEOUT: Verdict = ['unknown', 'timeout']
const LASTING: Verdict = ['unknown', 'provider_unverifiable']
const VALID: Verdict = ['valid', '']
const INVALID: Verdict = ['invalid', 'mailbox_not_found']

/** 1,200 results in three chunks, of which every fourth is unknown, and a rerun of these. */
async function makeMerge() {
  const { id: accountId } = await openTestAccount(db, 0)
  const listed = Array.from({ length: 1_200 }, (_, n) =>
    rowOf(n + 2, `A${n}@d${n % 7}.example`, n % 4 ? VALID : TIMEOUT),
  )
  const unknown = listed.filter(({ status }) => status === 'unknown')
  const outcomes = [VALID, TIMEOUT, INVALID, LASTING, ['unknown', 'greylisted']] as Verdict[]
  // Other row numbers and another spelling, as in the file of a rerun.
  const again = unknown.map(({ email }, n) => rowOf(n + 2, email.toLowerCase(), outcomes[n % outcomes.length] ?? VALID))
  const list = await endJob({ accountId, rows: listed })
  const rerun = await endJob({ accountId, rows: again, rerunOf: list.id })
  return { accountId, list, rerun, listed, again }
}

function look(jobId: string) {
  return asOwner(db, async (trx) => {
    const { rows } = await sql<Record<string, unknown>>`
      select to_jsonb(j) - 'merged_at' - 'merge_attempts' - 'merger' as job,
        (select jsonb_agg(jsonb_build_array(c.no, c.size, c.first_row, c.last_row, c.generation) order by c.no)
         from result_chunks c where c.job_id = j.id) as chunks
      from jobs j where j.id = ${jobId}`.execute(trx)
    return rows[0]
  })
}

const countsOf = (jobId: string) =>
  asOwner(db, async (trx) => {
    const counts = await trx.selectFrom('jobCounts').selectAll().where('jobId', '=', jobId).execute()
    return Object.fromEntries(counts.map(({ status, subStatus, count }) => [`${status} ${subStatus}`.trim(), count]))
  })

test('a merge replaces unknown results that the rerun knows more about, and only these', async () => {
  const { accountId, list, rerun, listed, again } = await makeMerge()
  const before = await look(list.id)
  expect(await mergeResults(db, rerun, keyOf)).toBe(true)

  const found = new Map(again.map((row) => [row.email, row]))
  const expected = listed.map((row) => {
    const newer = found.get(row.email.toLowerCase())
    if (row.status !== 'unknown' || newer === undefined) return row
    const saysMore = newer.status !== 'unknown' || newer.subStatus === 'provider_unverifiable'
    return saysMore ? { ...newer, rowNo: row.rowNo, email: row.email } : row
  })
  expect(await listTestResults(db, list.id)).toEqual(expected)
  expect(await countsOf(list.id)).toEqual({
    valid: 960,
    'invalid mailbox_not_found': 60,
    'unknown timeout': 120,
    'unknown provider_unverifiable': 60,
  })
  // Sizes, rows, credits, expiry and all else stay.
  expect(await look(list.id)).toEqual(before)
  const [stored, counted] = await inTenant(db, accountId, async (trx) => [
    await tallyResults(trx, list),
    await tallyChunks(trx, await listChunks(trx, list)),
  ])
  expect(stored).toEqual(counted)
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('a rerun is merged once, and another worker does not claim it again', async () => {
  const { list, rerun } = await makeMerge()
  const workerId = await startTestWorker(db, 1)
  const claimed = await claimMerge(db, workerId)
  expect(claimed).toEqual({ id: rerun.id, accountId: rerun.accountId, expiresOn: rerun.expiresOn, attempt: 1 })
  expect(await claimMerge(db, await startTestWorker(db, 1))).toBeUndefined()
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => mergeResults(db, rerun, keyOf)))
  expect(outcomes.filter(Boolean)).toHaveLength(1)
  const merged = await listTestResults(db, list.id)
  expect(await mergeResults(db, rerun, keyOf)).toBe(false)
  expect(await listTestResults(db, list.id)).toEqual(merged)
  expect(await claimMerge(db, workerId)).toBeUndefined()
})

test('the claim of a worker that died is taken over', async () => {
  const { rerun } = await makeMerge()
  expect((await claimMerge(db, randomUUID()))?.id).toBe(rerun.id)
  expect(await claimMerge(db, await startTestWorker(db, 1))).toMatchObject({ id: rerun.id, attempt: 2 })
  await mergeResults(db, rerun, keyOf)
})

test('a rerun waits for the row order of both jobs', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const rows = [rowOf(2, 'ada@a.example', TIMEOUT)]
  const list = await endJob({ accountId, rows, isOrdered: false })
  const rerun = await endJob({
    accountId,
    rows: [rowOf(2, 'ada@a.example', VALID)],
    rerunOf: list.id,
    isOrdered: false,
  })
  const workerId = await startTestWorker(db, 1)
  for (const { id } of [list, rerun]) {
    expect(await claimMerge(db, workerId)).toBeUndefined()
    expect(await mergeResults(db, rerun, keyOf)).toBe(false)
    await orderTestResults(db, id)
  }
  expect((await claimMerge(db, workerId))?.id).toBe(rerun.id)
  expect(await mergeResults(db, rerun, keyOf)).toBe(true)
  expect(await countsOf(list.id)).toEqual({ valid: 1 })
})

test.each([
  [
    'deleted',
    (id: string, accountId: string) =>
      inTenant(db, accountId, (trx) => removeJob(trx, { accountId, mode: 'test' }, id)),
  ],
  [
    'expired',
    (id: string) =>
      asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${id}`.execute(trx)),
  ],
] as const)('a rerun of a job that was %s is not merged', async (_, end) => {
  const { accountId, list, rerun } = await makeMerge()
  await end(list.id, accountId)
  expect(await claimMerge(db, await startTestWorker(db, 1))).toBeUndefined()
  expect(await mergeResults(db, rerun, keyOf)).toBe(false)
})

test('an account cannot merge a rerun of another', async () => {
  const { list, rerun } = await makeMerge()
  const { id: other } = await openTestAccount(db, 0)
  expect(await mergeResults(db, { ...rerun, accountId: other }, keyOf)).toBe(false)
  const merge = inTenant(db, other, (trx) =>
    sql`select merge_results(${rerun.id}, '{}', '[]', '{}', '{}', '{}')`.execute(trx),
  )
  await expect(merge).rejects.toThrow('no rows')
  expect(await countsOf(list.id)).toMatchObject({ 'unknown timeout': 300 })
  await mergeResults(db, rerun, keyOf)
})

test('nothing is stored if the counts of the chunks are not those of the job', async () => {
  const { list, rerun } = await makeMerge()
  const before = await listTestResults(db, list.id)
  await asOwner(db, (trx) => sql`delete from result_chunks where job_id = ${list.id} and no = 2`.execute(trx))
  await expect(mergeResults(db, rerun, keyOf)).rejects.toThrow('count 1000 results after the merge')
  expect(await listTestResults(db, list.id)).toEqual(before.slice(0, 1_000))
  await asOwner(db, (trx) => sql`delete from jobs where id = ${list.id}`.execute(trx))
})

// ---- Erasures ----

const ERASED = 'ada.erased@only.example'
const address = {
  key: ERASED,
  probe: 'ada.erased',
  is: (text: string) => keyOf(text) === ERASED,
  isIn: (text: string) => text.toLowerCase().includes(ERASED),
  isInJson: (value: unknown) => JSON.stringify(value).toLowerCase().includes(ERASED),
}

/** A list with an address, by default the erased one, and a typo of that, whose new result suggests it. */
async function makeErasable(first = ERASED) {
  const { id: accountId } = await openTestAccount(db, 0)
  const typo = rowOf(3, 'ada.erased@onyl.example', INVALID)
  const suggestion = JSON.stringify({ ...JSON.parse(typo.result), did_you_mean: ERASED })
  const list = await endJob({
    accountId,
    rows: [rowOf(2, first, TIMEOUT), rowOf(3, typo.email, TIMEOUT), rowOf(4, 'bob@b.example', TIMEOUT)],
  })
  const rerun = await endJob({
    accountId,
    rows: [rowOf(2, first, VALID), { ...typo, result: suggestion }, rowOf(4, 'bob@b.example', VALID)],
    rerunOf: list.id,
  })
  return { accountId, list, rerun }
}

async function expectErased(list: { id: string }, rerun: { id: string }) {
  for (const { id } of [list, rerun]) {
    expect(JSON.stringify(await listTestResults(db, id))).not.toContain(ERASED)
    expect(await listTestResults(db, id)).toHaveLength(3)
  }
}

test('an erasure after a merge finds the address in both jobs', async () => {
  const { accountId, list, rerun } = await makeErasable()
  await mergeResults(db, rerun, keyOf)
  expect((await eraseResults(db, accountId, address)).jobs.toSorted()).toEqual([list.id, rerun.id].toSorted())
  await expectErased(list, rerun)
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId }))).toEqual([])
})

test('a merge after an erasure brings the address into no job', async () => {
  const { accountId, list, rerun } = await makeErasable()
  await eraseResults(db, accountId, address)
  await mergeResults(db, rerun, keyOf)
  await expectErased(list, rerun)
  expect(await countsOf(list.id)).toEqual({ 'unknown timeout': 1, 'invalid mailbox_not_found': 1, valid: 1 })
})

test('an erasure of an address of the earlier job only is not undone by a merge', async () => {
  const { accountId, list, rerun } = await makeErasable()
  // As if the rerun had not ended at the time of the erasure.
  await asOwner(db, (trx) =>
    sql`update jobs set finished_at = null, state = 'processing', done_count = 2 where id = ${rerun.id}`.execute(trx),
  )
  await eraseResults(db, accountId, address)
  await asOwner(db, (trx) =>
    sql`update jobs set finished_at = now(), state = 'completed', done_count = 3 where id = ${rerun.id}`.execute(trx),
  )
  await mergeResults(db, rerun, keyOf)
  expect((await listTestResults(db, list.id)).map(({ email }) => email)).toEqual([
    '',
    'ada.erased@onyl.example',
    'bob@b.example',
  ])
})

test('an erasure and a merge at the same time leave the address in no job', async () => {
  for (let round = 0; round < 12; round++) {
    const { accountId, list, rerun } = await makeErasable()
    const merge = () => mergeResults(db, rerun, keyOf)
    const erase = () => eraseResults(db, accountId, address)
    const after = async (ms: number, work: () => Promise<unknown>) => sleep(ms).then(work)
    await Promise.all([after(Math.max(0, round - 6), merge), after(Math.max(0, 6 - round), erase)])
    await expectErased(list, rerun)
  }
})

test('an erasure waits for a merge that has read the address, and then finds it in the earlier job too', async () => {
  // Before the merge, the earlier job does not contain the erased address.
  const { accountId, list, rerun } = await makeErasable('eve@e.example')
  const read = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const merging = inTenant(db, accountId, async (trx) => {
    await sql`select from begin_merge(${rerun.id})`.execute(trx)
    read.resolve()
    await goOn.promise
    // Stands for a merge that writes what it read before.
    const chunk = await trx
      .selectFrom('resultChunks')
      .selectAll()
      .where('jobId', '=', rerun.id)
      .executeTakeFirstOrThrow()
    await sql`select merge_results(${rerun.id}, '{0}', ${JSON.stringify([chunk.tally])}, array[${chunk.index}::bytea],
      array[${chunk.results}::bytea], '{}')`.execute(trx)
  })
  await read.promise
  const erasing = eraseResults(db, accountId, address)
  await expect.poll(() => isWaiting('begin_erasure')).toBe(true)
  goOn.resolve()
  await merging
  await erasing
  await expectErased(list, rerun)
})

async function isWaiting(name: string): Promise<boolean> {
  const { rows } = await asOwner(db, (trx) =>
    sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${name}(%`}
        and datname = current_database()`.execute(trx),
  )
  return rows.length > 0
}
