import { randomUUID } from 'node:crypto'
import type { BulkSummary } from '@probity/contract/schemas/validations/bulk'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { grantPaid } from '@probity/database/billing/payments'
import { asOwner, inTenant, withoutTenant } from '@probity/database/connection/connect'
import { countDomainAddresses, deleteOldDomainDays } from '@probity/database/validations/probing'
import type { ClaimedValidation } from '@probity/database/validations/queue'
import { writeCached } from '@probity/engine/address/cached-result'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { ALL_FEATURES } from '../http/validation-options.ts'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { balancesOf, startPlainWorker } from '../testing/test-plain-worker.ts'

const LIMIT = 3
const api = await startTestApi({ config: { abuseLimits: { domainAddresses: LIMIT } } })
const verdictOf = (email: string, { domainLimited, mailbox }: ClaimedValidation): StoredResult => {
  const unprobed = pendingResult(email, 'not_probed')
  return domainLimited || !mailbox ? unprobed : { ...unprobed, status: 'invalid', sub_status: 'mailbox_not_found' }
}
startPlainWorker(api.db, verdictOf)
afterAll(async () => expect(await asOwner(api.db, listDrift)).toEqual([]))

// Without refunds of other unknown results.
await asOwner(api.db, (trx) =>
  sql`insert into plans select 'no-refunds', api_access, ai_enhancement, catchall_detection, false,
      requests_per_window, window_s, interactive_in_flight, emails_per_file from plans where name = 'payg'`.execute(
    trx,
  ),
)

const single = (by: TestClient, email: string, headers = {}) =>
  by.call({ method: 'POST', url: '/api/v1/validation/single', payload: { email }, headers })
const bulk = (by: TestClient, emails: string[]) =>
  by.call({ method: 'POST', url: '/api/v1/validation/bulk', payload: { emails } })
const emailsAt = (domain: string, count: number) => Array.from({ length: count }, () => `${randomUUID()}@${domain}`)

const reasonsOf = (body: Record<string, unknown>) =>
  (body['results'] as BulkSummary['results']).map(({ sub_status: reason }) => reason)

const PROBED = 'mailbox_not_found'
const UNPROBED = 'not_probed'

test.each(['payg', 'no-refunds'])(
  'a single validation beyond the daily limit of its domain is not probed, and refunded on the plan %s',
  async (plan) => {
    const by = await api.openCaller({ credits: 100, plan })
    for (const email of emailsAt('target.example', LIMIT)) {
      expect((await single(by, email)).body['sub_status']).toBe(PROBED)
    }
    // A subdomain counts toward its registered domain.
    const key = { 'idempotency-key': randomUUID() }
    const { status, body, headers, text } = await single(by, 'one@mail.target.example', key)
    expect([status, body['status'], body['sub_status'], headers['credits-charged']]).toEqual([
      200,
      'unknown',
      UNPROBED,
      '0',
    ])
    expect((await single(by, 'one@mail.target.example', key)).text).toBe(text)
    expect(await balancesOf(api.db, by.accountId)).toEqual([100 - LIMIT, LIMIT])
    const stored = await by.call({ method: 'GET', url: `/api/v1/validations/${body['id']}` })
    expect(stored.body).toMatchObject({ id: body['id'], sub_status: UNPROBED, retry_at: null })
    expect((await single(by, 'one@elsewhere.example')).body['sub_status']).toBe(PROBED)
    const another = await api.openCaller({ credits: 100 })
    expect((await single(another, 'one@target.example')).body['sub_status']).toBe(PROBED)
  },
)

test('a bulk request probes the addresses of a domain up to the limit, and returns results for all', async () => {
  const by = await api.openCaller({ credits: 100, plan: 'no-refunds' })
  const emails = [...emailsAt('target.example', LIMIT - 1), ...emailsAt('other.example', 1)]
  const { status, body, headers } = await bulk(by, [...emails, ...emailsAt('sub.target.example', 3)])
  expect(status).toBe(200)
  expect(reasonsOf(body)).toEqual([...emails.map(() => PROBED), PROBED, UNPROBED, UNPROBED])
  expect(body).toMatchObject({ total: 6, invalid_count: 4, unknown_count: 2, credits_used: 6, credits_refunded: 2 })
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['4', '96'])
  expect(await balancesOf(api.db, by.accountId)).toEqual([96, 4])
  expect(reasonsOf((await bulk(by, emailsAt('target.example', 2))).body)).toEqual([UNPROBED, UNPROBED])
})

test('concurrent requests together probe no more addresses of a domain than the limit', async () => {
  const by = await api.openCaller({ credits: 100 })
  const requests = Array.from({ length: 8 }, () => bulk(by, emailsAt('target.example', 2)))
  const reasons = (await Promise.all(requests)).flatMap(({ body }) => reasonsOf(body))
  expect(reasons.filter((reason) => reason === PROBED).length).toBe(LIMIT)
  expect(reasons.filter((reason) => reason === UNPROBED).length).toBe(16 - LIMIT)
})

test('recent results and decisions do not count toward the limit', async () => {
  const by = await api.openCaller({ credits: 100 })
  const [first = '', ...rest] = emailsAt('target.example', LIMIT)
  const recent = { ...pendingResult(first, UNPROBED), status: 'invalid', sub_status: PROBED }
  const key = await api.services.keys.find(by.key)
  const name = await vi.waitFor(
    () => (key && api.services.recentKeyOf(key, first, ALL_FEATURES)) ?? expect.fail('no secret for names yet'),
  )
  await api.services.redis.set(name, writeCached(randomUUID(), recent), 'EX', 60)
  expect(reasonsOf((await bulk(by, [first])).body)).toEqual([PROBED])
  const decide = (email: string) => by.call({ method: 'POST', url: '/api/v1/validation/decision', payload: { email } })
  for (const email of emailsAt('target.example', LIMIT + 1)) expect((await decide(email)).status).toBe(200)
  expect(reasonsOf((await bulk(by, [...rest, ...emailsAt('target.example', 1)])).body)).toEqual(
    Array.from({ length: LIMIT }, () => PROBED),
  )
})

test('free email providers, privacy relays and test mode are not limited', async () => {
  const by = await api.openCaller({ credits: 100 })
  const shared = ['gmail.com', 'duck.com', 'outlook.com'].flatMap((domain) => emailsAt(domain, LIMIT + 1))
  expect(new Set(reasonsOf((await bulk(by, shared)).body))).toEqual(new Set([PROBED]))
  const tester = await api.openCaller({ key: { mode: 'test' } })
  const emails = Array.from({ length: LIMIT + 1 }, (_, n) => `valid+${n}@example.com`)
  expect((await bulk(tester, emails)).status).toBe(200)
})

test('the limit grows with the credits that the account has bought, and addresses beyond it do not count', async () => {
  const by = await api.openCaller({ credits: 100 })
  await bulk(by, emailsAt('target.example', LIMIT + 5))
  await inTenant(api.db, by.accountId, (trx) =>
    grantPaid(trx, by.accountId, { reference: `cs_${randomUUID()}`, credits: 100 }),
  )
  const reasons = reasonsOf((await bulk(by, emailsAt('target.example', 11))).body)
  expect(reasons).toEqual([...Array.from({ length: 10 }, () => PROBED), UNPROBED])
})

test('without the setting there is no limit', async () => {
  const open = await startTestApi()
  startPlainWorker(open.db, verdictOf)
  const by = await open.openCaller({ credits: 100 })
  const { body } = await bulk(by, emailsAt('target.example', LIMIT + 1))
  expect(new Set(reasonsOf(body))).toEqual(new Set([PROBED]))
})

test('counts of past days are deleted', async () => {
  const { accountId } = await api.openCaller()
  await inTenant(api.db, accountId, (trx) => countDomainAddresses(trx, new Map([['target.example', 1]]), LIMIT))
  await asOwner(api.db, (trx) =>
    sql`update account_domain_days set day = day - 1 where account_id = ${accountId}`.execute(trx),
  )
  expect(await deleteOldDomainDays(api.db)).toBe(1)
  expect(await withoutTenant(api.db, async () => deleteOldDomainDays(api.db))).toBe(0)
})
