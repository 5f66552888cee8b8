import { randomUUID } from 'node:crypto'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { listWaiting } from '@probity/database/validations/queue'
import { deferResult, openValidations } from '@probity/database/validations/validations'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { afterAll, expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { balancesOf, startClaiming, startPlainWorker } from '../testing/test-plain-worker.ts'

/** Requests that time out before a worker has claimed their addresses. */
const api = await startTestApi()
afterAll(async () => expect(await asOwner(api.db, listDrift)).toEqual([]))

await asOwner(api.db, (trx) =>
  sql`insert into plans select 'no-refunds', api_access, ai_enhancement, catchall_detection, false,
      requests_per_window, window_s, interactive_in_flight, emails_per_file from plans where name = 'payg'`.execute(
    trx,
  ),
)

const EMAIL = 'ada@example.com'
const creditsOf = ({ accountId }: TestClient) => balancesOf(api.db, accountId)

function validate(caller: TestClient, payload: object, headers: Record<string, string> = {}) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload, headers })
}

function validateBulk(caller: TestClient, payload: object) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload })
}

const startWorker = () =>
  startPlainWorker(api.db, (email) => ({
    ...pendingResult(email, 'not_probed'),
    status: 'invalid',
    sub_status: 'no_mail_server',
  }))

/** A validation that no worker has claimed and that later requests join, as a process leaves it that stops before the timeout. */
async function openUnclaimed({ accountId, keyId }: TestClient): Promise<string> {
  const row = { id: randomUUID(), email: EMAIL, emailKey: EMAIL }
  await inTenant(api.db, accountId, async (trx) => {
    const opened = await openValidations(trx, { accountId, keyId, retentionDays: 30, group: row.id }, [row])
    if (opened.kind === 'opened' && opened.refs[0]) await deferResult(trx, opened.refs[0])
  })
  return row.id
}

test.each(['payg', 'no-refunds'])(
  'a single address that no worker claims is withdrawn and refunded on the plan %s',
  async (plan) => {
    const caller = await api.openCaller({ credits: 5, plan })
    const { status, body, headers } = await validate(caller, { email: EMAIL, timeout: 1 })
    expect([status, Value.Check(ValidationResult, body)]).toEqual([200, true])
    expect(body).toMatchObject({
      email: EMAIL,
      status: 'unknown',
      sub_status: 'not_started',
      safe_to_send: false,
      retry_at: null,
      evidence: [{ check: 'worker', outcome: 'not_claimed' }],
    })
    expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['0', '5'])
    expect(await creditsOf(caller)).toEqual([5, 0])
    // A worker that starts later finds nothing to do, and the next request is a new validation.
    expect(await listWaiting(api.db, { olderThanMs: 0, limit: 10, egresses: [] })).toEqual([])
    const worker = startWorker()
    const again = await validate(caller, { email: EMAIL })
    await worker.stop()
    expect(again.body).toMatchObject({ status: 'invalid' })
    expect([again.body['id'] === body['id'], again.headers['credits-charged']]).toEqual([false, '1'])
    expect(await creditsOf(caller)).toEqual([4, 1])
  },
)

test('an unclaimed address has the findings about its text', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const details = {
    syntax_valid: true,
    dns_valid: false,
    domain: 'xn--bcher-kva.example',
    is_role_based: true,
    local_part: 'Info+news',
    canonical_email: 'info+news@xn--bcher-kva.example',
    tag: 'news',
  }
  const { body } = await validate(caller, { email: 'Info+news@bücher.example', timeout: 1 })
  expect(body).toMatchObject({ sub_status: 'not_started', details, flags: { is_tagged: true, is_free: false } })
  const stored = await caller.call({ method: 'GET', url: `/api/v1/validations/${body['id']}` })
  expect(stored.body).toMatchObject({ sub_status: 'not_started', details })
  const typo = await validate(caller, { email: 'ada@gmial.com', timeout: 1 })
  expect(typo.body).toMatchObject({ did_you_mean: 'ada@gmail.com', details: { domain: 'gmial.com' } })
  const free = await validate(caller, { email: 'ada@gmail.com', timeout: 1 })
  expect(free.body).toMatchObject({ flags: { is_free: true }, details: { syntax_valid: true } })
  const malformed = await validate(caller, { email: 'ada@@example.com', timeout: 1 })
  expect(malformed.body).toMatchObject({ sub_status: 'not_started', details: { syntax_valid: false, domain: '' } })
})

test('a request that is repeated with its Idempotency-Key gets the same response and no second refund', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const key = { 'idempotency-key': randomUUID() }
  const first = await validate(caller, { email: EMAIL, timeout: 1 }, key)
  const second = await validate(caller, { email: EMAIL, timeout: 1 }, key)
  expect([second.text, second.headers['credits-charged']]).toEqual([first.text, '0'])
  // The process may end between the withdrawal and the response.
  await asOwner(api.db, (trx) =>
    trx
      .updateTable('idempotencyRecords')
      .set({ status: null, body: null, lockedUntil: new Date(0) })
      .where('accountId', '=', caller.accountId)
      .execute(),
  )
  const resumed = await validate(caller, { email: EMAIL, timeout: 1 }, key)
  expect(resumed.body).toMatchObject({ id: first.body['id'], sub_status: 'not_started' })
  expect([resumed.headers['credits-charged'], ...(await creditsOf(caller))]).toEqual(['0', 5, 0])
})

test('addresses of a bulk request that no worker claims are withdrawn and refunded, and the claimed ones are kept', async () => {
  const caller = await api.openCaller({ credits: 10, plan: 'no-refunds' })
  const emails = Array.from({ length: 5 }, (_, n) => `person${n}@example.com`)
  const worker = startClaiming(api.db, 2)
  const { body, headers } = await validateBulk(caller, { emails, timeout: 3 })
  await worker.stop()
  const reasons = (body['results'] as { sub_status: string }[]).map(({ sub_status: reason }) => reason)
  expect(reasons.toSorted()).toEqual(['not_started', 'not_started', 'not_started', 'timeout', 'timeout'])
  expect(body).toMatchObject({ unknown_count: 5, credits_used: 5, credits_refunded: 3 })
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['2', '8'])
  expect(await creditsOf(caller)).toEqual([8, 2])
})

test('a thousand addresses that no worker claims are refunded exactly', async () => {
  const caller = await api.openCaller({ credits: 1_000 })
  const emails = Array.from({ length: 1_000 }, (_, n) => `person${n}@example.com`)
  const { body, headers } = await validateBulk(caller, { emails, timeout: 1 })
  expect(body).toMatchObject({ unknown_count: 1_000, credits_used: 1_000, credits_refunded: 1_000 })
  expect(headers['credits-charged']).toBe('0')
  expect(await creditsOf(caller)).toEqual([1_000, 0])
})

test('a validation is not withdrawn while a request in another process waits for it longer', async () => {
  const other = await start(api.config, api.services.log)
  whenDone(() => other.stop())
  const caller = await api.openCaller({ credits: 5 })
  const id = await openUnclaimed(caller)
  const headers = { 'x-api-key': caller.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: EMAIL, timeout: 30 })
  const long = fetch(`http://127.0.0.1:${other.address.port}/api/v1/validation/single`, {
    method: 'POST',
    headers,
    body,
  })
  const isJoined = async () => {
    const row = await inTenant(api.db, caller.accountId, (trx) =>
      trx.selectFrom('validations').select('awaitedUntil').where('id', '=', id).executeTakeFirstOrThrow(),
    )
    expect(row.awaitedUntil?.getTime()).toBeGreaterThan(Date.now() + 10_000)
  }
  await vi.waitFor(isJoined, 10_000)
  const short = await validate(caller, { email: EMAIL, timeout: 1 })
  expect(short.body).toMatchObject({ id, sub_status: 'timeout', retry_at: expect.any(String) })
  const worker = startWorker()
  expect(await (await long).json()).toMatchObject({ id, status: 'invalid', retry_at: null })
  await worker.stop()
  expect(await creditsOf(caller)).toEqual([4, 1])
})

test('the last request that waits for an unclaimed validation withdraws it', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const id = await openUnclaimed(caller)
  const answers = await Promise.all([1, 1, 2].map((timeout) => validate(caller, { email: EMAIL, timeout })))
  expect(answers.map(({ headers }) => headers['credits-charged'])).toEqual(['0', '0', '0'])
  expect(answers.map(({ body }) => body['id'])).toEqual([id, id, id])
  expect(answers.at(-1)?.body).toMatchObject({ sub_status: 'not_started', retry_at: null })
  expect(await creditsOf(caller)).toEqual([5, 0])
})

test('a process that stops before the timeout leaves an unclaimed validation open', async () => {
  const hurry = new AbortController()
  const stopping = await startTestApi({ hurry: hurry.signal })
  const caller = await stopping.openCaller({ credits: 5 })
  const asking = validate(caller, { email: EMAIL, timeout: 30 })
  const isOpen = async () =>
    expect((await listWaiting(stopping.db, { olderThanMs: 0, limit: 10, egresses: [] })).length).toBe(1)
  await vi.waitFor(isOpen, 10_000)
  hurry.abort()
  expect((await asking).body).toMatchObject({ sub_status: 'timeout', retry_at: expect.any(String) })
  expect(await balancesOf(stopping.db, caller.accountId)).toEqual([4, 1])
})

test('a pending validation has the findings about the text of its address', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const worker = startClaiming(api.db)
  const pending = await validate(caller, { email: 'sales@example.com', timeout: 1 })
  await worker.stop()
  const found = { syntax_valid: true, domain: 'example.com', is_role_based: true }
  expect(pending.body).toMatchObject({ sub_status: 'timeout', details: found })
  const open = await caller.call({ method: 'GET', url: `/api/v1/validations/${pending.body['id']}` })
  expect(open.body).toMatchObject({ sub_status: 'timeout', details: found })
})
