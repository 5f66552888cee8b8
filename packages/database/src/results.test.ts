import { unsettledResult } from '@probity/contract/standing-result'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from './connect.ts'
import {
  findResultsJob,
  listResultsAfter,
  listResultsAt,
  pageResults,
  type ResultsJob,
  stillHasResults,
} from './results.ts'
import { createTestDatabase, openTestAccount } from './test-database.ts'

const { db } = await createTestDatabase()

type Made = { accountId: string; jobId: string }

/** A job with a result at every second row from 2 on, valid and unknown by turns. */
async function keepJob(results: number): Promise<Made> {
  const { id: accountId } = await openTestAccount(db, 0)
  const answer = JSON.stringify(unsettledResult('ada@example.com', 'greylisted'))
  const jobId = await asOwner(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      with u as (
        insert into uploads (account_id, mode, filename, size_bytes, columns, delimiter, encoding, has_header, suggested_column,
          row_count, email_count, unique_count, storage_key)
        values (${accountId}, 'live', 'list.csv', 10, '{email}', ',', 'utf-8', true, 'email', ${results}, ${results},
          ${results}, ${crypto.randomUUID().replaceAll('-', '')}) returning id
      )
      insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count,
        credits_per_email, refund_unknown, expires_on)
      select ${accountId}, 'live', u.id, 'list.csv', 'email', ${results}, ${results}, ${results}, 1, true, utc_today() + 30
      from u returning id`.execute(trx)
    const id = rows[0]?.id ?? ''
    await sql`
      insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, result)
      select utc_today() + 30, ${accountId}, ${id}, n * 2, 'ada' || n || '@example.com',
        case n % 2 when 1 then 'valid' else 'unknown' end, '', ${answer}::json
      from generate_series(1, ${results}::integer) n`.execute(trx)
    await sql`
      insert into job_counts (account_id, job_id, status, sub_status, count)
      select account_id, job_id, status, sub_status, count(*) from job_results where job_id = ${id}
      group by 1, 2, 3, 4`.execute(trx)
    return id
  })
  return { accountId, jobId }
}

async function getJob({ accountId, jobId }: Made): Promise<ResultsJob> {
  const job = await inTenant(db, accountId, (trx) => findResultsJob(trx, { accountId, mode: 'live' }, jobId))
  if (job === undefined) throw new Error('the job is not there')
  return job
}

const made = await keepJob(7)
const job = await getJob(made)
const rowsOf = (results: { rowNo: number }[]) => results.map(({ rowNo }) => rowNo)

test('a job is found with its file by its own account and mode, and by nobody else', async () => {
  expect(job).toMatchObject({ id: made.jobId, isExpired: false, filename: 'list.csv', file: { columns: ['email'] } })
  const { id: stranger } = await openTestAccount(db, 0)
  const seen = await Promise.all([
    inTenant(db, made.accountId, (trx) => findResultsJob(trx, { accountId: made.accountId, mode: 'test' }, job.id)),
    inTenant(db, stranger, (trx) => findResultsJob(trx, { accountId: stranger, mode: 'live' }, job.id)),
    inTenant(db, stranger, (trx) => findResultsJob(trx, { accountId: made.accountId, mode: 'live' }, job.id)),
  ])
  expect(seen).toEqual([undefined, undefined, undefined])
})

test('results are shown to their own tenant alone, even to one who knows where they are', async () => {
  const { id: stranger } = await openTestAccount(db, 0)
  const seen = await inTenant(db, stranger, async (trx) => [
    await pageResults(trx, job, { statuses: [], skip: 0, limit: 10 }),
    await listResultsAfter(trx, job, { statuses: [], afterRow: 0, limit: 10 }),
    await listResultsAt(trx, job, { statuses: [], rowNos: [2, 4] }),
    await stillHasResults(trx, job),
  ])
  expect(seen).toEqual([{ results: [], total: 0 }, [], [], false])
})

test('a page has its rows in order and the total of what was asked for', async () => {
  await inTenant(db, made.accountId, async (trx) => {
    const all = await pageResults(trx, job, { statuses: [], skip: 5, limit: 10 })
    expect([rowsOf(all.results), all.total]).toEqual([[12, 14], 7])
    const valid = await pageResults(trx, job, { statuses: ['valid'], skip: 1, limit: 2 })
    expect([rowsOf(valid.results), valid.total]).toEqual([[6, 10], 4])
    const none = await pageResults(trx, job, { statuses: ['risky'], skip: 0, limit: 2 })
    expect(none).toEqual({ results: [], total: 0 })
  })
})

test('page after page by the last row gives each result once', async () => {
  const rows: number[] = []
  for (let afterRow = 0, turns = 0; turns < 10; turns++) {
    const page = await inTenant(db, made.accountId, (trx) =>
      listResultsAfter(trx, job, { statuses: [], afterRow, limit: 3 }),
    )
    rows.push(...rowsOf(page))
    afterRow = page.at(-1)?.rowNo ?? Number.MAX_SAFE_INTEGER
    if (page.length < 3) break
  }
  expect(rows).toEqual([2, 4, 6, 8, 10, 12, 14])
})

test('results at rows are those that are there, with their answers', async () => {
  const found = await inTenant(db, made.accountId, (trx) =>
    listResultsAt(trx, job, { statuses: [], rowNos: [4, 5, 14, 99] }),
  )
  expect(rowsOf(found).toSorted((a, b) => a - b)).toEqual([4, 14])
  expect(found.find(({ rowNo }) => rowNo === 4)).toMatchObject({
    email: 'ada2@example.com',
    status: 'unknown',
    result: { sub_status: 'greylisted', details: { domain: '' } },
  })
})

test('a job has no results any more once it is expired or deleted', async () => {
  const [expired, deleted] = [await getJob(await keepJob(1)), await getJob(await keepJob(1))]
  await asOwner(db, async (trx) => {
    await sql`update jobs set expires_on = utc_today() - 1 where id = ${expired.id}`.execute(trx)
    await sql`delete from jobs where id = ${deleted.id}`.execute(trx)
  })
  for (const gone of [expired, deleted]) {
    expect(await inTenant(db, gone.accountId, (trx) => stillHasResults(trx, gone))).toBe(false)
  }
  expect((await getJob({ accountId: expired.accountId, jobId: expired.id })).isExpired).toBe(true)
})

test('a file whose time is over is none', async () => {
  const other = await keepJob(1)
  await asOwner(db, (trx) =>
    sql`update uploads set expires_at = now() where account_id = ${other.accountId}`.execute(trx),
  )
  expect((await getJob(other)).file).toBeNull()
})
