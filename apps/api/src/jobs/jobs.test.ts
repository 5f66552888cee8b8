import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Job, JobList } from '@probity/contract/schemas/jobs/jobs'
import { asOwner } from '@probity/database/connection/connect'
import { recordProcess } from '@probity/database/system/processes'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import {
  confirmList,
  copyUpload,
  csvOf,
  emailsOf,
  getJob,
  planJob,
  startJob,
  uploadList,
  workBatch,
} from '../testing/test-jobs.ts'

const api = await startTestApi()
const { db } = api
const caller = await api.openCaller({ credits: 10_000 })

async function list(by: TestClient, query = '') {
  const { status, headers, body } = await by.call({ method: 'GET', url: `/api/v1/bulk/jobs${query}` })
  expect(status).toBe(200)
  expect([...Value.Errors(JobList, body)]).toEqual([])
  const jobs = body as unknown as Job[]
  return { jobs, ids: jobs.map(({ id }) => id), total: headers['x-total-count'], link: headers['link'] }
}

test('a queued job has the counts of the preview and its reserved credits', async () => {
  const csv = csvOf([...emailsOf(4), 'person0@EXAMPLE.com', ''])
  const { body } = await confirmList(caller, await uploadList(caller, csv, 'newsletter.csv'))
  const job = await getJob(caller, String(body['id']))
  expect([...Value.Errors(Job, job)]).toEqual([])
  expect(job).toEqual({
    id: body['id'],
    status: 'queued',
    name: 'newsletter.csv',
    tags: [],
    filename: 'newsletter.csv',
    email_column: 'email',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    started_at: null,
    finished_at: null,
    expires_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    reference: null,
    callback_url: null,
    rerun_of: null,
    rerun_rows: null,
    merged_at: null,
    rerunnable_count: 0,
    unknown_rerun: null,
    file_expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    ...{ line_count: 6, blank_count: 1, row_count: 5, empty_count: 0, not_address_count: 0 },
    ...{ left_out_count: 0, extra_address_count: 0, several_addresses: 'first', malformed: 'validate' },
    email_count: 5,
    unique_count: 4,
    duplicate_count: 1,
    done_count: 0,
    progress: 0,
    rate_per_s: 0,
    eta: null,
    deferred: [],
    delay_reason: 'no_worker',
    status_counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
    sub_status_counts: {},
    credits: { reserved: 4, used: 0, refunded: 0, charged: 0 },
    livemode: true,
  })
})

test('a job in progress has its counts, its rate, its remaining rows and an estimated end', async () => {
  const jobId = await startJob(caller, 60)
  const [first, second] = await planJob(db, jobId, [20, 20, 20])
  if (!first || !second) throw new Error('no plan')
  await workBatch(db, first)
  await workBatch(db, second, { status: 'unknown', subStatus: 'blocked', later: 5 })

  const job = await getJob(caller, jobId)
  expect(job).toMatchObject({
    status: 'processing',
    done_count: 35,
    progress: 0.5833,
    status_counts: { valid: 20, invalid: 0, risky: 0, unknown: 15 },
    sub_status_counts: { blocked: 15 },
    credits: { reserved: 25, used: 35, refunded: 15, charged: 20 },
    deferred: [{ reason: 'greylisted', count: 5 }],
  })
  expect(job.rate_per_s).toBeGreaterThan(0)
  const [now, until] = [Date.now(), Date.parse(job.deferred[0]?.retry_at ?? '')]
  expect(until).toBeGreaterThan(now)
  expect(Date.parse(job.eta?.earliest_at ?? '')).toBeGreaterThanOrEqual(until)
  expect(Date.parse(job.eta?.latest_at ?? '')).toBeGreaterThan(now + 70 * 60_000)
})

test('a paused job has no estimate, and continues in its previous state when it is resumed', async () => {
  const jobId = await startJob(caller, 20)
  const [first] = await planJob(db, jobId, [10, 10])
  if (first) await workBatch(db, first)
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/pause` })
  expect(await getJob(caller, jobId)).toMatchObject({ status: 'paused', done_count: 10, eta: null })
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/resume` })
  expect((await getJob(caller, jobId)).status).toBe('processing')
})

test('progress is 1 only when all rows are finished', async () => {
  const jobId = await startJob(caller, 6_667)
  await planJob(db, jobId, [100])
  await asOwner(db, (trx) => sql`update jobs set done_count = unique_count - 1 where id = ${jobId}`.execute(trx))
  expect((await getJob(caller, jobId)).progress).toBe(0.9998)
})

test('a completed job keeps its summary after its rows have expired', async () => {
  const jobId = await startJob(caller, 20)
  const [first, second] = await planJob(db, jobId, [10, 10])
  if (first) await workBatch(db, first)
  if (second) await workBatch(db, second, { status: 'invalid', subStatus: 'mailbox_not_found' })
  const before = await getJob(caller, jobId)
  expect(before).toMatchObject({
    status: 'completed',
    progress: 1,
    rate_per_s: 0,
    eta: null,
    status_counts: { valid: 10, invalid: 10 },
    credits: { reserved: 0, used: 20, refunded: 0, charged: 20 },
  })
  expect(before.finished_at).not.toBeNull()

  await asOwner(db, async (trx) => {
    await sql`delete from result_chunks where job_id = ${jobId}`.execute(trx)
    await sql`delete from job_batches where job_id = ${jobId}`.execute(trx)
    await sql`update jobs set expires_on = utc_today() - 400 where id = ${jobId}`.execute(trx)
  })
  const { expires_on: _, file_expires_at: __, ...after } = await getJob(caller, jobId)
  expect(before).toMatchObject(after)
})

test('GET /jobs returns an array, newest first, ten per page by default', async () => {
  const by = await api.openCaller({ credits: 100 })
  expect(await list(by)).toEqual({ jobs: [], ids: [], total: '0', link: undefined })
  const ids: string[] = []
  for (const uploadId of await copyUpload(api, await uploadList(by, csvOf(emailsOf(1))), 12)) {
    ids.unshift(String((await confirmList(by, uploadId)).body['id']))
  }

  const first = await list(by)
  expect([first.ids, first.total]).toEqual([ids.slice(0, 10), '12'])
  expect(first.link).toBe('</api/v1/bulk/jobs?skip=10&limit=10>; rel="next"')
  const second = await list(by, '?skip=10')
  expect(second.ids).toEqual(ids.slice(10))
  expect(second.link).toBe('</api/v1/bulk/jobs?skip=0&limit=10>; rel="prev"')
  const middle = await list(by, '?skip=2&limit=3')
  expect(middle.ids).toEqual(ids.slice(2, 5))
  expect((await list(by, '?skip=50')).ids).toEqual([])
})

test('an item of GET /jobs equals the response of GET /jobs/{id}', async () => {
  const by = await api.openCaller({ credits: 100 })
  const jobId = await startJob(by, 3)
  expect((await list(by)).jobs).toEqual([await getJob(by, jobId)])
})

test('a limit above 1,000 counts as 1,000, and a limit that is not a number is rejected', async () => {
  const by = await api.openCaller({ credits: 1_000 })
  const jobId = await startJob(by, 1)
  await asOwner(db, (trx) =>
    sql`insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count,
          credits_per_email, refund_unknown, expires_on)
        select account_id, mode, gen_random_uuid(), filename, email_column, 1, 1, 1, 0, true, expires_on
        from jobs, generate_series(1, 1004) where id = ${jobId}`.execute(trx),
  )
  const { ids, total, link } = await list(by, '?limit=2000')
  expect([new Set(ids).size, total]).toEqual([1_000, '1005'])
  expect(link).toBe('</api/v1/bulk/jobs?skip=1000&limit=1000>; rel="next"')
  for (const query of ['?limit=0', '?limit=ten', '?skip=-1']) {
    const { status, body } = await by.call({ method: 'GET', url: `/api/v1/bulk/jobs${query}` })
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  }
})

test('the counts add up to the finished rows in every response while batches are being settled', async () => {
  const jobId = await startJob(caller, 200)
  const refs = await planJob(
    db,
    jobId,
    Array.from({ length: 20 }, () => 10),
  )
  let isOver = false
  const working = (async () => {
    for (const ref of refs) await workBatch(db, ref)
    isOver = true
  })()
  while (!isOver) {
    const { status_counts: counts, done_count, credits } = await getJob(caller, jobId)
    expect(counts.valid + counts.invalid + counts.risky + counts.unknown).toBe(done_count)
    expect(credits.used + credits.reserved).toBe(200)
  }
  await working
  expect((await getJob(caller, jobId)).status).toBe('completed')
})

test('a missing job is 404, and a malformed id is rejected', async () => {
  const get = async (id: string) => (await caller.call({ method: 'GET', url: `/api/v1/bulk/jobs/${id}` })).body['code']
  expect(await get(randomUUID())).toBe('not_found')
  expect(await get('nonsense')).toBe('invalid_request')
})

test('no address and no file name is in the log', async () => {
  const log = readFileSync(api.logFile, 'utf8')
  expect(log).toContain('/api/v1/bulk/jobs')
  for (const word of ['example.com', 'newsletter']) expect(log).not.toContain(word)
})

test('jobs are filtered by state and by part of their file name, in the page, the total and the links', async () => {
  const by = await api.openCaller({ credits: 100 })
  const begin = async (filename: string) => {
    const { body } = await confirmList(by, await uploadList(by, csvOf(emailsOf(1)), filename))
    return String(body['id'])
  }
  const [spring, summer, autumn] = [
    await begin('Spring 100%.csv'),
    await begin('summer.csv'),
    await begin('autumn.csv'),
  ]
  const control = (id: string, wish: string) => by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${id}/${wish}` })
  await control(summer, 'pause')
  await control(autumn, 'cancel')

  const found = async (query: string) => (await list(by, query)).ids
  expect(await found('?status=queued')).toEqual([spring])
  expect(await found('?status=paused')).toEqual([summer])
  expect(await found('?status=canceled,paused')).toEqual([autumn, summer])
  expect(await found('?status=completed')).toEqual([])
  expect(await found('?search=MM')).toEqual([summer])
  expect(await found('?search=%25')).toEqual([spring])
  expect(await found('?search=a_t')).toEqual([])
  expect(await found('?search=%00')).toEqual([])
  expect(await found('?search=m&status=canceled')).toEqual([autumn])
  const { total, link, ids } = await list(by, '?search=.csv&status=queued,paused&limit=1')
  expect([total, ids]).toEqual(['2', [summer]])
  expect(link).toBe('</api/v1/bulk/jobs?status=queued%2Cpaused&search=.csv&skip=1&limit=1>; rel="next"')
  for (const query of ['?status=done', '?status=', '?search=']) {
    expect((await by.call({ method: 'GET', url: `/api/v1/bulk/jobs${query}` })).status).toBe(400)
  }
})

test('a job is renamed and tagged, and lists find it by both', async () => {
  const by = await api.openCaller({ credits: 10 })
  const begin = async (filename: string) => {
    const { body } = await confirmList(by, await uploadList(by, csvOf(emailsOf(1)), filename))
    return String(body['id'])
  }
  const change = (id: string, payload: object) => by.call({ method: 'PATCH', url: `/api/v1/bulk/jobs/${id}`, payload })
  const [first, second] = [await begin('export (3).csv'), await begin('other.csv')]

  const renamed = await change(first, { name: ' Customers 100% ' })
  expect([...Value.Errors(Job, renamed.body)]).toEqual([])
  expect(renamed.body).toMatchObject({ name: 'Customers 100%', filename: 'export (3).csv', tags: [] })
  const tagged = await change(first, { tags: ['vip', '2026', 'sp\u00e4t'] })
  expect(tagged.body).toMatchObject({ name: 'Customers 100%', tags: ['vip', '2026', 'sp\u00e4t'] })
  await change(second, { tags: ['2026'] })

  const found = async (query: string) => (await list(by, query)).ids
  expect(await found('?search=mers+100%25')).toEqual([first])
  expect(await found('?search=export')).toEqual([first])
  expect(await found('?tag=2026')).toEqual([second, first])
  expect(await found('?tag=vip')).toEqual([first])
  expect(await found('?tag=vi')).toEqual([])
  expect((await list(by, '?tag=2026&limit=1')).link).toBe('</api/v1/bulk/jobs?tag=2026&skip=1&limit=1>; rel="next"')
  await change(first, { tags: [] })
  expect(await found('?tag=2026')).toEqual([second])
})

test('names and tags have limits', async () => {
  const jobId = await startJob(caller, 1)
  const refuse = async (payload: object) => {
    const { status, body } = await caller.call({ method: 'PATCH', url: `/api/v1/bulk/jobs/${jobId}`, payload })
    expect([payload, status, body['code']]).toEqual([payload, 400, 'invalid_request'])
  }
  for (const name of ['', ' ', 'x'.repeat(201), null]) await refuse({ name })
  for (const tag of ['', ' a', 'a ', 'a,b', 'x'.repeat(41)]) await refuse({ tags: [tag] })
  await refuse({ tags: ['a', 'a'] })
  await refuse({ tags: Array.from({ length: 11 }, (_, n) => `tag ${n}`) })
  await refuse({})
  await refuse({ status: 'completed' })

  const tags = Array.from({ length: 10 }, (_, n) => `${n}${'\u{1F4E7}'.repeat(39)}`)
  const { status, body } = await caller.call({
    method: 'PATCH',
    url: `/api/v1/bulk/jobs/${jobId}`,
    payload: { name: '\u{1F4E7}'.repeat(200), tags },
  })
  expect([status, body['tags']]).toEqual([200, tags])
})

test('a test key cannot change a live job', async () => {
  const jobId = await startJob(caller, 1)
  const tester = await api.openCaller({ key: { mode: 'test' } })
  const { status } = await tester.call({
    method: 'PATCH',
    url: `/api/v1/bulk/jobs/${jobId}`,
    payload: { name: 'taken over' },
  })
  expect(status).toBe(404)
  expect((await getJob(caller, jobId)).name).toBe('list.csv')
})

test('jobs and the account say that no worker is running until one that validates has a heartbeat', async () => {
  const delays = async (jobId: string) => {
    const { body } = await caller.call({ method: 'GET', url: '/api/v1/account' })
    const { status, delay_reason: reason } = await getJob(caller, jobId)
    return [status, reason, body['delay_reason']]
  }
  const jobId = await startJob(caller, 2)
  expect(await delays(jobId)).toEqual(['queued', 'no_worker', 'no_worker'])
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/pause` })
  expect(await delays(jobId)).toEqual(['paused', null, 'no_worker'])
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/resume` })

  const worker = { id: randomUUID(), kind: 'worker', version: '0.1.0', facts: {} } as const
  await recordProcess(db, { ...worker, facts: { tasks: ['webhooks'] } })
  expect(await delays(jobId)).toEqual(['queued', 'no_worker', 'no_worker'])
  await recordProcess(db, worker)
  expect(await delays(jobId)).toEqual(['queued', null, null])
  await asOwner(db, (trx) =>
    sql`update processes set seen_at = now() - interval '36 seconds' where id = ${worker.id}`.execute(trx),
  )
  expect(await delays(jobId)).toEqual(['queued', 'no_worker', 'no_worker'])
  await planJob(db, jobId, [2])
  expect(await delays(jobId)).toEqual(['processing', 'no_worker', 'no_worker'])
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/cancel` })
  expect(await delays(jobId)).toEqual(['canceled', null, 'no_worker'])
})
