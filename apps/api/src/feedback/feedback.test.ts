import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { MESSAGES_PER_REPORT_MAX } from '@probity/contract/constants/limits'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { type FeedbackReport, FeedbackSummary } from '@probity/contract/schemas/feedback'
import { asOwner } from '@probity/database/connection/connect'
import { listHistories } from '@probity/database/feedback/histories'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import { keepPredictedList, keepRecent, keepValidation } from '../testing/test-predictions.ts'

const api = await startTestApi()
const run = promisify(execFile)
const close = (n: number) => expect.closeTo(n, 3)

const DELIVERED = { delivery: 'delivered' } as const
const BOUNCED = { delivery: 'bounced', code: '550 5.1.1 User unknown' } as const

function report({ call }: TestClient, payload: object) {
  return call({ method: 'POST', url: '/api/v1/feedback', payload })
}

function reportSheet({ call }: TestClient, payload: string, query: Record<string, string> = {}) {
  const headers = { 'content-type': 'text/csv' }
  return call({ method: 'POST', url: '/api/v1/feedback', payload, headers, query })
}

async function look({ accountId }: TestClient, domain = 'firm.example') {
  const [history] = await listHistories(api.db, accountId, [{ domain, provider: 'google' }], { shared: false })
  return history
}

const NOTHING = { duplicate: 0, not_a_mailbox_bounce: 0, not_an_address: 0, no_prediction: 0 }

test('deliveries and mailbox bounces count for their domain, and the response lists ignored messages', async () => {
  const caller = await api.openCaller()
  const { status, body } = await report(caller, {
    messages: [
      { email: 'a.b@firm.example', ...DELIVERED },
      { email: 'C.D@Firm.Example', ...DELIVERED },
      { email: 'gone@firm.example', ...BOUNCED },
      { email: 'blocked@firm.example', delivery: 'bounced', code: '550 5.7.1 Blocked' },
      { email: 'full@firm.example', delivery: 'bounced', code: '552 5.2.2 Over quota' },
      { email: 'unsaid@firm.example', delivery: 'bounced' },
      { email: 'c.d@firm.example', ...DELIVERED },
      { email: 'not an address', ...DELIVERED },
    ],
  })
  expect([status, Value.Check(FeedbackSummary, body)]).toEqual([200, true])
  expect(body).toEqual({
    received: 8,
    counted: { delivered: 2, bounced: 1 },
    not_counted: { duplicate: 1, not_a_mailbox_bounce: 3, not_an_address: 1, no_prediction: 0 },
    delivered_weight: 1,
    predictions_found: 0,
    livemode: true,
  })
  const history = await look(caller)
  expect(history?.domain).toMatchObject({ delivered: close(2), bounced: close(1) })
  expect(history?.domain.shapes.map(Math.round)).toEqual([0, 0, 0, 2]) // "a.b" and "c.d" start with an initial
})

test('a repeated or concurrent copy of a report changes nothing', async () => {
  const caller = await api.openCaller()
  const messages = Array.from({ length: 50 }, (_, n) => ({ email: `a${n}@firm.example`, ...DELIVERED }))
  const answers = await Promise.all([report(caller, { messages }), report(caller, { messages: messages.toReversed() })])
  const delivered = answers.map(({ body }) => (body as FeedbackSummary).counted.delivered)
  expect(delivered.reduce((sum, n) => sum + n, 0)).toBe(50)
  const { body } = await report(caller, { messages })
  expect(body).toMatchObject({ counted: { delivered: 0 }, not_counted: { duplicate: 50 } })
  expect(await look(caller)).toMatchObject({ domain: { delivered: close(50) } })
})

test('a bounce of the same day replaces a delivery, also within one report', async () => {
  const caller = await api.openCaller()
  await report(caller, { messages: [{ email: 'a@firm.example', ...DELIVERED }] })
  const { body } = await report(caller, {
    messages: [
      { email: 'a@firm.example', ...BOUNCED },
      { email: 'b@firm.example', ...BOUNCED },
      { email: 'b@firm.example', ...DELIVERED },
    ],
  })
  expect(body).toMatchObject({ counted: { delivered: 0, bounced: 2 }, not_counted: { duplicate: 1 } })
  expect(await look(caller)).toMatchObject({ domain: { delivered: close(0), bounced: close(2) } })
})

test('CSV and JSON are counted equally, with any column order and separator', async () => {
  const [json, sheet] = [await api.openCaller(), await api.openCaller()]
  const id = await keepValidation(api, sheet, 'c@firm.example')
  const jsonId = await keepValidation(api, json, 'c@firm.example')
  const messages = [
    { email: 'a@firm.example', ...DELIVERED },
    { email: 'b@firm.example', ...BOUNCED },
    { email: 'c@firm.example', ...DELIVERED, id: jsonId },
    { email: 'd@firm.example', delivery: 'bounced' },
  ] as const
  const rows = messages.map((one) => {
    const { email, delivery, code = '', id: named } = one as FeedbackReport['messages'][number]
    return `${code};x;${delivery};${named ? id : ''};"${email}"`
  })
  const text = ['\uFEFFCode;what else;DELIVERY;id;Email', ...rows, ''].join('\r\n')
  const [one, other] = [
    await report(json, { messages, sent_total: 10, sent_on: today() }),
    await reportSheet(sheet, text, { sent_total: '10', sent_on: today() }),
  ]
  expect([one.status, other.body]).toEqual([200, one.body])
  expect(one.body).toMatchObject({ received: 4, delivered_weight: 4, predictions_found: 1 })
  const [first, second] = [await look(json), await look(sheet)]
  expect(first?.domain).toMatchObject({ delivered: close(8), bounced: close(1) })
  expect(second?.domain).toMatchObject({ delivered: close(8), bounced: close(1) })
  expect(second?.classes).toMatchObject({ catch_all: { delivered: close(4), bounced: 0 } })
})

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

test('predictions are found by id, by job and among recent results', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const id = await keepValidation(api, caller, 'id@firm.example', {
    status: 'valid',
    sub_status: '',
    deliverability: 0.98,
  })
  const jobId = await keepPredictedList(api, caller, { emails: ['Of.Job@firm.example', 'unmailed@firm.example'] })
  await vi.waitFor(() =>
    keepRecent(api, caller, 'recent@firm.example', { sub_status: 'greylisted', status: 'unknown' }),
  )
  const { body } = await report(caller, {
    job_id: jobId,
    messages: [
      { email: 'id@firm.example', ...DELIVERED, id },
      { email: 'of.job@firm.example', ...DELIVERED },
      { email: 'recent@firm.example', ...BOUNCED },
      { email: 'unheard@firm.example', ...DELIVERED },
    ],
  })
  expect(body).toMatchObject({ counted: { delivered: 3, bounced: 1 }, predictions_found: 3 })
  expect((await look(caller))?.classes).toMatchObject({
    '': { delivered: close(1), bounced: 0 },
    catch_all: { delivered: close(1), bounced: 0 },
    greylisted: { delivered: 0, bounced: close(1) },
  })
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select kind, bin, n from calibration where account_id = ${caller.accountId} order by kind`.execute(trx),
  )
  expect(rows).toEqual([
    { kind: 'decided', bin: 9, n: close(1) },
    { kind: 'weighed', bin: 8, n: close(2) },
  ])
})

test('results without deliverability and ids of other addresses or accounts are no predictions', async () => {
  const [caller, other] = [await api.openCaller({ credits: 5 }), await api.openCaller({ credits: 5 })]
  const old = await keepValidation(api, caller, 'old@firm.example', { deliverability: undefined })
  const wrong = await keepValidation(api, caller, 'another@firm.example')
  const foreign = await keepValidation(api, other, 'foreign@firm.example')
  const foreignJob = await keepPredictedList(api, other, { emails: ['listed@firm.example'] })
  const messages = [
    { email: 'old@firm.example', ...DELIVERED, id: old },
    { email: 'wrong@firm.example', ...DELIVERED, id: wrong },
    { email: 'foreign@firm.example', ...DELIVERED, id: foreign },
    { email: 'listed@firm.example', ...DELIVERED },
  ]
  const { body } = await report(caller, { messages, job_id: foreignJob })
  expect(body).toMatchObject({ counted: { delivered: 4 }, predictions_found: 0 })
  const sandboxJob = await keepPredictedList(api, caller, { emails: ['listed@firm.example'], mode: 'test' })
  expect((await report(caller, { messages, job_id: sandboxJob })).body).toMatchObject({ predictions_found: 0 })
  const missing = await report(caller, { messages, job_id: randomUUID() })
  expect([missing.status, missing.body['predictions_found']]).toEqual([200, 0])
  expect(await look(caller)).toMatchObject({ domain: { delivered: close(4) }, classes: {} })
})

test('with a total, the reported deliveries are weighted to represent all deliveries', async () => {
  const caller = await api.openCaller()
  // 1,000 messages were sent and 200 bounced; 180 of the bounces and a fifth of the deliveries are reported.
  const messages = [
    ...Array.from({ length: 180 }, (_, n) => ({ email: `bad${n}@firm.example`, ...BOUNCED })),
    ...Array.from({ length: 160 }, (_, n) => ({ email: `good${n}@firm.example`, ...DELIVERED })),
  ]
  const { body } = await report(caller, { messages, sent_total: 1000 })
  expect(body).toMatchObject({ delivered_weight: 820 / 160 })
  const { delivered = 0, bounced = 0 } = (await look(caller))?.domain ?? {}
  expect(delivered / (delivered + bounced)).toBeCloseTo(0.82, 4)
})

test('with a total and bounces only, only the classes of these bounces change', async () => {
  const caller = await api.openCaller()
  const id = await keepValidation(api, caller, 'a@firm.example')
  const messages = [
    { email: 'a@firm.example', ...BOUNCED, id },
    { email: 'unheard@firm.example', ...BOUNCED },
  ]
  const { body } = await report(caller, { messages, sent_total: 102 })
  expect(body).toMatchObject({ counted: { bounced: 1 }, not_counted: { ...NOTHING, no_prediction: 1 } })
  expect(await look(caller)).toMatchObject({
    domain: { delivered: 0, bounced: 0 },
    classes: { catch_all: { delivered: close(50), bounced: close(1) } },
  })
  // Addresses that were not counted can be counted once their deliveries are reported.
  const later = await report(caller, { messages: [...messages, { email: 'ok@firm.example', ...DELIVERED }] })
  expect(later.body).toMatchObject({ counted: { delivered: 1, bounced: 1 }, not_counted: { duplicate: 1 } })
})

test("an account without retention can report, and accounts do not see each other's reports", async () => {
  const [mine, theirs] = [await api.openCaller(), await api.openCaller()]
  await asOwner(api.db, (trx) => sql`update accounts set retention_days = 0 where id = ${mine.accountId}`.execute(trx))
  await report(mine, { messages: [{ email: 'a@firm.example', ...BOUNCED }] })
  expect(await look(mine)).toMatchObject({ domain: { bounced: close(1) } })
  expect(await look(theirs)).toMatchObject({ domain: { delivered: 0, bounced: 0 } })
})

test('in test mode a report is read and nothing is stored', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const payload = {
    messages: [
      { email: 'a@firm.example', ...DELIVERED },
      { email: 'b@firm.example', ...BOUNCED },
      { email: 'c@firm.example', delivery: 'bounced' },
    ],
  }
  const expected = {
    received: 3,
    counted: { delivered: 1, bounced: 1 },
    not_counted: { ...NOTHING, not_a_mailbox_bounce: 1 },
    delivered_weight: 1,
    predictions_found: 0,
    livemode: false,
  }
  for (const _ of [1, 2]) expect((await report(caller, payload)).body).toEqual(expected)
  expect(await look(caller)).toMatchObject({ domain: { delivered: 0, bounced: 0 } })

  const headers = { 'x-api-key': PUBLIC_SANDBOX_KEY }
  const withPublicKey = await callApp(api.app, { method: 'POST', url: '/api/v1/feedback', headers, payload })
  expect([withPublicKey.status, withPublicKey.body]).toEqual([200, expected])
})

const ONE = [{ email: 'a@firm.example', ...DELIVERED }]
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test.each([
  [{}, '/messages'],
  [{ messages: [] }, '/messages'],
  [{ messages: [{ email: 'a@firm.example', delivery: 'opened' }] }, '/messages/0/delivery'],
  [{ messages: [{ delivery: 'delivered' }] }, '/messages/0/email'],
  [{ messages: ONE, sent_total: 0 }, '/sent_total'],
  [{ messages: [...ONE, { email: 'b@firm.example', ...BOUNCED }], sent_total: 1 }, '/sent_total'],
  [{ messages: ONE, sent_on: 'yesterday' }, '/sent_on'],
  [{ messages: ONE, sent_on: daysFromNow(-61) }, '/sent_on'],
  [{ messages: ONE, sent_on: daysFromNow(2) }, '/sent_on'],
  [{ messages: ONE, job_id: '7' }, '/job_id'],
  [{ messages: ONE, more: 1 }, '/more'],
])('%j is rejected with the name of the field', async (payload, pointer) => {
  const { status, body } = await report(await api.openCaller(), payload)
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
  expect(body['errors']).toEqual(expect.arrayContaining([{ pointer, detail: expect.any(String) }]))
})

test.each([
  ['email,code\na@firm.example,5.1.1\n', 400, 'invalid_request'],
  ['', 400, 'invalid_request'],
  ['email,delivery\n', 400, 'invalid_request'],
  ['email,delivery\na@firm.example,opened\n', 400, 'invalid_request'],
  ['email,delivery\n"a@firm.example,delivered\n', 422, 'malformed_csv'],
  [`email,delivery\n${'a@firm.example,delivered\n'.repeat(MESSAGES_PER_REPORT_MAX + 1)}`, 400, 'invalid_request'],
  [
    `email,delivery\n${`a@firm.example,delivered${' '.repeat(400)}\n`.repeat(MESSAGES_PER_REPORT_MAX)}`,
    413,
    'payload_too_large',
  ],
])('the CSV %.40j is rejected', async (text, status, code) => {
  const caller = await api.openCaller()
  const { status: got, body } = await reportSheet(caller, text)
  expect([got, body['code']]).toEqual([status, code])
  expect(JSON.stringify(body)).not.toContain('firm.example')
})

test('ten thousand messages are accepted, and one more is rejected', async () => {
  const caller = await api.openCaller()
  const messages = Array.from({ length: MESSAGES_PER_REPORT_MAX }, (_, n) => ({
    email: `a${n}@firm.example`,
    ...DELIVERED,
  }))
  expect((await report(caller, { messages: [...messages, ...ONE] })).status).toBe(400)
  expect((await report(caller, { messages })).body).toMatchObject({ counted: { delivered: MESSAGES_PER_REPORT_MAX } })
})

test.each([
  [{ 'content-type': 'text/plain' }, 'email,delivery\na@firm.example,delivered\n', 415, 'unsupported_media_type'],
  [{ 'content-type': 'application/xml' }, '<a/>', 415, 'unsupported_media_type'],
  [{ 'content-type': 'application/json' }, '{', 400, 'malformed_json'],
  [{ 'content-type': 'application/json' }, 'null', 400, 'invalid_request'],
  [{ 'content-type': 'Application/JSON; charset=utf-8' }, '{}', 400, 'invalid_request'],
  [{}, undefined, 400, 'invalid_request'],
])('a body as %j %j is rejected', async (headers, payload, status, code) => {
  const { call } = await api.openCaller()
  const { status: got, body } = await call({
    method: 'POST',
    url: '/api/v1/feedback',
    headers,
    ...(payload && { payload }),
  })
  expect([got, body['code']]).toEqual([status, code])
})

test('a key without validations:write gets the name of the missing scope', async () => {
  const caller = await api.openCaller({ key: { scopes: ['account:read', 'jobs:write'] } })
  const { status, body } = await report(caller, { messages: ONE })
  expect([status, body['code']]).toEqual([403, 'missing_scope'])
})

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/feedback.md'), 'utf8')
const COMMANDS = [...DOCS.matchAll(/<!-- test: feedback -->\s*```sh\n(.*?)```/gs)].map(([, command = '']) => command)

test('the commands in the documentation run as printed, against this address', async () => {
  expect(COMMANDS).toHaveLength(2)
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  for (const command of COMMANDS) {
    const { stdout } = await run('sh', ['-c', command.replace('http://localhost:3000', url)])
    expect(JSON.parse(stdout)).toMatchObject({ counted: { delivered: 2, bounced: 1 }, not_counted: NOTHING })
  }
})

test('the public sandbox key reports at most 100 messages and 64 KiB', async () => {
  const messagesOf = (count: number, code = '550') =>
    Array.from({ length: count }, (_, n) => ({ email: `a${n}@firm.example`, delivery: 'bounced', code }))
  const send = (messages: object[], more: object = {}) =>
    callApp(api.app, {
      method: 'POST',
      url: '/api/v1/feedback',
      headers: { 'x-api-key': PUBLIC_SANDBOX_KEY, 'content-type': 'application/json' },
      payload: JSON.stringify({ messages }),
      remoteAddress: '127.0.3.1',
      ...more,
    })
  expect((await send(messagesOf(100))).status).toBe(200)
  expect((await send(messagesOf(101))).body).toMatchObject({ status: 400, errors: [{ pointer: '/messages' }] })
  expect((await send(messagesOf(100, 'x'.repeat(1_000)))).body).toMatchObject({ code: 'payload_too_large' })
  const payload = Readable.from([JSON.stringify({ messages: messagesOf(1) })])
  expect((await send([], { payload })).body).toMatchObject({ code: 'payload_too_large' })
})
