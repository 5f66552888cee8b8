import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Explanation, ListEstimate } from '@probity/contract/agent-tools'
import { PROBLEMS } from '@probity/contract/data/problems'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import { unsettledResult } from '@probity/contract/standing-result'
import { SUB_STATUSES } from '@probity/contract/status'
import { ValidationResult } from '@probity/contract/validation'
import { asOwner, inTenant } from '@probity/database/connect'
import { insertKey } from '@probity/database/keys'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { afterEach, expect, test, vi } from 'vitest'
import { LIMITS } from '../config.ts'
import { booksOf, csvOf, emailsOf, uploadList } from '../jobs/test-list.ts'
import { type Agent, connectAgent, listen } from '../mcp/test-agent.ts'
import { keepList } from '../results/test-list.ts'
import { type Caller, callApp, startTestApi } from '../test-api.ts'
import { startPlainWorker } from '../test-plain-worker.ts'

const run = promisify(execFile)
const api = await startTestApi()
const { app, db } = api
const tester = await api.openCaller({ plan: 'free', key: { mode: 'test' } })

afterEach(() => void vi.useRealTimers())

const connect = ({ key }: Caller) => connectAgent(app, { 'x-api-key': key })

/** The books of an account do not move while this runs. */
async function expectUnspent(by: Caller, run: () => Promise<void>): Promise<void> {
  const books = await booksOf(db, by.accountId)
  await run()
  expect(await booksOf(db, by.accountId)).toEqual(books)
}

test.each([
  ['of 2025', 'legacy'],
  ['of 2026', { pin: '2026-07-28' }],
] as const)('an agent that speaks the protocol %s finds the tools and is told a verdict', async (_, mode) => {
  const { client, use } = await connectAgent(app, { 'x-api-key': tester.key }, mode)
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(['validate_email', 'estimate_list', 'start_list', 'job_status', 'explain_verdict'])
  expect(client.getInstructions()).toContain('cost')

  const { words, data, problem } = await use('validate_email', { email: 'ada+mailbox-full@example.com' })
  expect(problem).toBeUndefined()
  expect(Value.Errors(ValidationResult, data)).toEqual([])
  expect(data).toMatchObject({ status: 'risky', sub_status: 'mailbox_full', livemode: false })
  expect(words).toContain('risky (mailbox_full): the mailbox exists but has no room at the moment.')
  expect(words).toContain('The chance of delivery is ')
  expect(words).toContain('- sandbox: ')
})

test('a key comes in its own header or as a bearer token, and without a good one nobody gets in', async () => {
  const byBearer = await connectAgent(app, { authorization: `Bearer ${tester.key}` })
  expect((await byBearer.use('validate_email', { email: 'valid@example.com' })).data).toMatchObject({ status: 'valid' })

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

test('one verdict costs one credit, and a call that is repeated under its own name costs nothing more', async () => {
  const worker = startPlainWorker(db, (email) => ({ ...unsettledResult(email, 'not_probed'), ...INVALID }))
  const by = await api.openCaller({ credits: 5 })
  const { use } = await connect(by)
  const asked = { email: 'ada@example.com', idempotency_key: 'first' }
  const first = await use('validate_email', asked)
  expect(first.data).toMatchObject({ status: 'invalid', sub_status: 'no_mail_server', livemode: true })
  expect((await use('validate_email', asked)).data).toEqual(first.data)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 4, reserved: 0, spent: 1 })
  await worker.stop()
})

const INVALID = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false }

test('a list is estimated for nothing, and started once for exactly what was shown', async () => {
  const by = await api.openCaller({ credits: 10 })
  const { use } = await connect(by)
  const emails = [...emailsOf(3), 'PERSON0@example.com', '']
  let confirmation = ''
  await expectUnspent(by, async () => {
    const { words, data } = await use('estimate_list', { emails })
    expect(Value.Errors(ListEstimate, data)).toEqual([])
    expect(data).toMatchObject({ email_count: 4, unique_count: 3, duplicate_count: 1 })
    expect(data['credits']).toEqual({ quote: 3, available: 10, unlimited: false })
    expect(words).toContain('costs 3 credits. The account has 10.')
    confirmation = String(data['confirmation'])
    expect(words).toContain(confirmation)
  })

  const started = await Promise.all([1, 2, 3].map(() => use('start_list', { confirmation })))
  const ids = new Set(started.map(({ data }) => data['id']))
  expect(ids.size).toBe(1)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 7, reserved: 3, spent: 0 })
  const { words, data } = await use('job_status', { job_id: [...ids][0] })
  expect(data).toMatchObject({ status: 'queued', unique_count: 3, credits: { reserved: 3 } })
  expect(words).toContain('queued: 0 of 3 addresses are done')
})

test('an uploaded file is estimated by its id, with the column that is named', async () => {
  const by = await api.openCaller({ credits: 10 })
  const csv = 'home,work\na@example.com,x@example.org\nb@example.com,\nb@example.com,\n'
  const uploadId = await uploadList(by, csv)
  const { use } = await connect(by)
  const home = await use('estimate_list', { upload_id: uploadId })
  expect(home.data).toMatchObject({ email_column: 'home', unique_count: 2, duplicate_count: 1 })
  const { data } = await use('estimate_list', { upload_id: uploadId, email_column: 'work' })
  expect(data).toMatchObject({ email_column: 'work', email_count: 1, empty_count: 2, credits: { quote: 1 } })
  await use('start_list', { confirmation: data['confirmation'] })
  expect(await booksOf(db, by.accountId)).toMatchObject({ reserved: 1 })
  // The file is a job by now, with the other column.
  const late = await use('start_list', { confirmation: home.data['confirmation'] })
  expect(late.problem).toMatchObject({ code: 'upload_already_confirmed' })
})

test('a text that looks like a part of a file is one address, or none', async () => {
  const { use } = await connect(tester)
  const emails = [
    'a@example.com',
    '"b, c"@example.com',
    'd@example.com\nx@example.com',
    '=1+1',
    "e;f@example.com'",
    '  ',
  ]
  const { data } = await use('estimate_list', { emails })
  expect(data).toMatchObject({ email_count: 4, not_address_count: 1, unique_count: 4, livemode: false })
})

/** A key for the sandbox, of the same account. */
async function openTestKey({ accountId }: Caller): Promise<string> {
  const wish = { mode: 'test', name: 'sandbox', scopes: ['validations:write', 'jobs:write'] } as const
  return (await inTenant(db, accountId, (trx) => insertKey(trx, accountId, { ...wish, scopes: [...wish.scopes] }))).text
}

test('nothing is spent by a confirmation that is altered, another account’s, of the other mode or too old', async () => {
  const by = await api.openCaller({ credits: 10 })
  const other = await api.openCaller({ credits: 10 })
  const own = await connect(by)
  const estimate = async () => String((await own.use('estimate_list', { emails: emailsOf(2) })).data['confirmation'])
  const refused = async ({ use }: Agent, confirmation: string) => {
    const { problem, words } = await use('start_list', { confirmation })
    expect(problem).toMatchObject({ code: 'not_found' })
    expect(words).toContain('Call estimate_list again.')
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
  const { problem } = await own.use('start_list', { confirmation: await estimate() })
  expect(problem).toBeUndefined()
})

test('a list that the account cannot pay for is estimated and not started', async () => {
  const by = await api.openCaller({ credits: 1 })
  const { use } = await connect(by)
  await expectUnspent(by, async () => {
    const { words, data } = await use('estimate_list', { emails: emailsOf(2) })
    expect(words).toContain('That is not enough')
    const { problem, words: why } = await use('start_list', { confirmation: data['confirmation'] })
    expect(problem).toMatchObject({ code: 'insufficient_credits', status: 402 })
    expect(why).toMatch(/^insufficient_credits: /)
    expect(why).toContain(PROBLEMS.insufficient_credits.advice)
  })
})

test('tools are held to what a key may do, and to where it may be used', async () => {
  const narrow = await connect(await api.openCaller({ credits: 5, key: { scopes: ['validations:write'] } }))
  const refused = await narrow.use('estimate_list', { emails: emailsOf(1) })
  expect(refused.problem).toMatchObject({ code: 'missing_scope' })
  expect(refused.words).toContain('scope "jobs:write"')
  expect(refused.words).toContain(PROBLEMS.missing_scope.advice)

  const anybody = await connectAgent(app, { 'x-api-key': PUBLIC_SANDBOX_KEY })
  expect((await anybody.use('validate_email', { email: 'valid@example.com' })).data).toMatchObject({ status: 'valid' })
  expect((await anybody.use('estimate_list', { emails: emailsOf(1) })).problem).toMatchObject({
    code: 'key_type_not_allowed',
  })

  const elsewhere = await api.openCaller({ key: { mode: 'test', ipAllowList: ['192.0.2.9'] } })
  await expect(connect(elsewhere)).rejects.toThrow('ip_not_allowed')
  const free = await api.openCaller({ plan: 'free' })
  await expect(connect(free)).rejects.toThrow('api_not_in_plan')
})

test('a tool calls from where the agent calls', async () => {
  const proxied = await startTestApi({ config: { trustedProxies: ['127.0.0.1'] } })
  const by = await proxied.openCaller({ key: { mode: 'test', ipAllowList: ['192.0.2.9'] } })
  const headers = { 'x-api-key': by.key, 'x-forwarded-for': '192.0.2.9' }
  const { use } = await connectAgent(proxied.app, headers)
  expect((await use('validate_email', { email: 'valid@example.com' })).data).toMatchObject({ status: 'valid' })
})

test('what comes over no network and is refused before its body is read leaves the process alone', async () => {
  const hurried = await startTestApi({ config: { limits: { ...LIMITS, requestTimeoutMs: 50 } } })
  const { status } = await callApp(hurried.app, { method: 'POST', url: '/mcp', payload: PING, headers: MESSAGE })
  expect(status).toBe(401)
  // What hangs up on slow senders would come a second later, and find no socket: an error that nobody catches fails the run.
  await sleep(1_500)
})

test('another account’s list and upload are not there', async () => {
  const by = await api.openCaller({ credits: 5 })
  const jobId = await keepList(api, { by, content: csvOf(['ivan@example.com']) })
  const uploadId = await uploadList(by, csvOf(emailsOf(1)))
  const { use } = await connect(await api.openCaller({ credits: 5 }))
  expect((await use('job_status', { job_id: jobId })).problem).toMatchObject({ code: 'not_found' })
  expect((await use('explain_verdict', { job_id: jobId, row: 2 })).problem).toMatchObject({ code: 'not_found' })
  expect((await use('estimate_list', { upload_id: uploadId })).problem).toMatchObject({ code: 'not_found' })
})

test('a result of a list is explained with its evidence and what to do', async () => {
  const by = await api.openCaller({ credits: 5 })
  const jobId = await keepList(api, { by, content: csvOf(['ivan@example.com']) })
  const { words, data } = await (await connect(by)).use('explain_verdict', { job_id: jobId, row: 2 })
  expect(Value.Errors(Explanation, data)).toEqual([])
  expect(data).toMatchObject({ code: 'mailbox_not_found', result: { email: 'ivan@example.com', row: 2 } })
  expect(words).toContain('invalid (mailbox_not_found): the mail server says that there is no such mailbox.')
  expect(words).toContain('- mx: Two mail hosts were found.')
  expect(words).toContain('What to do: Do not send')
})

test('a single validation is explained by its id, to its own account', async () => {
  const by = await api.openCaller({ credits: 5 })
  const url = '/api/v1/validation/single'
  const asked = await by.call({ method: 'POST', url, payload: { email: 'not an address', timeout: 1 } })
  const validation_id = String(asked.body['id'])
  const { data, words } = await (await connect(by)).use('explain_verdict', { validation_id })
  expect(Value.Errors(Explanation, data)).toEqual([])
  expect(data).toMatchObject({ validation: { id: validation_id, email: 'not an address' } })
  expect(words).toContain('unknown (not_started): no worker claimed the address before the timeout')
  const stranger = await connect(await api.openCaller({ credits: 5 }))
  expect((await stranger.use('explain_verdict', { validation_id })).problem).toMatchObject({ code: 'not_found' })
})

test('every reason and every code of a problem is explained, and nothing else', async () => {
  const { use } = await connect(await api.openCaller({ key: { mode: 'test' } }))
  for (const [reason, { status, meaning }] of Object.entries(SUB_STATUSES)) {
    expect((await use('explain_verdict', { sub_status: reason })).data).toMatchObject({ code: reason, status, meaning })
  }
  for (const [problem, { advice }] of Object.entries(PROBLEMS)) {
    expect((await use('explain_verdict', { problem })).data).toMatchObject({ code: problem, advice })
  }
  for (const asked of [{ sub_status: 'toString' }, { problem: 'constructor' }]) {
    expect((await use('explain_verdict', asked)).problem).toMatchObject({ code: 'not_found' })
  }
  for (const asked of [{}, { row: 2 }, { sub_status: 'blocked', problem: 'internal_error' }]) {
    expect((await use('explain_verdict', asked)).problem).toMatchObject({ code: 'invalid_request' })
  }
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const MESSAGE = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

test('a page of another origin is refused, even if its name leads here', async () => {
  const send = async (by: Caller, headers: Record<string, string>) => {
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

test('there is one message to a request, no session and no stream', async () => {
  const headers = { ...MESSAGE, 'x-api-key': tester.key }
  const batch = await callApp(app, { method: 'POST', url: '/mcp', payload: [PING, PING], headers })
  expect([batch.status, batch.body['code']]).toEqual([400, 'invalid_request'])
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await app.inject({ method, url: '/mcp', headers: { 'x-api-key': tester.key } })).statusCode).toBe(405)
  }
  const { client } = await connectAgent(app, { 'x-api-key': tester.key }, { pin: '2026-07-28' })
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow()
})

test('a fault of ours is told by its code alone, and logged once', async () => {
  const broken = await startTestApi()
  const by = await broken.openCaller({ credits: 5 })
  await asOwner(broken.db, (trx) => sql`delete from secrets where name = 'sessions'`.execute(trx))
  const { use } = await connectAgent(broken.app, { 'x-api-key': by.key })
  const { problem, words } = await use('estimate_list', { emails: emailsOf(1) })
  expect(problem).toMatchObject({ code: 'internal_error', status: 500 })
  expect(words).not.toContain('no result')
  const errors = readFileSync(broken.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('request failed'))
  expect(errors).toHaveLength(1)
})

test('no address and no key stands in the log', async () => {
  const { use } = await connect(tester)
  await use('validate_email', { email: 'canary-in-a-mine@example.com' })
  await use('validate_email', { email: 12, 'canary-in-a-mine': true })
  await use('estimate_list', { emails: ['canary-in-a-mine@example.com'] })
  const log = readFileSync(api.logFile, 'utf8')
  expect(log).toContain('"route":"/mcp"')
  expect(log).not.toContain('canary-in-a-mine')
  expect(log).not.toContain(tester.key)
})

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8')

test('the command of docs/mcp.md runs as it is printed there, and its table has every tool and no other', async () => {
  const [, command = ''] = /<!-- test: mcp -->\s*```sh\n(.*?)```/s.exec(PAGE) ?? []
  const url = await listen(app)
  const { stdout } = await run('sh', ['-c', command.replace('http://localhost:3000/mcp', url)])
  expect(stdout).toMatch(/"structuredContent":.*"sub_status":"mailbox_full"/)

  const { client } = await connect(tester)
  const { tools } = await client.listTools()
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(tools.map(({ name }) => name))
})
