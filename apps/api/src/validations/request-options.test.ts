import { randomUUID } from 'node:crypto'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { inTenant } from '@probity/database/connection/connect'
import { RECENT_FOR_S } from '@probity/redis/cache'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { startClaiming, startPlainWorker } from '../testing/test-plain-worker.ts'
import { keepRecent } from '../testing/test-predictions.ts'

const api = await startTestApi()
const INVALID = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false }

const startWorker = () => startPlainWorker(api.db, (email) => ({ ...pendingResult(email, 'not_probed'), ...INVALID }))
const ask = (caller: TestClient, payload: object) =>
  caller.call({ method: 'POST', url: '/api/v1/validation/single', payload })
const askBulk = (caller: TestClient, payload: object) =>
  caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload })

/** Stores a recent result of this age with the status `risky`. */
async function keepAged(caller: TestClient, email: string, ageS: number): Promise<void> {
  await vi.waitFor(() => keepRecent(api, caller, email, { status: 'risky', sub_status: 'mailbox_full' }))
  const names = await api.services.redis.keys(`recent:{${caller.accountId}}:*`)
  for (const name of names) await api.services.redis.pexpire(name, (RECENT_FOR_S - ageS) * 1_000)
}

test.each([
  [undefined, 'risky'],
  [3_600, 'risky'],
  [1_000_000, 'risky'],
  [60, 'invalid'],
  [0, 'invalid'],
])(
  'with max_age_s %s a recent result of ten minutes ago gives %s, in single and bulk requests',
  async (max, verdict) => {
    startWorker()
    const caller = await api.openCaller({ credits: 10 })
    const email = 'ada@example.com'
    await keepAged(caller, email, 600)
    const option = max === undefined ? {} : { max_age_s: max }
    expect((await ask(caller, { email, ...option })).body).toMatchObject({ status: verdict })
    const query = max === undefined ? '' : `&max_age_s=${max}`
    const got = await caller.call({ method: 'GET', url: `/api/v1/validation/single?email=${email}${query}` })
    expect(got.body).toMatchObject({ status: verdict })
    expect((await askBulk(caller, { emails: [email], ...option })).body).toMatchObject({
      results: [{ status: verdict }],
    })
  },
)

test.each([-1, 1.5, 'soon'])('max_age_s %s is rejected', async (max_age_s) => {
  const caller = await api.openCaller({ credits: 5 })
  const { status, body } = await ask(caller, { email: 'ada@example.com', max_age_s })
  expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/max_age_s' })]])
})

/** Leaves a validation whose client stopped waiting. */
async function leaveDeferred(caller: TestClient, payload: object) {
  const claiming = startClaiming(api.db)
  const { body } = await ask(caller, { ...payload, timeout: 2 })
  await claiming.stop()
  expect(body).toMatchObject({ sub_status: 'timeout', retry_at: expect.any(String) })
  return String(body['id'])
}

const untilFinal = (caller: TestClient, id: string) =>
  vi.waitFor(async () => {
    const { body } = await caller.call({ method: 'GET', url: `/api/v1/validations/${id}` })
    expect(body).toMatchObject({ status: 'invalid', retry_at: null })
  }, 5_000)

test('an uncollected result is not collected beyond max_age_s, and a new validation is charged', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const email = 'ada@example.com'
  const id = await leaveDeferred(caller, { email })
  startWorker()
  await untilFinal(caller, id)
  const fresh = await ask(caller, { email, max_age_s: 0 })
  expect(fresh.headers['credits-charged']).toBe('1')
  expect(fresh.body['id']).not.toBe(id)
  const freshInBulk = await askBulk(caller, { emails: [email], max_age_s: 0 })
  expect(freshInBulk.body).toMatchObject({ credits_used: 1, credits_charged: 1 })
  const collected = await ask(caller, { email, max_age_s: 3_600 })
  expect([collected.body['id'], collected.headers['credits-charged']]).toEqual([id, '0'])
})

test('a validation in progress is joined with max_age_s 0, because its result is newer than the request', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const email = 'ada@example.com'
  const id = await leaveDeferred(caller, { email })
  const wait = vi.spyOn(api.services.dispatch.results, 'wait')
  const joining = ask(caller, { email, max_age_s: 0, timeout: 10 })
  await vi.waitFor(() => expect(wait).toHaveBeenCalledOnce())
  startWorker()
  const { body, headers } = await joining
  expect([body['id'], body['status'], headers['credits-charged']]).toEqual([id, 'invalid', '0'])
})

test('a reference is returned with single and bulk results and stored with the validation', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 10 })
  const reference = 'customer 1042 “ß”'
  const { body } = await ask(caller, { email: 'ada@example.com', reference })
  expect(body['reference']).toBe(reference)
  expect((await ask(caller, { email: 'bob@example.com' })).body['reference']).toBeNull()
  const query = `email=eve@example.com&reference=${encodeURIComponent(reference)}`
  const got = await caller.call({ method: 'GET', url: `/api/v1/validation/single?${query}` })
  expect(got.body['reference']).toBe(reference)
  const bulk = await askBulk(caller, { emails: ['grace@example.com'], reference })
  expect(bulk.body['reference']).toBe(reference)
  const [item] = bulk.body['results'] as { id: string }[]
  for (const id of [body['id'], item?.id]) {
    const stored = await caller.call({ method: 'GET', url: `/api/v1/validations/${id}` })
    expect(stored.body).toMatchObject({ id, reference })
  }
  await keepAged(caller, 'recent@example.com', 600)
  const recent = await ask(caller, { email: 'recent@example.com', reference })
  expect(recent.body).toMatchObject({ status: 'risky', reference })
})

test('a reference has at most 200 characters', async () => {
  startWorker()
  const caller = await api.openCaller({ credits: 5 })
  const email = 'ada@example.com'
  const longest = '😀'.repeat(100) + 'x'.repeat(100)
  expect((await ask(caller, { email, reference: longest })).body['reference']).toBe(longest)
  const { status, body } = await ask(caller, { email, reference: `${longest}x` })
  expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/reference' })]])
  expect((await ask(caller, { email: 'bob@example.com', reference: 'nul\0' })).body['reference']).toBe('nul\0')
})

test('the event validation.resolved has the reference of the request that paid', async () => {
  const caller = await api.openCaller({ credits: 5 })
  const url = '/api/v1/webhooks'
  const { body: hook } = await caller.call({ method: 'POST', url, payload: { url: 'https://hooks.example.com/p' } })
  const id = await leaveDeferred(caller, { email: 'ada@example.com', reference: 'order-7' })
  startWorker()
  await untilFinal(caller, id)
  const events = await inTenant(api.db, caller.accountId, (trx) =>
    trx.selectFrom('webhookEvents').select(['type', 'body']).execute(),
  )
  const [event] = events.filter(({ type }) => type === 'validation.resolved')
  expect(JSON.parse(event?.body ?? '{}')).toMatchObject({ data: { id, reference: 'order-7' } })
  expect(hook['id']).toEqual(expect.any(String))
})

test('the sandbox returns the reference and ignores max_age_s', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const option = { reference: randomUUID(), max_age_s: 0 }
  expect((await ask(caller, { email: 'valid@example.com', ...option })).body).toMatchObject({
    status: 'valid',
    reference: option.reference,
  })
  expect((await askBulk(caller, { emails: ['valid@example.com'], ...option })).body).toMatchObject({
    reference: option.reference,
    results: [{ status: 'valid', indexes: [0] }],
  })
})
