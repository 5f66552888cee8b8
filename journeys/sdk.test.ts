import { type BulkJob, type JobResult, type ListEvent, Probity, ProbityProblem } from '@probity/sdk'
import { expect, test, vi } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { startApiProcess } from './test-process.ts'
import { openCustomer } from './test-product.ts'

/** Every method of the client against the running service, and its results by way of the client alone. */
const product = await borrowProduct()
const { api } = product

async function openClient(options: Parameters<typeof openCustomer>[1] = {}) {
  const customer = await openCustomer(product, options)
  return new Probity({ apiKey: customer.key, baseUrl: api.url })
}

const probity = await openClient()

function listOf(count: number): Blob {
  const rows = Array.from({ length: count }, (_, n) => `Person ${n},person${n}@no-such-domain.example\n`)
  return new Blob(['name,email\n', ...rows])
}

async function startList(client: Pick<Probity, 'lists'>, count = 2): Promise<string> {
  const { upload_id: uploadId, suggested_email_column: emailColumn } = await client.lists.preview(listOf(count))
  const { id } = await client.lists.confirm({ uploadId, emailColumn })
  return id
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const one of all) collected.push(one)
  return collected
}

async function problemOf(call: Promise<unknown>): Promise<ProbityProblem> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProbityProblem)) throw new Error('expected a problem', { cause: error })
  return error
}

test('validates one address, and shows what it cost and what is left', async () => {
  const result = await probity.validate('ada@example,com')
  expect(result).toMatchObject({ email: 'ada@example,com', status: 'invalid', sub_status: 'syntax_error' })

  const { data, response } = await probity.validate('bob@example,com', { timeout: 5 }).withResponse()
  expect(data.status).toBe('invalid')
  expect(response).toMatchObject({ status: 200, creditsCharged: 1, replayed: false })
  expect(response.requestId).toMatch(/^req_/)
  expect(response.rateLimit?.remaining).toBeLessThan(response.rateLimit?.quota ?? 0)
  expect((await probity.account()).credits.available).toBe(response.creditsRemaining)
})

test('a call with the same idempotency key is charged once and answered alike', async () => {
  const options = { idempotencyKey: 'order-4711' }
  const first = await probity.validate('carl@example,com', options).withResponse()
  const second = await probity.validate('carl@example,com', options).withResponse()
  expect(second.data.id).toBe(first.data.id)
  expect(second.response).toMatchObject({ replayed: true, creditsRemaining: first.response.creditsRemaining })
})

test('validates many addresses at once', async () => {
  const summary = await probity.validateMany(['ada@example,com', 'ADA@example,com', 'no address'])
  expect(summary).toMatchObject({ total: 3, invalid_count: 2, duplicate_count: 1, credits_used: 2 })
  expect(summary.results.map(({ sub_status }) => sub_status)).toEqual(['syntax_error', 'syntax_error'])
})

test('shows the account that the key belongs to', async () => {
  expect(await probity.account()).toMatchObject({ livemode: true, plan: { name: 'scale' }, key: { name: 'journey' } })
})

test('what the service refuses is thrown with its code, its status and the id of the request', async () => {
  const poor = await openClient({ credits: 0 })
  const problem = await problemOf(poor.validate('ada@example.com'))
  expect(problem).toMatchObject({ code: 'insufficient_credits', status: 402, retryable: false })
  expect(problem.requestId).toBe(problem.problem?.request_id)
  expect(problem.message).toMatch(/^Not enough credits: .+ \(402, insufficient_credits, req_[0-9a-f-]+\)$/)

  const many = await problemOf(probity.validateMany([]))
  expect(many.problem?.errors?.[0]?.pointer).toBe('/emails')
  expect((await problemOf(new Probity({ apiKey: 'nonsense', baseUrl: api.url }).account())).code).toBe(
    'invalid_api_key',
  )
  expect((await problemOf(probity.lists.get(crypto.randomUUID()))).code).toBe('not_found')
})

test('a file becomes a list, is followed to its end and comes back marked', async () => {
  const preview = await probity.lists.preview(listOf(3), { filename: 'people.csv' })
  expect(preview).toMatchObject({ filename: 'people.csv', suggested_email_column: 'email', unique_count: 3 })
  const created = await probity.lists.confirm({ uploadId: preview.upload_id, emailColumn: 'email' })
  expect(created.status).toBe('queued')

  const seen: BulkJob[] = []
  const job = await probity.lists.wait(created.id, { onProgress: (one) => seen.push(one) })
  expect(job).toMatchObject({ id: created.id, status: 'completed', progress: 1, status_counts: { invalid: 3 } })
  expect(seen.at(-1)).toEqual(job)
  expect(await probity.lists.get(created.id)).toMatchObject({ status: 'completed' })

  const results: JobResult[] = await collect(probity.lists.results(created.id))
  expect(results.map(({ row, sub_status }) => [row, sub_status])).toEqual(
    [2, 3, 4].map((row) => [row, 'domain_not_found']),
  )
  expect(results[0]).not.toHaveProperty('evidence')
  expect(await collect(probity.lists.results(created.id, { status: ['valid', 'risky'] }))).toEqual([])
  const page = await probity.lists.resultPage(created.id, { skip: 1, limit: 1, evidence: true }).withResponse()
  expect(page.data.map(({ row }) => row)).toEqual([3])
  expect(page.data[0]?.evidence?.[0]?.check).toBe('syntax')
  expect(page.response.total).toBe(3)

  const { data, response } = await probity.lists.download(created.id, { format: 'csv' }).withResponse()
  expect(response.headers.get('content-disposition')).toContain('people')
  const sheet = await new Response(data).text()
  expect(sheet.split('\r\n')[1]).toMatch(/^"Person 0","person0@no-such-domain.example","invalid","domain_not_found"/)
  const lines = await new Response(await probity.lists.download(created.id, { format: 'ndjson' })).text()
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(results)
})

test('the events of a list end with its end, also for who comes late', async () => {
  const id = await startList(probity)
  for (const late of [false, true]) {
    const events: ListEvent[] = await collect(probity.lists.events(id))
    expect(events.at(-1)).toMatchObject({ event: 'end', job: { id, status: 'completed' } })
    expect(events.slice(0, -1).every(({ event }) => event === 'progress')).toBe(true)
    if (late) expect(events).toHaveLength(2)
  }
})

test('a file is sent as it comes, from a stream or from whatever yields bytes', async () => {
  const bytes = new Uint8Array(await listOf(5_000).arrayBuffer())
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
    const preview = await probity.lists.preview(file, { filename: 'Büro "Süd".csv' })
    expect(preview).toMatchObject({ filename: 'Büro %22Süd%22.csv', row_count: 5_000, size_bytes: bytes.length })
  }
  const unnamed = await probity.lists.preview(new File([bytes], 'own-name.csv'))
  expect(unnamed.filename).toBe('own-name.csv')
})

test('lists are listed by pages or all in one go, and removed', async () => {
  const client = await openClient()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.unshift(await startList(client, 1))
  const page = await client.lists.list({ skip: 1, limit: 2 }).withResponse()
  expect(page.data.map(({ id }) => id)).toEqual(ids.slice(1, 3))
  expect(page.response.total).toBe(5)

  const met: string[] = []
  for await (const { id } of client.lists.all()) {
    met.push(id)
    expect(await client.lists.remove(id)).toBeUndefined()
  }
  expect(met).toEqual(ids)
  expect(await client.lists.list()).toEqual([])
})

test('a list is paused, resumed and canceled', async () => {
  const { lists } = await openClient({ credits: 20_000 })
  const id = await startList({ lists }, 20_000)
  expect((await lists.pause(id)).status).toBe('paused')
  expect((await lists.resume(id)).status).not.toBe('paused')
  expect((await lists.cancel(id)).status).toBe('canceled')
  expect((await lists.wait(id)).status).toBe('canceled')
  expect((await problemOf(lists.pause(id))).code).toBe('job_finished')
})

test('waiting for a list and iterating over its events outlive a restart of the service', {
  tags: ['long'],
}, async () => {
  const { port, stop } = await startApiProcess(product.settings)
  const { key } = await openCustomer(product, { credits: 500 })
  const { lists } = new Probity({ apiKey: key, baseUrl: `http://127.0.0.1:${port}` })
  const id = await startList({ lists }, 500)
  await lists.pause(id)
  const seen: string[] = []
  const waiting = lists.wait(id, { onProgress: ({ status }) => seen.push(status) })
  await vi.waitFor(() => expect(seen).toContain('paused'))

  await stop()
  await startApiProcess(product.settings, port)
  await lists.resume(id)
  expect(await waiting).toMatchObject({ status: 'completed', done_count: 500 })
  expect(seen.at(-1)).toBe('completed')
})

test('a file that is too large is refused as such while it is still being sent', async () => {
  let sent = 0
  async function* file() {
    const rows = new TextEncoder().encode('name,ada@example.com\n'.repeat(3_000))
    for (; sent < 100 * 1024 * 1024; sent += rows.length) yield rows
  }
  expect((await problemOf(probity.lists.preview(file()))).code).toBe('file_too_large')
  expect(sent).toBeLessThan(80 * 1024 * 1024)
})

test('requests are listed and shown, and how things stand is one call', async () => {
  const client = await openClient({ key: { mode: 'test' } })
  const { response } = await client.validate('mailbox-full@example.com').withResponse()
  const id = String(response.requestId)
  await problemOf(client.lists.get('00000000-0000-4000-8000-000000000000'))
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
  const all = await collect(client.requests.all({ class: 'success' }))
  expect(all.map((request) => request.id)).toContain(id)
  const { verdicts, problems } = await client.overview({ days: 7 })
  expect([verdicts?.total.risky, problems?.[0]?.code]).toEqual([1, 'not_found'])
  expect((await client.providerHealth()).status).toBe('normal')
})

test('keys are made, listed, changed and revoked', async () => {
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

  expect(await client.keys.update(made.id, { paused: true, monthlyCap: null })).toMatchObject({
    paused: true,
    monthly_cap: null,
  })
  // A change reaches every process within a second.
  await vi.waitFor(
    async () => expect((await problemOf(form.validate('ada@example,com'))).code).toBe('paused_api_key'),
    { timeout: 5_000 },
  )
  expect(await client.keys.get(made.id)).toMatchObject({ name: 'Form', status: 'paused' })
  expect((await client.keys.list({ limit: 1 })).map(({ id }) => id)).toEqual([made.id])
  expect((await collect(client.keys.all())).map(({ name }) => name)).toEqual(['Form', 'journey'])
  expect((await client.keys.revoke(made.id)).status).toBe('revoked')
})

test('policies are made, listed, changed and removed, and decide from then on', async () => {
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

  expect((await problemOf(client.policies.create({ name: 'partners', rules, default: fallback }))).code).toBe(
    'policy_exists',
  )
  expect(await client.policies.update('partners', { rules: [] })).toMatchObject({ description: 'Partners', rules: [] })
  expect(await decided()).toMatchObject({ decision: 'allow', rule: null })
  expect((await client.policies.list()).map(({ name }) => name)).toEqual([
    'newsletter',
    'partners',
    'signup',
    'transactional',
  ])
  expect(await client.policies.get('signup')).toMatchObject({ is_built_in: true })
  expect(await client.policies.remove('partners')).toBeUndefined()
  expect((await problemOf(client.policies.get('partners'))).code).toBe('not_found')
})
