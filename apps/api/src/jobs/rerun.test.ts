import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { changeTestResults, orderTestResults } from '@probity/database/jobs/results/test-results'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { booksOf, getJob, startJob, uploadList } from '../testing/test-jobs.ts'
import { keepList } from '../testing/test-results.ts'

const api = await startTestApi()
const { db } = api

const LIST = `name,email
a,vera@one.example
b,una@two.example
c,
d,UNA@two.example
e,ino@one.example
f,"Ulf <ulf@two.example>"
`

function rerun(by: TestClient, jobId: string, payload: object, headers = {}) {
  return by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/rerun`, payload, headers })
}

/** The content of the file of a job. */
async function readFileOf(jobId: string): Promise<string> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ storageKey: string }>`
      select u.storage_key from uploads u join jobs j on j.upload_id = u.id where j.id = ${jobId}`.execute(trx),
  )
  const chunks: Buffer[] = []
  for await (const chunk of api.services.storage.open(rows[0]?.storageKey ?? '')) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function countUploads(accountId: string): Promise<number> {
  return asOwner(db, async (trx) => {
    const uploads = trx.selectFrom('uploads').select((of) => of.fn.countAll<number>().as('n'))
    return (await uploads.where('accountId', '=', accountId).executeTakeFirstOrThrow()).n
  })
}

test('a rerun of all rows is a new job from a copy of the file, charged like a new list', async () => {
  const by = await api.openCaller({ credits: 10 })
  const earlier = await keepList(api, { content: LIST, by })
  await by.call({ method: 'PATCH', url: `/api/v1/bulk/jobs/${earlier}`, payload: { name: 'Customers', tags: ['vip'] } })
  const { status, headers, body } = await rerun(by, earlier, { rows: 'all', reference: 'again' })

  expect([status, body]).toEqual([201, { id: expect.any(String), status: 'queued', livemode: true }])
  expect(headers['credits-remaining']).toBe('6')
  expect(await booksOf(db, by.accountId)).toEqual({ available: 6, reserved: 4, spent: 0 })
  expect(body['id']).not.toBe(earlier)
  expect(await getJob(by, String(body['id']))).toMatchObject({
    name: 'Customers',
    tags: ['vip'],
    reference: 'again',
    rerun_of: earlier,
    rerun_rows: 'all',
    email_column: 'email',
    row_count: 6,
    email_count: 5,
    unique_count: 4,
    credits: { reserved: 4 },
  })
  expect(await readFileOf(String(body['id']))).toBe(LIST)

  // Each job has its own file.
  await by.call({ method: 'DELETE', url: `/api/v1/bulk/jobs/${earlier}` })
  expect(await readFileOf(String(body['id']))).toBe(LIST)
  const upload = await uploadList(by, LIST)
  const preview = await by.call({ method: 'GET', url: `/api/v1/bulk/uploads/${upload}` })
  expect(preview.body['same_file_job']).toMatchObject({ id: body['id'] })
})

test.each([false, true])(
  'a rerun of unknown rows has only these and their repetitions (ordered: %s)',
  async (isOrdered) => {
    const by = await api.openCaller({ credits: 10 })
    const earlier = await keepList(api, { content: LIST, by, isOrdered })
    const { status, body } = await rerun(by, earlier, { rows: 'unknown' })
    expect(status).toBe(201)
    const id = String(body['id'])
    expect(await getJob(by, id)).toMatchObject({
      rerun_of: earlier,
      rerun_rows: 'unknown',
      row_count: 3,
      email_count: 3,
      unique_count: 2,
      credits: { reserved: 2 },
    })
    expect(await readFileOf(id)).toBe(
      '"name","email"\n"b","una@two.example"\n"d","UNA@two.example"\n"f","Ulf <ulf@two.example>"\n',
    )
  },
)

test('reruns with one Idempotency-Key create and charge one job', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  const headers = { 'idempotency-key': randomUUID() }
  const answers = await Promise.all(Array.from({ length: 8 }, () => rerun(by, earlier, { rows: 'all' }, headers)))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body['id']}`)).size).toBe(1)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 96, reserved: 4, spent: 0 })

  const other = await rerun(by, earlier, { rows: 'unknown' }, headers)
  expect([other.status, other.body['code']]).toEqual([422, 'idempotency_mismatch'])
  expect((await rerun(by, earlier, { rows: 'all' })).body['id']).not.toBe(answers[0]?.body['id'])
})

test('a request that is resumed after its job was created gets that job and is charged once', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  const headers = { 'idempotency-key': randomUUID() }
  const first = await rerun(by, earlier, { rows: 'all' }, headers)
  // As after a crash between the commit and the storage of the response.
  await asOwner(db, (trx) =>
    sql`update idempotency_records set status = null, headers = null, body = null, locked_until = now() - interval '1 second'
        where account_id = ${by.accountId}`.execute(trx),
  )
  const again = await rerun(by, earlier, { rows: 'all' }, headers)
  expect([again.status, again.body['id']]).toEqual([201, first.body['id']])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 96, reserved: 4, spent: 0 })
})

test('without enough credits nothing is created, and no file remains', async () => {
  const by = await api.openCaller({ credits: 3 })
  const earlier = await keepList(api, { content: LIST, by })
  const uploads = await countUploads(by.accountId)
  const headers = { 'idempotency-key': randomUUID() }
  const { status, body } = await rerun(by, earlier, { rows: 'all' }, headers)
  expect([status, body['code']]).toEqual([402, 'insufficient_credits'])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 3, reserved: 0, spent: 0 })
  expect(await countUploads(by.accountId)).toBe(uploads)
  expect((await rerun(by, earlier, { rows: 'unknown' })).status).toBe(201)
})

test('a rerun in test mode costs nothing, and live keys do not find its job', async () => {
  const by = await api.openCaller({ key: { mode: 'test' } })
  const earlier = await keepList(api, { content: LIST, by, mode: 'test' })
  const { status, body } = await rerun(by, earlier, { rows: 'unknown' })
  expect([status, body['livemode']]).toEqual([201, false])
  const live = await api.openCaller({ credits: 10 })
  expect((await rerun(live, earlier, { rows: 'all' })).status).toBe(404)
})

test('a job is not run again while it is in progress, without its file, or without unknown results', async () => {
  const by = await api.openCaller({ credits: 100 })
  const refuse = async (jobId: string, rows: string, refusal: [number, string]) => {
    const { status, body } = await rerun(by, jobId, { rows })
    expect([status, body['code']]).toEqual(refusal)
  }
  await refuse(await startJob(by, 1), 'all', [409, 'job_not_finished'])
  await refuse(await keepList(api, { content: LIST, by, isDone: () => false }), 'unknown', [409, 'job_not_finished'])
  await refuse(await keepList(api, { content: 'email\nv@one.example\n', by }), 'unknown', [422, 'no_unknown_results'])
  await refuse(randomUUID(), 'all', [404, 'not_found'])
  await refuse(await keepList(api, { content: LIST, by }), 'invalid', [400, 'invalid_request'])

  const old = await keepList(api, { content: LIST, by })
  await asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${old}`.execute(trx))
  await refuse(old, 'unknown', [410, 'results_expired'])
  await asOwner(db, (trx) =>
    sql`update uploads u set expires_at = now() from jobs j where j.id = ${old} and u.id = j.upload_id`.execute(trx),
  )
  await refuse(old, 'all', [410, 'file_removed'])
})

test('an erased address is not part of a rerun', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  await asOwner(db, (trx) => sql`update jobs set credits_per_email = 0 where id = ${earlier}`.execute(trx))
  await orderTestResults(db, earlier)
  const erased = await by.call({ method: 'POST', url: '/api/v1/erasures', payload: { email: 'una@two.example' } })
  expect(erased.status).toBeLessThan(300)
  const all = await rerun(by, earlier, { rows: 'all' })
  expect(await getJob(by, String(all.body['id']))).toMatchObject({ row_count: 6, email_count: 3, unique_count: 3 })
  const unknown = await rerun(by, earlier, { rows: 'unknown' })
  expect(await getJob(by, String(unknown.body['id']))).toMatchObject({ row_count: 1, unique_count: 1 })
})

test('the file of a job expires a week after its confirmation, as its upload does', async () => {
  const by = await api.openCaller({ credits: 100 })
  const id = await startJob(by, 1)
  const { rows } = await asOwner(db, (trx) =>
    sql<{ expiresAt: Date }>`
      select u.expires_at from uploads u join jobs j on j.upload_id = u.id where j.id = ${id}`.execute(trx),
  )
  const differenceMs = Date.parse((await getJob(by, id)).file_expires_at) - (rows[0]?.expiresAt.getTime() ?? 0)
  expect(Math.abs(differenceMs)).toBeLessThan(5_000)
})

/** Gives unknown results of addresses that begin with `ul` a reason that lasts. */
async function makeLasting(jobId: string): Promise<void> {
  await changeTestResults(db, jobId, (result) =>
    result.email.startsWith('ul') ? { ...result, sub_status: 'provider_unverifiable' } : result,
  )
  await asOwner(db, (trx) =>
    sql`
      with counts as (
        select c.account_id, c.job_id, t.status, t.sub_status, sum(t.count) as count
        from result_chunks c cross join lateral jsonb_to_recordset(c.tally) as t (status text, sub_status text, count integer)
        where c.job_id = ${jobId} group by 1, 2, 3, 4
      ), removed as (delete from job_counts k using counts c where k.job_id = c.job_id and k.status = 'unknown' and c.status = k.status)
      insert into job_counts select * from counts where status = 'unknown'
      on conflict (account_id, job_id, status, sub_status) do update set count = excluded.count`.execute(trx),
  )
}

test('a rerun of unknown rows leaves out those whose reason lasts', async () => {
  const by = await api.openCaller({ credits: 10 })
  const earlier = await keepList(api, { content: LIST, by })
  expect(await getJob(by, earlier)).toMatchObject({ rerunnable_count: 2, status_counts: { unknown: 2 } })
  await makeLasting(earlier)
  expect(await getJob(by, earlier)).toMatchObject({
    rerunnable_count: 1,
    status_counts: { unknown: 2 },
    sub_status_counts: { provider_unverifiable: 1, greylisted: 1 },
  })
  const { body } = await rerun(by, earlier, { rows: 'unknown' })
  expect(await getJob(by, String(body['id']))).toMatchObject({ unique_count: 1, credits: { reserved: 1 } })
  expect(await readFileOf(String(body['id']))).toBe('"name","email"\n"b","una@two.example"\n"d","UNA@two.example"\n')
})

test('a job whose unknown results all last is not run again, and the problem says why', async () => {
  const by = await api.openCaller({ credits: 10 })
  const earlier = await keepList(api, { content: 'email\nulla@one.example\nvera@one.example\nulf@one.example\n', by })
  await makeLasting(earlier)
  const { status, body } = await rerun(by, earlier, { rows: 'unknown' })
  expect([status, body['code'], body['detail']]).toEqual([
    422,
    'no_unknown_results',
    'Another validation cannot change the unknown addresses of the job: 2 are at providers that do not reveal mailboxes.',
  ])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 10, reserved: 0, spent: 0 })
})

test('a job shows its latest rerun of unknown rows', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  await rerun(by, earlier, { rows: 'all' })
  expect((await getJob(by, earlier)).unknown_rerun).toBeNull()
  await rerun(by, earlier, { rows: 'unknown' })
  const { body } = await rerun(by, earlier, { rows: 'unknown' })
  const { created_at } = await getJob(by, String(body['id']))
  expect((await getJob(by, earlier)).unknown_rerun).toEqual({
    id: body['id'],
    status: 'queued',
    created_at,
    finished_at: null,
    merged_at: null,
    unique_count: 2,
    done_count: 0,
    status_counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
  })
})

test('lists of jobs leave out reruns of unknown rows on request, as long as their earlier job exists', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  const all = String((await rerun(by, earlier, { rows: 'all' })).body['id'])
  const unknown = String((await rerun(by, earlier, { rows: 'unknown' })).body['id'])
  const list = async (query: string) => {
    const { body, headers } = await by.call({ method: 'GET', url: `/api/v1/bulk/jobs${query}` })
    return {
      ids: (body as unknown as { id: string }[]).map(({ id }) => id),
      total: headers['x-total-count'],
      link: headers['link'],
    }
  }
  expect(await list('')).toMatchObject({ ids: [unknown, all, earlier], total: '3' })
  expect(await list('?unknown_reruns=true')).toMatchObject({ total: '3' })
  expect(await list('?unknown_reruns=false')).toMatchObject({ ids: [all, earlier], total: '2' })
  expect((await list('?unknown_reruns=false&limit=1')).link).toContain('?unknown_reruns=false&skip=1')
  // Only if it was deleted without its reruns, as by a request at the same time.
  await asOwner(db, (trx) => sql`delete from jobs where id = ${earlier}`.execute(trx))
  expect(await list('?unknown_reruns=false')).toMatchObject({ ids: [unknown, all], total: '2' })
})

test('a job is deleted with the reruns of its unknown rows, whose credits are released', async () => {
  const by = await api.openCaller({ credits: 100 })
  const earlier = await keepList(api, { content: LIST, by })
  const all = String((await rerun(by, earlier, { rows: 'all' })).body['id'])
  const unknown = String((await rerun(by, earlier, { rows: 'unknown' })).body['id'])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 94, reserved: 6, spent: 0 })
  expect((await by.call({ method: 'DELETE', url: `/api/v1/bulk/jobs/${earlier}` })).status).toBe(204)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 96, reserved: 4, spent: 0 })
  for (const [id, status] of [
    [unknown, 404],
    [earlier, 404],
    [all, 200],
  ] as const) {
    expect((await by.call({ method: 'GET', url: `/api/v1/bulk/jobs/${id}` })).status).toBe(status)
  }
  expect(await countUploads(by.accountId)).toBe(1)
})
