import { randomUUID } from 'node:crypto'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { grantPaid } from '@probity/database/billing/payments'
import { asOwner, inTenant, withoutTenant } from '@probity/database/connection/connect'
import { countDomainAddresses, deleteOldDomainDays } from '@probity/database/validations/probing'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { balancesOf, startPlainWorker } from '../testing/test-plain-worker.ts'

const LIMIT = 3
const api = await startTestApi({ config: { abuseLimits: { domainAddresses: LIMIT } } })
startPlainWorker(api.db, (email) => ({
  ...pendingResult(email, 'not_probed'),
  status: 'invalid',
  sub_status: 'mailbox_not_found',
}))

const single = (by: TestClient, email: string) =>
  by.call({ method: 'POST', url: '/api/v1/validation/single', payload: { email } })
const bulk = (by: TestClient, emails: string[]) =>
  by.call({ method: 'POST', url: '/api/v1/validation/bulk', payload: { emails } })
const emailsAt = (domain: string, count: number) => Array.from({ length: count }, () => `${randomUUID()}@${domain}`)

test('single validations of one domain are limited per account and day, and a rejected one is not charged', async () => {
  const by = await api.openCaller({ credits: 100 })
  for (const email of emailsAt('target.example', LIMIT)) expect((await single(by, email)).status).toBe(200)
  // A subdomain counts toward its registered domain.
  const { status, body, headers } = await single(by, 'one@mail.target.example')
  expect([status, body['code']]).toEqual([429, 'domain_limit'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400)
  expect(await balancesOf(api.db, by.accountId)).toEqual([100 - LIMIT, LIMIT])
  expect((await single(by, 'one@elsewhere.example')).status).toBe(200)
  const another = await api.openCaller({ credits: 100 })
  expect((await single(another, 'one@target.example')).status).toBe(200)
})

test('a bulk request over the limit is rejected as a whole and not counted', async () => {
  const by = await api.openCaller({ credits: 100 })
  const { status, body } = await bulk(by, emailsAt('target.example', LIMIT + 1))
  expect([status, body['code']]).toEqual([429, 'domain_limit'])
  expect((await bulk(by, emailsAt('target.example', LIMIT))).status).toBe(200)
  expect(await balancesOf(api.db, by.accountId)).toEqual([100 - LIMIT, LIMIT])
})

test('free email providers, privacy relays and test mode are not limited', async () => {
  const by = await api.openCaller({ credits: 100 })
  const shared = ['gmail.com', 'duck.com', 'outlook.com'].flatMap((domain) => emailsAt(domain, LIMIT + 1))
  expect((await bulk(by, shared)).status).toBe(200)
  const tester = await api.openCaller({ key: { mode: 'test' } })
  const emails = Array.from({ length: LIMIT + 1 }, (_, n) => `valid+${n}@example.com`)
  expect((await bulk(tester, emails)).status).toBe(200)
})

test('the limit grows with the credits that the account has bought', async () => {
  const by = await api.openCaller()
  await inTenant(api.db, by.accountId, (trx) =>
    grantPaid(trx, by.accountId, { reference: `cs_${randomUUID()}`, credits: 100 }),
  )
  expect((await bulk(by, emailsAt('target.example', LIMIT + 10))).status).toBe(200)
  expect((await bulk(by, emailsAt('target.example', 1))).status).toBe(429)
})

test('without the setting there is no limit', async () => {
  const open = await startTestApi()
  startPlainWorker(open.db, (email) => pendingResult(email, 'not_probed'))
  const by = await open.openCaller({ credits: 100 })
  expect((await bulk(by, emailsAt('target.example', LIMIT + 1))).status).toBe(200)
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
