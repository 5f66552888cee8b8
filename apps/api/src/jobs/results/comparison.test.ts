import { randomUUID } from 'node:crypto'
import { JobComparison } from '@probity/contract/schemas/jobs/comparison'
import { asOwner } from '@probity/database/connection/connect'
import { COMPARED_RESULTS_MAX } from '@probity/database/jobs/results/compare-results'
import { changeTestResults, orderTestResults } from '@probity/database/jobs/results/test-results'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { keepList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller()

const keep = (emails: string[], isDone?: (email: string) => boolean) =>
  keepList(api, { content: `email\n${emails.join('\n')}\n`, by: caller, ...(isDone && { isDone }) })

async function compare(jobId: string, earlier: string): Promise<JobComparison> {
  const { status, body } = await caller.call({
    method: 'GET',
    url: `/api/v1/bulk/jobs/${jobId}/comparison?with=${earlier}`,
  })
  expect([status, ...Value.Errors(JobComparison, body)]).toEqual([200])
  return body as JobComparison
}

/** Gives results another status than `keepList`, which derives it from the first character, and counts them again. */
async function change(jobId: string, statuses: Record<string, 'valid' | 'unknown'>): Promise<void> {
  await changeTestResults(api.db, jobId, (result) => {
    const status = statuses[result.email.toLowerCase()]
    return status === undefined ? result : { ...result, status, sub_status: status === 'valid' ? '' : 'timeout' }
  })
  await asOwner(api.db, (trx) => sql`delete from job_counts where job_id = ${jobId}`.execute(trx))
  await asOwner(api.db, (trx) =>
    sql`
      insert into job_counts (account_id, job_id, status, sub_status, count)
      select c.account_id, c.job_id, t.status, t.sub_status, sum(t.count)
      from result_chunks c
        cross join lateral jsonb_to_recordset(c.tally) as t (status text, sub_status text, count integer)
      where c.job_id = ${jobId} group by c.account_id, c.job_id, t.status, t.sub_status`.execute(trx),
  )
}

test.each([false, true])(
  'a comparison counts results by status and changed addresses (ordered: %s)',
  async (isOrdered) => {
    const earlier = await keep([
      'vera@a.example',
      'vic@a.example',
      'una@a.example',
      'uli@a.example',
      'ida@a.example',
      'vgone@a.example',
    ])
    const later = await keep([
      'una@a.example',
      'VERA@a.example',
      'vic@a.example',
      'ida@a.example',
      'uli@a.example',
      'rnew@a.example',
      'vnew@a.example',
    ])
    await change(later, { 'una@a.example': 'valid', 'uli@a.example': 'valid', 'vic@a.example': 'unknown' })
    if (isOrdered) for (const id of [earlier, later]) await orderTestResults(api.db, id)

    expect(await compare(later, earlier)).toEqual({
      job_id: later,
      with_job_id: earlier,
      status_counts: { valid: 4, invalid: 1, risky: 1, unknown: 1 },
      with_status_counts: { valid: 3, invalid: 1, risky: 0, unknown: 2 },
      changes: {
        matched_count: 5,
        changed_count: 3,
        added_count: 2,
        removed_count: 1,
        status_counts: { valid: 3, invalid: 1, risky: 0, unknown: 1 },
        with_status_counts: { valid: 2, invalid: 1, risky: 0, unknown: 2 },
        by_status: [
          { from: 'unknown', to: 'valid', count: 2 },
          { from: 'valid', to: 'unknown', count: 1 },
        ],
      },
    })
  },
)

test('a comparison of a job with itself has no changes', async () => {
  const id = await keep(['vera@a.example', 'una@a.example'])
  expect((await compare(id, id)).changes).toMatchObject({ matched_count: 2, changed_count: 0, by_status: [] })
})

test('a job in progress is compared by its results so far', async () => {
  const earlier = await keep(['vera@a.example', 'una@a.example'])
  const later = await keep(['vera@a.example', 'una@a.example'], (email) => email.startsWith('v'))
  expect((await compare(later, earlier)).changes).toMatchObject({ matched_count: 1, removed_count: 1 })
})

test('after the results have expired only the counts are compared', async () => {
  const [earlier, later] = [await keep(['vera@a.example']), await keep(['una@a.example'])]
  await asOwner(api.db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${earlier}`.execute(trx))
  const { changes, with_status_counts } = await compare(later, earlier)
  expect([changes, with_status_counts]).toEqual([null, { valid: 1, invalid: 0, risky: 0, unknown: 0 }])
})

test('lists that are too long are compared by their counts only', async () => {
  const [earlier, later] = [await keep(['vera@a.example']), await keep(['una@a.example'])]
  // As many heads as the limit needs; their rows are not read.
  await asOwner(api.db, (trx) =>
    sql`insert into result_chunks (expires_on, account_id, job_id, generation, no, codec, size, first_row, last_row, row_nos, tally, index, results)
        select c.expires_on, c.account_id, c.job_id, c.generation, c.no + n, c.codec, 1000, 1, 1000,
          array(select generate_series(1, 1000)), c.tally, c.index, c.results
        from result_chunks c, generate_series(1, ${COMPARED_RESULTS_MAX / 1_000}::integer) n where c.job_id = ${later}`.execute(
      trx,
    ),
  )
  expect((await compare(later, earlier)).changes).toBeNull()
  expect((await compare(earlier, later)).changes).toBeNull()
})

test('a job of another account or mode is not found', async () => {
  const own = await keep(['vera@a.example'])
  const other = await api.openCaller()
  const foreign = await keepList(api, { content: 'email\nv@a.example\n', by: other })
  const tested = await keepList(api, { content: 'email\nv@a.example\n', by: caller, mode: 'test' })
  const get = async (jobId: string, earlier: string) => {
    const url = `/api/v1/bulk/jobs/${jobId}/comparison?with=${earlier}`
    return (await caller.call({ method: 'GET', url })).status
  }
  expect(await get(own, foreign)).toBe(404)
  expect(await get(foreign, own)).toBe(404)
  expect(await get(own, tested)).toBe(404)
  expect(await get(own, randomUUID())).toBe(404)
  expect(await get(own, 'other')).toBe(400)
})
