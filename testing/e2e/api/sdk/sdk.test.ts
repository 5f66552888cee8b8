import {
  type BulkJob,
  type JobEvent,
  type JobResult,
  PaymentRequiredError,
  Probity,
  ProbityApiError,
} from '@probity/sdk'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../../environment/instance.ts'
import { startApiProcess } from '../../environment/processes.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'

/** The SDK against the running service. */
const instance = await useSharedInstance()
const { api } = instance

async function openClient(options: Parameters<typeof createApiClient>[1] = {}) {
  const apiClient = await createApiClient(instance, options)
  return new Probity({ apiKey: apiClient.key, baseUrl: api.url })
}

const probity = await openClient()

function createCsv(count: number): Blob {
  const rows = Array.from({ length: count }, (_, n) => `Person ${n},person${n}@no-such-domain.example\n`)
  return new Blob(['name,email\n', ...rows])
}

async function startJob(client: Pick<Probity, 'jobs' | 'uploads'>, count = 2): Promise<string> {
  const { upload_id: uploadId, suggested_email_column: emailColumn } = await client.uploads.create(createCsv(count))
  const { id } = await client.jobs.create(uploadId, { emailColumn })
  return id
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const one of all) collected.push(one)
  return collected
}

async function errorOf(call: Promise<unknown>): Promise<ProbityApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProbityApiError)) throw new Error('expected an API error', { cause: error })
  return error
}

test('validate returns the result, and withResponse the cost and the balance', async () => {
  const result = await probity.validate('ada@example,com')
  expect(result).toMatchObject({ email: 'ada@example,com', status: 'invalid', sub_status: 'syntax_error' })

  const { data, response } = await probity.validate('bob@example,com', { waitSeconds: 5 }).withResponse()
  expect(data.status).toBe('invalid')
  expect(response).toMatchObject({ status: 200, creditsCharged: 1, replayed: false })
  expect(response.requestId).toMatch(/^req_/)
  expect(response.rateLimit?.remaining).toBeLessThan(response.rateLimit?.quota ?? 0)
  expect((await probity.account.get()).credits.available).toBe(response.creditsRemaining)
})

test('validate with a used idempotency key replays the response without a charge', async () => {
  const options = { idempotencyKey: 'order-4711' }
  const first = await probity.validate('carl@example,com', options).withResponse()
  const second = await probity.validate('carl@example,com', options).withResponse()
  expect(second.data.id).toBe(first.data.id)
  expect(second.response).toMatchObject({ replayed: true, creditsRemaining: first.response.creditsRemaining })
})

test('validateBulk validates duplicates once', async () => {
  const summary = await probity.validateBulk(['ada@example,com', 'ADA@example,com', 'no address'])
  expect(summary).toMatchObject({ total: 3, invalid_count: 2, duplicate_count: 1, credits_used: 2 })
  expect(summary.results.map(({ sub_status }) => sub_status)).toEqual(['syntax_error', 'syntax_error'])
})

test('validateAll returns one item per address in the order of the input', async () => {
  const emails = Array.from({ length: 25 }, (_, n) => (n % 5 === 4 ? 'Same@example,com' : `person${n}@example,com`))
  const items = await collect(probity.validateAll(emails, { chunkSize: 10, concurrency: 2 }))
  expect(items.map(({ index, email }) => [index, email])).toEqual(emails.map((email, index) => [index, email]))
  expect(items.every(({ sub_status }) => sub_status === 'syntax_error')).toBe(true)
})

test('account.get returns the account of the key', async () => {
  expect(await probity.account.get()).toMatchObject({
    livemode: true,
    plan: { name: 'scale' },
    key: { name: 'journey' },
  })
})

test('error responses reject with the class of their status, code and request id', async () => {
  const poor = await openClient({ credits: 0 })
  const error = await errorOf(poor.validate('ada@example.com'))
  expect(error).toBeInstanceOf(PaymentRequiredError)
  expect(error).toMatchObject({ code: 'insufficient_credits', status: 402, retryable: false })
  expect(error.requestId).toBe(error.problem?.request_id)
  expect(error.headers.get('request-id')).toBe(error.requestId)
  expect(error.message).toMatch(/^Insufficient credits: .+ \(402, insufficient_credits, req_[0-9a-f-]+\)$/)

  const malformed = await errorOf(probity.validateBulk(['ada@example.com'], { policy: 'unknown' }))
  expect(malformed.problem?.errors?.[0]?.pointer).toBe('/policy')
  expect((await errorOf(new Probity({ apiKey: 'nonsense', baseUrl: api.url }).account.get())).code).toBe(
    'invalid_api_key',
  )
  expect((await errorOf(probity.jobs.get(crypto.randomUUID()))).code).toBe('not_found')
})

test('an uploaded file becomes a job whose results are listed and downloaded', async () => {
  const preview = await probity.uploads.create(createCsv(3), { filename: 'people.csv' })
  expect(preview).toMatchObject({ filename: 'people.csv', suggested_email_column: 'email', unique_count: 3 })
  const created = await probity.jobs.create(preview.id, { emailColumn: 'email', ai: false, catchall: false })
  expect(created.status).toBe('queued')

  const seen: BulkJob[] = []
  const job = await probity.jobs.wait(created.id, { onProgress: (one) => seen.push(one) })
  expect(job).toMatchObject({ id: created.id, status: 'completed', progress: 1, status_counts: { invalid: 3 } })
  expect(seen.at(-1)).toEqual(job)
  expect(await probity.jobs.get(created.id)).toMatchObject({ status: 'completed' })

  const results: JobResult[] = await collect(probity.jobs.results.list(created.id))
  expect(results.map(({ row, sub_status }) => [row, sub_status])).toEqual(
    [2, 3, 4].map((row) => [row, 'domain_not_found']),
  )
  expect(results[0]).not.toHaveProperty('evidence')
  expect(await collect(probity.jobs.results.list(created.id, { status: ['valid', 'risky'] }))).toEqual([])
  const page = await probity.jobs.results.list(created.id, { skip: 1, limit: 1, evidence: true })
  expect(page.data.map(({ row }) => row)).toEqual([3])
  expect(page.data[0]?.evidence?.[0]?.check).toBe('syntax')
  expect(page).toMatchObject({ total: 3, hasMore: true })
  expect((await page.nextPage())?.data.map(({ row }) => row)).toEqual([4])

  const { data, response } = await probity.jobs.results.download(created.id, { format: 'csv' }).withResponse()
  expect(response.headers.get('content-disposition')).toContain('people')
  const sheet = await new Response(data).text()
  expect(sheet.split('\r\n')[1]).toMatch(/^"Person 0","person0@no-such-domain.example","invalid","domain_not_found"/)
  const lines = await new Response(await probity.jobs.results.download(created.id, { format: 'ndjson' })).text()
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(results)
})

test('the sheet of a workbook is chosen, its values are corrected, and the results are a workbook', async () => {
  const sheets = [
    { name: 'A', rows: [['email'], ['first@no-such-domain.example']] },
    { name: 'B', rows: [['email'], ['second@no-such-domain.example'], ['n/a']] },
  ]
  const file = new Blob([await writeTestWorkbook({ sheets })])
  const first = await probity.uploads.create(file, { filename: 'people.xlsx' })
  expect(first).toMatchObject({ sheets: ['A', 'B'], sheet: 'A', email_count: 1 })
  const second = await probity.uploads.chooseSheet(first.id, 'B')
  expect(second).toMatchObject({ sheet: 'B', email_count: 1, not_address_count: 1 })
  const values = await collect(probity.uploads.nonAddresses(second.id))
  expect(values).toEqual([{ row: 3, value: 'n/a', reason: 'no_address' }])
  const csv = await new Response(await probity.uploads.downloadNonAddresses(second.id)).text()
  expect(csv).toContain('"3","n/a","no_address"')
  const third = await probity.uploads.correct(second.id, [{ row: 3, value: 'third@no-such-domain.example' }])
  expect(third).toMatchObject({ email_count: 2, not_address_count: 0 })
  const { id } = await probity.jobs.create(third.id, { emailColumn: 'email' })
  await probity.jobs.wait(id)
  const options = { format: 'xlsx', unique: true, ownColumns: true } as const
  const { data, response } = await probity.jobs.results.download(id, options).withResponse()
  expect(response.headers.get('content-disposition')).toContain('people-results.xlsx')
  expect((await new Response(data).text()).startsWith('PK')).toBe(true)
})

test('a messy file is read as the options say, and what is left out is downloaded', async () => {
  const lines = [
    'Contacts 2026',
    'name;e-mail',
    'Ada;"ada@no-such-domain.example, bo@no-such-domain.example"',
    'Cy;cy@gmial.com',
    'Di;di.@no-such-domain.example',
    '',
  ]
  const options = { severalAddresses: 'all', malformed: 'skip' } as const
  const first = await probity.uploads.create(new Blob([lines.join('\n')]), options)
  expect(first).toMatchObject({ header_row: 2, email_count: 3, left_out_count: 1, extra_address_count: 1 })
  const none = await probity.uploads.chooseHeader(first.id, null, options)
  expect(none).toMatchObject({ header_row: null, line_count: 5 })
  const found = await probity.uploads.chooseHeader(none.id, 2, options)
  expect(await collect(probity.uploads.suggestions(found.id))).toEqual([
    { row: 4, value: 'cy@gmial.com', suggestion: 'cy@gmail.com' },
  ])
  const accepted = await probity.uploads.correct(found.id, [], { ...options, acceptSuggestions: true })
  expect(accepted).toMatchObject({ suggestion_count: 0, email_count: 3 })
  // Without Cy, whose domain exists and would be probed.
  const kept = await probity.uploads.correct(accepted.id, [{ row: 4, value: '' }], options)
  const { id } = await probity.jobs.create(kept.id, { ...options, emailColumn: 'e-mail' })
  expect(await probity.jobs.wait(id)).toMatchObject({ line_count: 3, empty_count: 1, left_out_count: 1 })
  const results = await collect(probity.jobs.results.list(id))
  expect(results.map(({ row, position }) => [row, position])).toEqual([
    [3, 1],
    [3, 2],
  ])
  const second = await probity.jobs.results.get(id, 3, { position: 2 })
  expect(second.email).toBe('bo@no-such-domain.example')
  const leftOut = await probity.jobs.results.download(id, { format: 'csv', part: 'left_out' })
  expect(await new Response(leftOut).text()).toContain('"5";"malformed";"di.@no-such-domain.example"')
})

test('jobs.events ends with the job, also if it has ended before', async () => {
  const id = await startJob(probity)
  for (const late of [false, true]) {
    const events: JobEvent[] = await collect(probity.jobs.events(id))
    expect(events.at(-1)).toMatchObject({ type: 'end', job: { id, status: 'completed' } })
    expect(events.slice(0, -1).every(({ type }) => type === 'progress')).toBe(true)
    if (late) expect(events).toHaveLength(2)
  }
})

test('uploads.create accepts streams, async iterables and files', async () => {
  const bytes = new Uint8Array(await createCsv(5_000).arrayBuffer())
  const pieces = Array.from({ length: 20 }, (_, n) =>
    bytes.subarray((n * bytes.length) / 20, ((n + 1) * bytes.length) / 20),
  )
  async function* chunks() {
    for (const piece of pieces) yield piece
  }
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  for (const file of [chunks(), stream]) {
    const preview = await probity.uploads.create(file, { filename: 'Büro "Süd".csv' })
    expect(preview).toMatchObject({ filename: 'Büro %22Süd%22.csv', row_count: 5_000, size_bytes: bytes.length })
  }
  const unnamed = await probity.uploads.create(new File([bytes], 'own-name.csv'))
  expect(unnamed.filename).toBe('own-name.csv')
})

test('jobs.list returns pages and iterates over all jobs while they are deleted', async () => {
  const client = await openClient()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.unshift(await startJob(client, 1))
  const page = await client.jobs.list({ skip: 1, limit: 2 })
  expect(page.data.map(({ id }) => id)).toEqual(ids.slice(1, 3))
  expect(page).toMatchObject({ total: 5, hasMore: true, nextCursor: null })
  expect((await page.nextPage())?.data.map(({ id }) => id)).toEqual(ids.slice(3))

  const met: string[] = []
  for await (const { id } of client.jobs.list()) {
    met.push(id)
    expect(await client.jobs.delete(id)).toBeUndefined()
  }
  expect(met).toEqual(ids)
  expect((await client.jobs.list()).data).toEqual([])
})

test('jobs are renamed and found by their tags', async () => {
  const { jobs, uploads } = await openClient()
  const id = await startJob({ jobs, uploads })
  expect(await jobs.update(id, { name: 'Customers', tags: ['vip'] })).toMatchObject({
    name: 'Customers',
    tags: ['vip'],
  })
  expect((await jobs.list({ tag: 'vip' })).data.map((job) => job.id)).toEqual([id])
  expect((await jobs.list({ tag: 'others' })).data).toEqual([])
})

test('jobs are run again after their end', async () => {
  const { jobs, uploads } = await openClient()
  const earlier = await startJob({ jobs, uploads })
  await jobs.wait(earlier)
  const { id } = await jobs.rerun(earlier, { rows: 'all', reference: 'again' })
  expect(await jobs.get(id)).toMatchObject({ rerun_of: earlier, rerun_rows: 'all', reference: 'again' })
  await jobs.wait(id)
  const { changes } = await jobs.compare(id, earlier)
  const link = await jobs.reportLinks.create(id, { expiresInDays: 7 })
  expect(link.url).toContain('/app/report#')
  expect((await jobs.reportLinks.list(id)).map((one) => one.id)).toEqual([link.id])
  await jobs.reportLinks.revoke(id, link.id)
  expect(await jobs.reportLinks.list(id)).toEqual([])
  expect(changes).toMatchObject({ matched_count: 2, changed_count: 0 })
})

test('jobs are paused, resumed and canceled', async () => {
  const { jobs, uploads } = await openClient({ credits: 20_000 })
  const id = await startJob({ jobs, uploads }, 20_000)
  expect((await jobs.pause(id)).status).toBe('paused')
  expect((await jobs.resume(id)).status).not.toBe('paused')
  expect((await jobs.cancel(id)).status).toBe('canceled')
  expect((await jobs.wait(id)).status).toBe('canceled')
  expect((await errorOf(jobs.pause(id))).code).toBe('job_finished')
})

test('jobs.wait survives a restart of the service', {
  tags: ['long'],
}, async () => {
  const { port, stop } = await startApiProcess(instance.settings)
  const { key } = await createApiClient(instance, { credits: 500 })
  const { jobs, uploads } = new Probity({ apiKey: key, baseUrl: `http://127.0.0.1:${port}` })
  const id = await startJob({ jobs, uploads }, 500)
  await jobs.pause(id)
  const seen: string[] = []
  const waiting = jobs.wait(id, { onProgress: ({ status }) => seen.push(status) })
  await vi.waitFor(() => expect(seen).toContain('paused'))

  await stop()
  await startApiProcess(instance.settings, port)
  await jobs.resume(id)
  expect(await waiting).toMatchObject({ status: 'completed', done_count: 500 })
  expect(seen.at(-1)).toBe('completed')
})

test('uploads.create rejects a file that is too large while it is being sent', async () => {
  let sent = 0
  async function* file() {
    const rows = new TextEncoder().encode('name,ada@example.com\n'.repeat(3_000))
    for (; sent < 100 * 1024 * 1024; sent += rows.length) yield rows
  }
  expect((await errorOf(probity.uploads.create(file()))).code).toBe('file_too_large')
  expect(sent).toBeLessThan(80 * 1024 * 1024)
})

test('requests, overview and provider health are read', async () => {
  const client = await openClient({ key: { mode: 'test' } })
  const { response } = await client.validate('mailbox-full@example.com').withResponse()
  const id = String(response.requestId)
  await errorOf(client.jobs.get('00000000-0000-4000-8000-000000000000'))
  await vi.waitFor(
    async () => expect((await client.requests.list({ class: 'client_error' })).data).toHaveLength(1),
    10_000,
  )
  expect(await client.requests.get(id)).toMatchObject({
    id,
    result_status: 'risky',
    sub_status: 'mailbox_full',
    result: null,
  })
  const all = await collect(client.requests.list({ class: 'success' }))
  expect(all.map((request) => request.id)).toContain(id)
  const { verdicts, problems } = await client.overview({ days: 7 })
  expect([verdicts?.total.risky, problems?.[0]?.code]).toEqual([1, 'not_found'])
  expect((await client.providerHealth()).status).toBe('normal')
})

test('keys are created, listed, updated, paused and revoked', async () => {
  const client = await openClient()
  const expiresAt = new Date('2099-01-01T00:00:00Z')
  const made = await client.keys.create({ name: 'Form', scopes: ['validations:write'], expiresAt, monthlyCap: 5 })
  expect(made).toMatchObject({
    name: 'Form',
    livemode: true,
    scopes: ['validations:read', 'validations:write'],
    monthly_cap: 5,
    expires_at: '2099-01-01T00:00:00.000Z',
  })
  const form = new Probity({ apiKey: made.key, baseUrl: `${api.url}/api/v1/` })
  expect((await form.validate('ada@example,com')).status).toBe('invalid')

  expect(await client.keys.update(made.id, { monthlyCap: null })).toMatchObject({ monthly_cap: null })
  expect(await client.keys.pause(made.id)).toMatchObject({ paused: true })
  // A change reaches every process within a second.
  await vi.waitFor(async () => expect((await errorOf(form.validate('ada@example,com'))).code).toBe('paused_api_key'), {
    timeout: 5_000,
  })
  expect(await client.keys.get(made.id)).toMatchObject({ name: 'Form', status: 'paused' })
  expect((await client.keys.list({ limit: 1 })).data.map(({ id }) => id)).toEqual([made.id])
  expect((await collect(client.keys.list())).map(({ name }) => name)).toEqual(['Form', 'journey'])
  expect((await client.keys.revoke(made.id)).status).toBe('revoked')
})

test('policies are created, used, listed, updated and deleted', async () => {
  const client = await openClient({ key: { scopes: ['validations:write', 'account:read', 'account:write'] } })
  const rules = [{ when: { status: ['invalid' as const] }, decision: 'block' as const, reason: 'It bounces.' }]
  const fallback = { decision: 'allow' as const, reason: 'It may arrive.' }
  const made = await client.policies.create({ name: 'partners', description: 'Partners', rules, default: fallback })
  expect(made).toEqual({
    id: expect.any(String),
    name: 'partners',
    description: 'Partners',
    is_built_in: false,
    rules,
    default: fallback,
  })
  const decided = async () => (await client.validate('ada@example,com', { policy: 'partners' })).policy
  expect(await decided()).toEqual({ name: 'partners', decision: 'block', reason: 'It bounces.', rule: 1 })

  expect((await errorOf(client.policies.create({ name: 'partners', rules, default: fallback }))).code).toBe(
    'policy_exists',
  )
  expect(await client.policies.update('partners', { rules: [] })).toMatchObject({ description: 'Partners', rules: [] })
  expect(await decided()).toMatchObject({ decision: 'allow', rule: null })
  expect((await client.policies.list()).data.map(({ name }) => name)).toEqual([
    'newsletter',
    'partners',
    'signup',
    'transactional',
  ])
  expect(await client.policies.get('signup')).toMatchObject({ is_built_in: true })
  expect(await client.policies.delete('partners')).toBeUndefined()
  expect((await errorOf(client.policies.get('partners'))).code).toBe('not_found')
})
