import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ProviderHealth } from '@probity/contract/schemas/system'
import { Overview } from '@probity/contract/schemas/usage'
import { insertKey } from '@probity/database/accounts/keys'
import { recordRequests } from '@probity/database/accounts/requests'
import { testRequest } from '@probity/database/accounts/test-requests'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { recordSuspension } from '@probity/redis/rate-limiter-state'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { startJob } from '../testing/test-jobs.ts'

const api = await startTestApi()
const { db, services } = api
const GET = { method: 'GET', url: '/api/v1/overview' } as const
const SINGLE = { method: 'POST', url: '/api/v1/validation/single' } as const

async function look({ call }: TestClient, query = ''): Promise<Overview> {
  const { status, body } = await call({ ...GET, url: `${GET.url}${query}` })
  expect(status).toBe(200)
  expect(Value.Errors(Overview, body)).toEqual([])
  return body as Overview
}

test('an account without requests is new and has thirty empty days', async () => {
  const { livemode, is_new, verdicts, problems, alerts } = await look(await api.openCaller({ key: { mode: 'test' } }))
  expect([livemode, is_new, problems, alerts]).toEqual([false, true, [], []])
  expect(verdicts?.days).toHaveLength(30)
  expect(verdicts?.total).toEqual({ valid: 0, invalid: 0, risky: 0, unknown: 0 })
})

test('verdicts of single and bulk validations are counted', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  await caller.call({ ...SINGLE, payload: { email: 'valid@example.com' } })
  await caller.call({ ...SINGLE, payload: { email: 'mailbox-full@example.com' } })
  const emails = ['valid@example.com', 'mailbox-not-found@example.com', 'valid@example.net']
  await caller.call({ method: 'POST', url: '/api/v1/validation/bulk', payload: { emails } })
  const { verdicts } = await vi.waitFor(async () => {
    const seen = await look(caller, '?days=7')
    // Each response is counted by itself, so the verdicts may arrive in any order.
    expect(seen.verdicts?.total).toEqual({ valid: 3, invalid: 1, risky: 1, unknown: 0 })
    expect(seen.is_new).toBe(false) // known from the use of keys, which is reported by itself
    return seen
  })
  expect(verdicts?.days).toHaveLength(7)
  expect(verdicts?.today).toEqual({ valid: 3, invalid: 1, risky: 1, unknown: 0 })
})

test('running jobs are included only for keys that may read jobs', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const jobId = await startJob(caller, 3)
  const { jobs } = await look(caller)
  expect(jobs?.running).toMatchObject([{ id: jobId, status: 'queued' }])
  expect(jobs?.ended).toEqual([])
  const blind = await inTenant(db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'live', name: 'blind', scopes: ['account:read'] }),
  )
  const { body } = await caller.call({ ...GET, headers: { 'x-api-key': blind.text } })
  expect((body as Overview).jobs).toBeNull()
})

test('an overview has no rerun of unknown rows, but its job', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const [jobId, rerunId] = [await startJob(caller, 3), await startJob(caller, 1)]
  await asOwner(db, (trx) =>
    sql`update jobs set rerun_of = ${jobId}, rerun_rows = 'unknown' where id = ${rerunId}`.execute(trx),
  )
  const { jobs } = await look(caller)
  expect(jobs?.running).toMatchObject([{ id: jobId, unknown_rerun: { id: rerunId } }])
})

test('rejected requests of the last day are grouped by code', async () => {
  const caller = await api.openCaller()
  const { accountId } = caller
  const rows = [
    { status: 429, code: 'rate_limited' },
    { status: 429, code: 'rate_limited' },
    { status: 402, code: 'insufficient_credits' },
    { status: 429, code: 'rate_limited', at: new Date(Date.now() - 25 * 3_600_000) },
    { status: 500, code: 'internal_error', mode: 'test' as const },
  ]
  await recordRequests(
    db,
    rows.map((row) => testRequest({ accountId, ...row })),
    7,
  )
  const { problems } = await look(caller)
  expect(problems?.map(({ code, http_status, count }) => `${count} ${http_status} ${code}`)).toEqual([
    '2 429 rate_limited',
    '1 402 insufficient_credits',
  ])
})

test('notices cover webhooks, keys, expiring results and low credits', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const { accountId } = caller
  expect((await look(caller)).alerts).toEqual([])
  const jobId = await startJob(caller, 3)
  await openTestWebhook(db, { accountId, mode: 'live' })
  const old = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'Forgotten', scopes: [] }),
  )
  await asOwner(db, async (trx) => {
    await sql`update webhook_endpoints set failing_since = now() - interval '1 hour' where account_id = ${accountId}`.execute(
      trx,
    )
    await sql`update api_keys set created_at = now() - interval '31 days' where id = ${old.key.id}`.execute(trx)
    await sql`
      update jobs set state = 'completed', done_count = unique_count, finished_at = now(), expires_on = utc_today() + 1,
        created_at = now() - interval '29 days' where id = ${jobId}`.execute(trx)
    await sql`update accounts set credits_low = true where id = ${accountId}`.execute(trx)
  })
  const { alerts } = await look(caller)
  expect(alerts?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    expect.stringMatching(/^webhook_failing \S+\.\S+$/),
    'credits_low null',
    expect.stringMatching(/^results_expiring .+\.csv$/),
    'key_unused Forgotten',
  ])
  expect(alerts?.[2]?.id).toBe(jobId)
})

test('a part that cannot be read is missing, and the other parts are present', async () => {
  const caller = await api.openCaller()
  await asOwner(db, (trx) => sql`revoke select on requests from probity_app`.execute(trx))
  try {
    const { problems, alerts, verdicts, jobs } = await look(caller)
    expect(problems).toBeNull()
    expect([alerts, verdicts, jobs].includes(null)).toBe(false)
  } finally {
    await asOwner(db, (trx) => sql`grant select on requests to probity_app`.execute(trx))
  }
})

test('provider health names each suspended provider once, with the latest time', async () => {
  const caller = await api.openCaller()
  const show = async () => {
    const { status, body } = await caller.call({ method: 'GET', url: '/api/v1/health/providers' })
    expect([status, Value.Check(ProviderHealth, body)]).toEqual([200, true])
    return body as ProviderHealth
  }
  expect(await show()).toEqual({
    status: 'normal',
    message: 'No mailbox provider limits probes at the moment.',
    providers: [],
  })
  const trouble = { provider: 'yahoo', name: 'Yahoo', reason: 'rate_limited' }
  const at = (ms: number) => new Date(Date.now() + ms)
  const [first, last] = [at(3_000), at(4_000)]
  const note = (egress: string, until: Date) =>
    recordSuspension(services.redis, services.queuePrefix, { ...trouble, egress, until })
  await note('one', last)
  await note('two', first)
  const limited = await show()
  expect(limited).toMatchObject({ status: 'limited', providers: [{ ...trouble, retry_at: last.toISOString() }] })
  expect(limited.message).toMatch(/^Yahoo limits probes: expect more unknown results until about .*\d\d:\d\d UTC\.$/)
  expect((await look(caller)).providers).toEqual(limited)
  await vi.waitFor(async () => expect((await show()).status).toBe('normal'), { timeout: 15_000, interval: 200 })
})

test('the response in the documentation matches the actual response', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/requests.md'), 'utf8')
  const [, shown = ''] = /<!-- test: provider-health -->\s*```json\n(.*?)```/s.exec(page) ?? []
  const { providers, ...rest } = JSON.parse(shown) as ProviderHealth
  const [{ retry_at, ...trouble }] = providers as [ProviderHealth['providers'][number]]
  const soon = new Date(Date.now() + 600_000)
  const own = await startTestApi()
  const { redis, queuePrefix } = own.services
  await vi.waitFor(() => recordSuspension(redis, queuePrefix, { ...trouble, egress: 'one', until: soon })) // Redis may still be connecting
  const caller = await own.openCaller()
  const { body } = await caller.call({ method: 'GET', url: '/api/v1/health/providers' })
  const message = new RegExp(`^${rest.message.replace(/about .*/, '')}about .*\\d\\d:\\d\\d UTC\\.$`)
  expect(body).toEqual({
    status: rest.status,
    message: expect.stringMatching(message),
    providers: [{ ...trouble, retry_at: soon.toISOString() }],
  })
  expect(retry_at).toMatch(/^\d{4}-\d\d-\d\dT15:00:00\.000Z$/) // the hour in the message
})

test('without Redis the provider health is unknown, and the other parts are present', async () => {
  const alone = await startTestApi({ config: { redisUrl: 'redis://127.0.0.1:1' } })
  const caller = await alone.openCaller()
  const { body } = await caller.call(GET)
  expect(body).toMatchObject({ providers: { status: 'unknown', providers: [] }, problems: [] })
})

test.each(['days=0', 'days=91', 'days=week'])('%s is rejected', async (query) => {
  const { call } = await api.openCaller()
  const { status, body } = await call({ ...GET, url: `${GET.url}?${query}` })
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})

test('the overview requires the scope account:read', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['validations:write', 'jobs:write'] } })
  for (const url of [GET.url, '/api/v1/health/providers']) {
    expect(await call({ method: 'GET', url })).toMatchObject({ status: 403, body: { code: 'missing_scope' } })
  }
})
