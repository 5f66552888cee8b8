import { Job, JobCreated, JobList } from '@probity/contract/schemas/jobs/jobs'
import { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { type ApiClient, callApi, createApiClient } from '../environment/instance.ts'
import { startApiProcess } from '../environment/processes.ts'
import { claimRedis } from '../environment/redis.ts'

/** The interface specification of lists, with a worker that can connect to loopback. One test per statement. */
const database = await createTestDatabase()
const dns = await startDns({
  names: {
    'truthful.example': { mx: [[10, 'mx.truthful.example']] },
    'mx.truthful.example': { a: ['127.94.0.1'] },
    'slow-one.example': { mx: [[10, 'mx.slow-one.example']] },
    'mx.slow-one.example': { a: ['127.94.0.2'] },
    'slow-two.example': { mx: [[10, 'mx.slow-two.example']] },
    'mx.slow-two.example': { a: ['127.94.0.3'] },
  },
  faults: {},
})
whenDone(() => dns.stop())
const port = await freePort()

async function startServer(host: string, script: Script) {
  const server = await startScripted(script, { host, port })
  whenDone(() => server.stop())
}
await startServer('127.94.0.1', {
  rcpt: (_peer, to) => (to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'),
})
const SLOW_MS = 8_000
const askedAt: number[] = []
const SLOW: Script = {
  rcpt: () => {
    askedAt.push(performance.now())
    return { reply: '550 5.1.1 User unknown', afterMs: SLOW_MS }
  },
}
await startServer('127.94.0.2', SLOW)
await startServer('127.94.0.3', SLOW)

const uploads = makeFolder('probity-uploads')
whenDone(() => removeFolder(uploads))
const settings = { DATABASE_URL: database.url, STOP_NOTICE_MS: '0', UPLOADS_FOLDER: uploads }
await startWorkerHere({
  settings: { ...settings, REDIS_URL: await claimRedis() },
  dnsPort: dns.port,
  smtpPort: port,
  allows: (address) => address.startsWith('127.94.'),
})
const api = await startApiProcess(settings)
const apiClient = await createApiClient({ db: database.db, api })

async function upload(by: ApiClient, csv: string, { field = 'file', name = 'list.csv' } = {}) {
  const form = new FormData()
  form.append(field, new Blob([csv]), name)
  const headers = { 'x-api-key': by.key }
  const answer = await fetch(`${api.url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function confirm(by: ApiClient, csv: string, emailColumn = 'email') {
  const { body } = await upload(by, csv)
  return by.call('POST', '/bulk/upload/confirm', { upload_id: body['upload_id'], email_column: emailColumn })
}

async function getJob(by: ApiClient, id: unknown): Promise<Job> {
  return (await by.call('GET', `/bulk/jobs/${id}`)).body as unknown as Job
}

const SOON = { timeout: 50_000, interval: 100 }

async function completed(by: ApiClient, id: unknown): Promise<Job> {
  await vi.waitFor(async () => expect((await getJob(by, id)).status).toBe('completed'), SOON)
  return getJob(by, id)
}

async function creditsOf(by: ApiClient) {
  return (await by.call('GET', '/account')).body['credits'] as { available: number; reserved: number; used: number }
}

function list(count: number, domain = 'truthful.example'): string {
  return `email\n${Array.from({ length: count }, (_, n) => `person${n}@${domain}`).join('\n')}\n`
}

test('4.4, 2.3 uploading a CSV in the form field file returns its id, its name, its columns and the email column', async () => {
  const csv = 'Name,E-Mail\nAda,ada@truthful.example\nBob,bob@truthful.example\n'
  const { status, body } = await upload(apiClient, csv, { name: 'people.csv' })
  expect(status).toBe(200)
  expect([...Value.Errors(UploadPreview, body)]).toEqual([])
  expect(body).toMatchObject({ filename: 'people.csv', columns: ['Name', 'E-Mail'], suggested_email_column: 'E-Mail' })
})

test('4.4 the file is sent in the form field file and has an email column', async () => {
  expect((await upload(apiClient, list(1), { field: 'csv' })).body['code']).toBe('no_file')
  expect((await upload(apiClient, 'name\nAda\n')).body['code']).toBe('no_email_column')
})

test('4.5, 2.4, 3 confirming an upload with a column creates a queued job', async () => {
  const { status, body } = await confirm(apiClient, list(2))
  expect(status).toBe(201)
  expect([...Value.Errors(JobCreated, body)]).toEqual([])
  expect(body['status']).toBe('queued')
  expect((await getJob(apiClient, body['id'])).id).toBe(body['id'])
})

test('4.5 the column can be any column, not just the suggested one', async () => {
  const csv = 'email,second\nada@truthful.example,bob@truthful.example\n'
  const { body } = await confirm(apiClient, csv, 'second')
  expect(await completed(apiClient, body['id'])).toMatchObject({
    email_column: 'second',
    status_counts: { invalid: 1 },
  })
})

test('3 no job is created without a valid upload_id and email_column', async () => {
  const by = await createApiClient({ db: database.db, api })
  const { body: uploaded } = await upload(by, list(1))
  for (const wish of [
    { upload_id: '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a', email_column: 'email' },
    { upload_id: 'nonsense', email_column: 'email' },
    { upload_id: uploaded['upload_id'], email_column: 'nonsense' },
    { upload_id: uploaded['upload_id'] },
    { email_column: 'email' },
  ]) {
    const { status } = await by.call('POST', '/bulk/upload/confirm', wish)
    expect([400, 404, 422]).toContain(status)
  }
  expect((await by.call('GET', '/bulk/jobs')).body).toEqual([])
  expect(await creditsOf(by)).toMatchObject({ available: 1_000, reserved: 0 })
})

test('4.7, 2.4 a job is found by its id, and every address of the completed job has its verdict', async () => {
  const csv = 'email\nada@truthful.example\nbob@truthful.example\nada@@truthful\nada@null.truthful.example\nn/a\n'
  const { body } = await confirm(apiClient, csv)
  const job = await completed(apiClient, body['id'])
  expect([...Value.Errors(Job, job)]).toEqual([])
  expect(job).toMatchObject({
    id: body['id'],
    status: 'completed',
    filename: 'list.csv',
    unique_count: 4,
    done_count: 4,
    progress: 1,
    status_counts: { valid: 1, invalid: 3, risky: 0, unknown: 0 },
    sub_status_counts: { mailbox_not_found: 1, syntax_error: 1, domain_not_found: 1 },
  })
})

test('4.7 an unknown job id returns 404', async () => {
  expect((await apiClient.call('GET', '/bulk/jobs/0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a')).status).toBe(404)
})

test('1, 8 each unique address of a file costs one credit, and duplicates are free', async () => {
  const by = await createApiClient({ db: database.db, api }, { credits: 10 })
  const csv = 'email\nada@truthful.example\nADA@truthful.example\nbob@truthful.example\n\nada@TRUTHFUL.example\n'
  const { body } = await confirm(by, csv)
  expect(await creditsOf(by)).toMatchObject({ available: 8 })
  const job = await completed(by, body['id'])
  expect(job).toMatchObject({ email_count: 4, unique_count: 2, duplicate_count: 2, credits: { reserved: 0, used: 2 } })
  expect(await creditsOf(by)).toMatchObject({ available: 8, reserved: 0, used: 2 })
})

test('4.6, 8 jobs are listed ten per page from the first, unless skip and limit are given', async () => {
  const by = await createApiClient({ db: database.db, api })
  const ids: unknown[] = []
  for (let n = 0; n < 11; n++) ids.unshift((await confirm(by, list(1))).body['id'])
  const page = async (query: string) => {
    const { body } = await by.call('GET', `/bulk/jobs${query}`)
    expect([...Value.Errors(JobList, body)]).toEqual([])
    return (body as unknown as Job[]).map(({ id }) => id)
  }
  expect(await page('')).toEqual(ids.slice(0, 10))
  expect(await page('?skip=10')).toEqual(ids.slice(10))
  expect(await page('?skip=1&limit=2')).toEqual(ids.slice(1, 3))
})

test('4.6 a client that pages with a large limit gets every job once', async () => {
  const by = await createApiClient({ db: database.db, api })
  const { body } = await confirm(by, list(1))
  await asOwner(database.db, (trx) =>
    sql`insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count,
          credits_per_email, refund_unknown, expires_on)
        select account_id, mode, gen_random_uuid(), filename, email_column, 1, 1, 1, 0, true, expires_on
        from jobs, generate_series(1, 749) where id = ${String(body['id'])}`.execute(trx),
  )
  const limit = 500
  const ids: string[] = []
  for (let skip = 0; ; skip += limit) {
    const page = (await by.call('GET', `/bulk/jobs?skip=${skip}&limit=${limit}`)).body as unknown as Job[]
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) break
  }
  expect([ids.length, new Set(ids).size]).toEqual([750, 750])
})

test('8 a list can be split into a hundred files that are all previewed before any is confirmed', async () => {
  const by = await createApiClient({ db: database.db, api })
  const statuses: number[] = []
  for (let n = 0; n < 100; n++) statuses.push((await upload(by, `email\nperson${n}@truthful.example\n`)).status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('8 a file has at most 100,000 emails, or 10,000 if the plan has that limit', async () => {
  const small = await createApiClient({ db: database.db, api }, { plan: 'starter' })
  expect((await upload(small, list(10_000))).body['unique_count']).toBe(10_000)
  expect((await upload(small, list(10_001))).body['code']).toBe('too_many_emails')
  expect((await upload(apiClient, list(100_000))).body['unique_count']).toBe(100_000)
  expect((await upload(apiClient, list(100_001))).body['code']).toBe('too_many_emails')
})

test('8 several files of one customer are processed in parallel', { tags: ['timed'] }, async () => {
  askedAt.length = 0
  const confirmed = await Promise.all([
    confirm(apiClient, list(1, 'slow-one.example')),
    confirm(apiClient, list(1, 'slow-two.example')),
  ])
  const jobs = await Promise.all(confirmed.map(({ body }) => completed(apiClient, body['id'])))
  // The second job was probed while the first was still waiting for its reply.
  expect(askedAt).toHaveLength(2)
  expect(Math.max(...askedAt) - Math.min(...askedAt)).toBeLessThan(SLOW_MS)
  for (const job of jobs) expect(job.status_counts.invalid).toBe(1)
})

test.each([
  ['POST', '/bulk/upload/preview'],
  ['POST', '/bulk/upload/confirm'],
  ['GET', '/bulk/jobs'],
  ['GET', '/bulk/jobs/0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'],
])('4, 5.1 %s %s requires a key', async (method, path) => {
  expect((await callApi(`${api.url}/api/v1${path}`, method)).body).toMatchObject({ code: 'missing_api_key' })
})
