import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PROBLEMS } from '@probity/contract/constants/data/problems'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { SUB_STATUSES } from '@probity/contract/constants/validations'
import { Explanation, JobEstimate, JobResultsPage, JobsPage } from '@probity/contract/schemas/mcp'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { afterEach, expect, test, vi } from 'vitest'
import { LIMITS } from '../http/limits.ts'
import { type Agent, connectAgent, listen } from '../testing/test-agent.ts'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import { booksOf, csvOf, emailsOf, uploadList } from '../testing/test-jobs.ts'
import { startPlainWorker } from '../testing/test-plain-worker.ts'
import { keepList } from '../testing/test-results.ts'

const run = promisify(execFile)
const api = await startTestApi()
const { app, db } = api
const tester = await api.openCaller({ plan: 'free', key: { mode: 'test' } })

afterEach(() => void vi.useRealTimers())

const connect = ({ key }: TestClient) => connectAgent(app, { 'x-api-key': key })

/** Asserts that the credit balance does not change. */
async function expectUnspent(by: TestClient, run: () => Promise<void>): Promise<void> {
  const books = await booksOf(db, by.accountId)
  await run()
  expect(await booksOf(db, by.accountId)).toEqual(books)
}

const TOOL_NAMES = [
  'validate_email',
  'estimate_job',
  'start_job',
  'get_job',
  'list_jobs',
  'list_job_results',
  'cancel_job',
  'explain_result',
]

test.each([
  ['2025', 'legacy'],
  ['2026', { pin: '2026-07-28' }],
] as const)('a client of protocol version %s lists the tools and validates an address', async (_, mode) => {
  const { client, call } = await connectAgent(app, { 'x-api-key': tester.key }, mode)
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(TOOL_NAMES)
  for (const name of TOOL_NAMES) expect(client.getInstructions()).toContain(name)

  const { text, data, problem } = await call('validate_email', { email: 'ada+mailbox-full@example.com' })
  expect(problem).toBeUndefined()
  expect(Value.Errors(ValidationResult, data)).toEqual([])
  expect(data).toMatchObject({ status: 'risky', sub_status: 'mailbox_full', livemode: false })
  expect(text).toContain('risky (mailbox_full): the mailbox exists but is full.')
  expect(text).toContain('Deliverability: ')
  expect(text).toContain('- sandbox: ')
})

test('annotations mark the tools that only read, that cancel and that contact mail servers', async () => {
  const { client } = await connect(tester)
  const { tools } = await client.listTools()
  const marked = (hint: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint') =>
    tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name)
  const reading = ['get_job', 'list_jobs', 'list_job_results', 'explain_result']
  expect(marked('readOnlyHint')).toEqual(reading)
  expect(marked('destructiveHint')).toEqual(['cancel_job'])
  expect(marked('idempotentHint').toSorted()).toEqual([...reading, 'start_job', 'cancel_job'].toSorted())
  expect(marked('openWorldHint')).toEqual(['validate_email', 'start_job'])
})

test('every description names the cost and only tools that exist', async () => {
  const { client } = await connect(tester)
  for (const { name, description = '' } of (await client.listTools()).tools) {
    expect([name, description]).toEqual([name, expect.stringMatching(/Costs /)])
    const named = [...description.matchAll(/\b[a-z]+(?:_[a-z]+)*_(?:email|jobs?|results?)\b/g)].map(([tool]) => tool)
    expect(TOOL_NAMES).toEqual(expect.arrayContaining(named))
  }
})

test('/mcp accepts a key as X-API-Key or bearer token and rejects requests without a valid key', async () => {
  const byBearer = await connectAgent(app, { authorization: `Bearer ${tester.key}` })
  expect((await byBearer.call('validate_email', { email: 'valid@example.com' })).data).toMatchObject({
    status: 'valid',
  })

  const ping = { method: 'POST', url: '/mcp', payload: { jsonrpc: '2.0', id: 1, method: 'ping' } } as const
  for (const [headers, code] of [
    [{}, 'missing_api_key'],
    [{ authorization: 'Bearer pb_live_nonsense' }, 'invalid_api_key'],
    [{ authorization: 'Basic YTpi' }, 'missing_api_key'],
  ] as const) {
    const { status, body } = await callApp(app, { ...ping, headers })
    expect([status, body['code']]).toEqual([401, code])
  }
})

test('validate_email charges one credit, and nothing for a repeated idempotency_key', async () => {
  const worker = startPlainWorker(db, (email) => ({ ...pendingResult(email, 'not_probed'), ...INVALID }))
  const by = await api.openCaller({ credits: 5 })
  const { call } = await connect(by)
  const asked = { email: 'ada@example.com', idempotency_key: 'first' }
  const first = await call('validate_email', asked)
  expect(first.data).toMatchObject({ status: 'invalid', sub_status: 'no_mail_server', livemode: true })
  expect((await call('validate_email', asked)).data).toEqual(first.data)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 4, reserved: 0, spent: 1 })
  await worker.stop()
})

const INVALID = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false }

test('estimate_job charges nothing, and start_job starts one job for the estimated cost', async () => {
  const by = await api.openCaller({ credits: 10 })
  const { call } = await connect(by)
  const emails = [...emailsOf(3), 'PERSON0@example.com', '']
  let confirmation = ''
  await expectUnspent(by, async () => {
    const { text, data } = await call('estimate_job', { emails })
    expect(Value.Errors(JobEstimate, data)).toEqual([])
    expect(data).toMatchObject({ email_count: 4, unique_count: 3, duplicate_count: 1 })
    expect(data['credits']).toEqual({ quote: 3, available: 10, unlimited: false })
    expect(text).toContain('Cost of the job: 3 credits. The account has 10 credits.')
    confirmation = String(data['confirmation'])
    expect(text).toContain(confirmation)
  })

  const started = await Promise.all([1, 2, 3].map(() => call('start_job', { confirmation })))
  const ids = new Set(started.map(({ data }) => data['id']))
  expect(ids.size).toBe(1)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 7, reserved: 3, spent: 0 })
  const { text, data } = await call('get_job', { job_id: [...ids][0] })
  expect(data).toMatchObject({ status: 'queued', unique_count: 3, credits: { reserved: 3 } })
  expect(text).toContain('queued: 0 of 3 addresses have a result')
})

test('estimate_job accepts an upload_id and email_column', async () => {
  const by = await api.openCaller({ credits: 10 })
  const csv = 'home,work\na@example.com,x@example.org\nb@example.com,\nb@example.com,\n'
  const uploadId = await uploadList(by, csv)
  const { call } = await connect(by)
  const home = await call('estimate_job', { upload_id: uploadId })
  expect(home.data).toMatchObject({ email_column: 'home', unique_count: 2, duplicate_count: 1 })
  const { data } = await call('estimate_job', { upload_id: uploadId, email_column: 'work' })
  expect(data).toMatchObject({ email_column: 'work', email_count: 1, empty_count: 2, credits: { quote: 1 } })
  await call('start_job', { confirmation: data['confirmation'] })
  expect(await booksOf(db, by.accountId)).toMatchObject({ reserved: 1 })
  // The upload has become a job with the other column.
  const late = await call('start_job', { confirmation: home.data['confirmation'] })
  expect(late.problem).toMatchObject({ code: 'upload_already_confirmed' })
})

test('estimate_job treats CSV syntax in an address as text', async () => {
  const { call } = await connect(tester)
  const emails = [
    'a@example.com',
    '"b, c"@example.com',
    'd@example.com\nx@example.com',
    '=1+1',
    "e;f@example.com'",
    '  ',
  ]
  const { data } = await call('estimate_job', { emails })
  expect(data).toMatchObject({ email_count: 4, not_address_count: 1, unique_count: 4, livemode: false })
})

test('estimate_job and start_job validate every address of a text and leave out what no repair can correct', async () => {
  const by = await api.openCaller({ credits: 10 })
  const { call } = await connect(by)
  const emails = ['ada@example.com; bo@example.com', 'cy @ example.com', 'di.@example.com']
  const estimate = await call('estimate_job', { emails })
  expect(estimate.data).toMatchObject({ unique_count: 3, left_out_count: 1, extra_address_count: 1 })
  expect(estimate.text).toContain('3 lines and 1 second address: 1 malformed, 3 validated.')
  const { data } = await call('start_job', { confirmation: estimate.data['confirmation'] })
  const job = await call('get_job', { job_id: data['id'] })
  expect(job.data).toMatchObject({ unique_count: 3, several_addresses: 'all', malformed: 'skip' })
  expect(await booksOf(db, by.accountId)).toMatchObject({ reserved: 3 })
})

test('explain_result explains one of several results of a row', async () => {
  const by = await api.openCaller({ credits: 10 })
  const { call } = await connect(by)
  const content = 'email\n"vera@example.com, ivan@example.com"\n'
  const job_id = await keepList(api, { by, content, options: { several_addresses: 'all' } })
  const { text } = await call('list_job_results', { job_id })
  expect(text).toContain('- row 2, position 2: ivan@example.com: invalid')
  const second = await call('explain_result', { job_id, row: 2, position: 2 })
  expect(second.data).toMatchObject({ status: 'invalid', result: { email: 'ivan@example.com', position: 2 } })
  const first = await call('explain_result', { job_id, row: 2 })
  expect(first.data).toMatchObject({ status: 'valid', result: { email: 'vera@example.com', position: 1 } })
})

/** A test key of the same account. */
async function openTestKey({ accountId }: TestClient): Promise<string> {
  const wish = { mode: 'test', name: 'sandbox', scopes: ['validations:write', 'jobs:write'] } as const
  return (await inTenant(db, accountId, (trx) => insertKey(trx, accountId, { ...wish, scopes: [...wish.scopes] }))).text
}

test('start_job rejects a confirmation that is altered, expired, or of another account or mode', async () => {
  const by = await api.openCaller({ credits: 10 })
  const other = await api.openCaller({ credits: 10 })
  const own = await connect(by)
  const estimate = async () => String((await own.call('estimate_job', { emails: emailsOf(2) })).data['confirmation'])
  const refused = async ({ call }: Agent, confirmation: string) => {
    const { problem, text } = await call('start_job', { confirmation })
    expect(problem).toMatchObject({ code: 'not_found' })
    expect(text).toContain('Call estimate_job again.')
  }
  await expectUnspent(by, async () => {
    const good = await estimate()
    const [upload, until, column, signature] = good.split('.')
    await refused(own, `${upload}.zzzzzz.${column}.${signature}`)
    await refused(own, `${upload}.${until}.${Buffer.from('other').toString('base64url')}.${signature}`)
    await refused(own, [upload, until, column, 'A'.repeat(22)].join('.'))
    await refused(own, String(upload))
    await expectUnspent(other, async () => refused(await connect(other), good))
    await refused(await connectAgent(app, { 'x-api-key': await openTestKey(by) }), good)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    await refused(own, good)
  })
  vi.useRealTimers()
  const { problem } = await own.call('start_job', { confirmation: await estimate() })
  expect(problem).toBeUndefined()
})

test('start_job fails with insufficient_credits when the account lacks credits', async () => {
  const by = await api.openCaller({ credits: 1 })
  const { call } = await connect(by)
  await expectUnspent(by, async () => {
    const { text, data } = await call('estimate_job', { emails: emailsOf(2) })
    expect(text).toContain('Insufficient credits')
    const { problem, text: error } = await call('start_job', { confirmation: data['confirmation'] })
    expect(problem).toMatchObject({ code: 'insufficient_credits', status: 402 })
    expect(error).toMatch(/^insufficient_credits: /)
    expect(error).toContain(PROBLEMS.insufficient_credits.advice)
  })
})

test('tools enforce the scopes, type, plan and IP allowlist of the key', async () => {
  const narrow = await connect(await api.openCaller({ credits: 5, key: { scopes: ['validations:write'] } }))
  const refused = await narrow.call('estimate_job', { emails: emailsOf(1) })
  expect(refused.problem).toMatchObject({ code: 'missing_scope' })
  expect(refused.text).toContain('scope "jobs:write"')
  expect(refused.text).toContain(PROBLEMS.missing_scope.advice)

  const publicClient = await connectAgent(app, { 'x-api-key': PUBLIC_SANDBOX_KEY })
  expect((await publicClient.call('validate_email', { email: 'valid@example.com' })).data).toMatchObject({
    status: 'valid',
  })
  expect((await publicClient.call('estimate_job', { emails: emailsOf(1) })).problem).toMatchObject({
    code: 'key_type_not_allowed',
  })

  const elsewhere = await api.openCaller({ key: { mode: 'test', ipAllowList: ['192.0.2.9'] } })
  await expect(connect(elsewhere)).rejects.toThrow('ip_not_allowed')
  const free = await api.openCaller({ plan: 'free' })
  await expect(connect(free)).rejects.toThrow('api_not_in_plan')
})

test('tool requests have the IP address of the agent', async () => {
  const proxied = await startTestApi({ config: { trustedProxies: ['127.0.0.1'] } })
  const by = await proxied.openCaller({ key: { mode: 'test', ipAllowList: ['192.0.2.9'] } })
  const headers = { 'x-api-key': by.key, 'x-forwarded-for': '192.0.2.9' }
  const { call } = await connectAgent(proxied.app, headers)
  expect((await call('validate_email', { email: 'valid@example.com' })).data).toMatchObject({ status: 'valid' })
})

test('an injected request that is rejected before its body is read causes no error', async () => {
  const hurried = await startTestApi({ config: { limits: { ...LIMITS, requestTimeoutMs: 50 } } })
  const { status } = await callApp(hurried.app, { method: 'POST', url: '/mcp', payload: PING, headers: MESSAGE })
  expect(status).toBe(401)
  // The timer that closes slow connections runs a second later without a socket: an uncaught error fails the run.
  await sleep(1_500)
})

test('tools return not_found for jobs and uploads of another account', async () => {
  const by = await api.openCaller({ credits: 5 })
  const jobId = await keepList(api, { by, content: csvOf(['ivan@example.com']) })
  const uploadId = await uploadList(by, csvOf(emailsOf(1)))
  const { call } = await connect(await api.openCaller({ credits: 5 }))
  expect((await call('get_job', { job_id: jobId })).problem).toMatchObject({ code: 'not_found' })
  expect((await call('explain_result', { job_id: jobId, row: 2 })).problem).toMatchObject({ code: 'not_found' })
  expect((await call('list_job_results', { job_id: jobId })).problem).toMatchObject({ code: 'not_found' })
  expect((await call('cancel_job', { job_id: jobId })).problem).toMatchObject({ code: 'not_found' })
  expect((await call('estimate_job', { upload_id: uploadId })).problem).toMatchObject({ code: 'not_found' })
})

test('list_jobs returns the jobs of the account in pages, filtered by status and file name', async () => {
  const by = await api.openCaller({ credits: 5 })
  const completed = await keepList(api, { by, content: csvOf(['vera@example.com']), filename: 'spring.csv' })
  const running = await keepList(api, {
    by,
    content: csvOf(['vera@example.com']),
    filename: 'fall.csv',
    isDone: () => false,
  })
  const { call } = await connect(by)
  const { text, data } = await call('list_jobs', { limit: 1 })
  expect(Value.Errors(JobsPage, data)).toEqual([])
  expect(data).toMatchObject({ data: [{ id: running }], total_count: 2, next_skip: 1 })
  expect(text).toContain(`- ${running} fall.csv`)
  expect(text).toContain('call list_jobs with the same filters and skip 1.')
  const rest = await call('list_jobs', { limit: 1, skip: 1 })
  expect(rest.data).toMatchObject({ data: [{ id: completed }], next_skip: null })
  expect((await call('list_jobs', { status: 'completed,failed' })).data).toMatchObject({
    data: [{ id: completed }],
    total_count: 1,
  })
  expect((await call('list_jobs', { search: 'FALL' })).data).toMatchObject({ data: [{ id: running }] })
  expect((await call('list_jobs', { status: 'paused' })).text).toBe('No jobs match.')
  const other = await connect(await api.openCaller())
  expect((await other.call('list_jobs', {})).data).toEqual({ data: [], total_count: 0, next_skip: null })
})

test('list_job_results returns at most 100 results per page, filtered by status and sub_status', async () => {
  const by = await api.openCaller({ credits: 200 })
  const emails = [
    ...Array.from({ length: 101 }, (_, n) => `vera${n}@example.com`),
    'ivan@example.com',
    'rita@example.com',
  ]
  const job_id = await keepList(api, { by, content: csvOf(emails) })
  const { call } = await connect(by)
  const bad = await call('list_job_results', { job_id, status: 'invalid,risky' })
  expect(Value.Errors(JobResultsPage, bad.data)).toEqual([])
  expect(bad.data).toMatchObject({
    data: [
      { email: 'ivan@example.com', row: 103, status: 'invalid', did_you_mean: 'vvan@example.com' },
      { email: 'rita@example.com', row: 104, status: 'risky' },
    ],
    total_count: 2,
    next_skip: null,
  })
  expect(bad.text).toContain('- row 103: ivan@example.com: invalid (mailbox_not_found), deliverability 97%')
  expect((await call('list_job_results', { job_id, sub_status: 'catch_all' })).data).toMatchObject({ total_count: 1 })

  const first = await call('list_job_results', { job_id, status: 'valid', limit: 100 })
  expect(first.data).toMatchObject({ total_count: 101, next_skip: 100 })
  expect(first.data['data']).toHaveLength(100)
  const last = await call('list_job_results', { job_id, status: 'valid', limit: 100, skip: 100 })
  expect(last.data).toMatchObject({ data: [{ email: 'vera100@example.com', row: 102 }], next_skip: null })
  expect((await call('list_job_results', { job_id })).data['data']).toHaveLength(20)
  for (const args of [{ limit: 101 }, { limit: 0 }, { status: 'good' }]) {
    expect((await call('list_job_results', { job_id, ...args })).problem).toEqual({})
  }
})

test('cancel_job releases the reserved credits once and rejects a job that is completed', async () => {
  const by = await api.openCaller({ credits: 10 })
  const { call } = await connect(by)
  const { data: estimate } = await call('estimate_job', { emails: emailsOf(3) })
  const { data: job } = await call('start_job', { confirmation: estimate['confirmation'] })
  expect(await booksOf(db, by.accountId)).toEqual({ available: 7, reserved: 3, spent: 0 })
  for (let n = 0; n < 2; n += 1) {
    const { text, data } = await call('cancel_job', { job_id: job['id'] })
    expect(data).toMatchObject({ id: job['id'], status: 'canceled', credits: { reserved: 0 } })
    expect(text).toMatch(/^canceled: 0 of 3 addresses have a result/)
    expect(await booksOf(db, by.accountId)).toEqual({ available: 10, reserved: 0, spent: 0 })
  }
  const completed = await keepList(api, { by, content: csvOf(['vera@example.com']) })
  expect((await call('cancel_job', { job_id: completed })).problem).toMatchObject({ code: 'job_finished' })
  const reader = await connect(await api.openCaller({ key: { scopes: ['jobs:read'] } }))
  expect((await reader.call('cancel_job', { job_id: completed })).problem).toMatchObject({ code: 'missing_scope' })
})

test('explain_result returns the evidence and advice of a job result', async () => {
  const by = await api.openCaller({ credits: 5 })
  const jobId = await keepList(api, { by, content: csvOf(['ivan@example.com']) })
  const { text, data } = await (await connect(by)).call('explain_result', { job_id: jobId, row: 2 })
  expect(Value.Errors(Explanation, data)).toEqual([])
  expect(data).toMatchObject({ code: 'mailbox_not_found', result: { email: 'ivan@example.com', row: 2 } })
  expect(text).toContain('invalid (mailbox_not_found): the mail server reported that the mailbox does not exist.')
  expect(text).toContain('- mx: Two mail hosts were found.')
  expect(text).toContain('What to do: Do not send')
})

test('explain_result returns a single validation to its own account only', async () => {
  const by = await api.openCaller({ credits: 5 })
  const url = '/api/v1/validation/single'
  const asked = await by.call({ method: 'POST', url, payload: { email: 'not an address', timeout: 1 } })
  const validation_id = String(asked.body['id'])
  const { data, text } = await (await connect(by)).call('explain_result', { validation_id })
  expect(Value.Errors(Explanation, data)).toEqual([])
  expect(data).toMatchObject({ validation: { id: validation_id, email: 'not an address' } })
  expect(text).toContain('unknown (not_started): no worker claimed the address before the timeout')
  const other = await connect(await api.openCaller({ credits: 5 }))
  expect((await other.call('explain_result', { validation_id })).problem).toMatchObject({ code: 'not_found' })
})

test('explain_result explains every sub_status and problem code and rejects other arguments', async () => {
  const { call } = await connect(await api.openCaller({ key: { mode: 'test' } }))
  for (const [reason, { status, meaning }] of Object.entries(SUB_STATUSES)) {
    expect((await call('explain_result', { sub_status: reason })).data).toMatchObject({ code: reason, status, meaning })
  }
  for (const [problem, { detail, advice }] of Object.entries(PROBLEMS)) {
    const { data } = await call('explain_result', { problem })
    expect(data).toMatchObject({ code: problem, meaning: detail, advice })
  }
  for (const asked of [{ sub_status: 'toString' }, { problem: 'constructor' }]) {
    expect((await call('explain_result', asked)).problem).toMatchObject({ code: 'not_found' })
  }
  for (const asked of [{}, { row: 2 }, { sub_status: 'blocked', problem: 'internal_error' }]) {
    expect((await call('explain_result', asked)).problem).toMatchObject({ code: 'invalid_request' })
  }
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const MESSAGE = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

test('/mcp rejects requests of other origins, also if their host name resolves to this server', async () => {
  const send = async (by: TestClient, headers: Record<string, string>) => {
    const message = { method: 'POST', url: '/mcp', payload: PING, headers: { ...MESSAGE, ...headers } } as const
    return (await by.call(message)).status
  }
  expect(await send(tester, { origin: 'http://pages.example' })).toBe(403)
  expect(await send(tester, { origin: 'http://pages.example:3000', host: 'pages.example:3000' })).toBe(403)
  expect(await send(tester, { origin: 'http://localhost.pages.example' })).toBe(403)
  expect(await send(tester, { origin: 'null' })).toBe(403)
  expect(await send(tester, { origin: 'http://localhost:6274' })).toBe(200)

  const known = await startTestApi({ config: { publicUrl: 'https://probity.example' } })
  const by = await known.openCaller({ key: { mode: 'test' } })
  expect(await send(by, { origin: 'https://probity.example' })).toBe(200)
  expect(await send(by, { origin: 'http://localhost:6274' })).toBe(403)
})

test('/mcp rejects batches, sessions and streams', async () => {
  const headers = { ...MESSAGE, 'x-api-key': tester.key }
  const batch = await callApp(app, { method: 'POST', url: '/mcp', payload: [PING, PING], headers })
  expect([batch.status, batch.body['code']]).toEqual([400, 'invalid_request'])
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await app.inject({ method, url: '/mcp', headers: { 'x-api-key': tester.key } })).statusCode).toBe(405)
  }
  const { client } = await connectAgent(app, { 'x-api-key': tester.key }, { pin: '2026-07-28' })
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow()
})

test('an internal error returns its code only and is logged once', async () => {
  const broken = await startTestApi()
  const by = await broken.openCaller({ credits: 5 })
  await asOwner(broken.db, (trx) => sql`delete from secrets where name = 'sessions'`.execute(trx))
  const { call } = await connectAgent(broken.app, { 'x-api-key': by.key })
  const { problem, text } = await call('estimate_job', { emails: emailsOf(1) })
  expect(problem).toMatchObject({ code: 'internal_error', status: 500 })
  expect(text).not.toContain('no result')
  const errors = readFileSync(broken.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('request failed'))
  expect(errors).toHaveLength(1)
})

test('the log contains no address and no key', async () => {
  const { call } = await connect(tester)
  await call('validate_email', { email: 'canary-in-a-mine@example.com' })
  await call('validate_email', { email: 12, 'canary-in-a-mine': true })
  await call('estimate_job', { emails: ['canary-in-a-mine@example.com'] })
  const log = readFileSync(api.logFile, 'utf8')
  expect(log).toContain('"route":"/mcp"')
  expect(log).not.toContain('canary-in-a-mine')
  expect(log).not.toContain(tester.key)
})

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8')

test('docs/mcp.md has a working command and a row for every tool', async () => {
  const [, command = ''] = /<!-- test: mcp -->\s*```sh\n(.*?)```/s.exec(PAGE) ?? []
  const url = await listen(app)
  const { stdout } = await run('sh', ['-c', command.replace('http://localhost:3000/mcp', url)])
  expect(stdout).toMatch(/"structuredContent":.*"sub_status":"mailbox_full"/)

  const { client } = await connect(tester)
  const { tools } = await client.listTools()
  const [, section = ''] = /^## Tools\n(.*?)^## /ms.exec(PAGE) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(tools.map(({ name }) => name))
})
