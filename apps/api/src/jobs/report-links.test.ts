import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ReportLinkList, ReportLinkWithUrl } from '@probity/contract/schemas/jobs/reports'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { REPORT_LINKS_MAX } from '@probity/database/jobs/report-links'
import { listAuditEntries } from '@probity/database/operators/audit-log'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import { openBrowser } from '../testing/test-browser.ts'
import { startJob } from '../testing/test-jobs.ts'
import { keepList } from '../testing/test-results.ts'

const api = await startTestApi()
const { db } = api
const caller = await api.openCaller({ credits: 10 })

const LIST = `email\nvera@one.example\nvic@one.example\nina@two.example\nuna@two.example\nVIC@one.example\n`
const keep = (list: Partial<Parameters<typeof keepList>[1]> = {}) =>
  keepList(api, { content: LIST, by: caller, isOrdered: true, ...list })
const urlOf = (jobId: string, rest = '') => `/api/v1/bulk/jobs/${jobId}/report-links${rest}`

async function share(jobId: string, payload: object = {}, by: TestClient = caller): Promise<ReportLinkWithUrl> {
  const { status, body } = await by.call({ method: 'POST', url: urlOf(jobId), payload })
  expect([status, ...Value.Errors(ReportLinkWithUrl, body)]).toEqual([201])
  return body as ReportLinkWithUrl
}

const tokenOf = ({ url }: ReportLinkWithUrl) => url.split('#')[1] ?? ''
/** Requests the report as its page does, without a key or a session. Each reader is in a network of its own. */
function open(token: unknown, reader = openBrowser(api.app)) {
  return reader.post('/report', { token } as Record<string, unknown>)
}

test('a link opens a report with sums, the name of the list and nothing else', async () => {
  const jobId = await keep({ filename: 'members.csv' })
  await caller.call({ method: 'PATCH', url: `/api/v1/bulk/jobs/${jobId}`, payload: { name: 'Members', tags: ['vip'] } })
  const link = await share(jobId)
  expect(link.url).toMatch(/^http:\/\/[^/]+\/app\/report#[\w-]{43}$/)
  const { status, headers, body, text } = await open(tokenOf(link))
  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    name: 'Members',
    status: 'completed',
    created_at: expect.any(String),
    finished_at: expect.any(String),
    link_expires_at: link.expires_at,
    livemode: true,
    ...{ line_count: 5, blank_count: 0, row_count: 5, empty_count: 0, not_address_count: 0 },
    ...{ left_out_count: 0, extra_address_count: 0, several_addresses: 'first' },
    unique_count: 4,
    duplicate_count: 1,
    status_counts: { valid: 2, invalid: 1, risky: 0, unknown: 1 },
    by_reason: [
      { status: 'valid', sub_status: '', count: 2 },
      { status: 'unknown', sub_status: 'greylisted', count: 1 },
      { status: 'invalid', sub_status: 'mailbox_not_found', count: 1 },
    ],
    by_provider: [
      { provider: 'google', count: 3, valid: 2, invalid: 1, risky: 0, unknown: 0 },
      { provider: '', count: 1, valid: 0, invalid: 0, risky: 0, unknown: 1 },
    ],
  })
  for (const secret of ['@', '.example', 'members.csv', 'vip', jobId, caller.accountId])
    expect(text).not.toContain(secret)
})

test('a name that contains an address is not part of the report', async () => {
  const link = await share(await keep({ filename: 'ada@example.com.csv' }))
  const { body, text } = await open(tokenOf(link))
  expect([body['name'], text.includes('@')]).toEqual(['List', false])
})

test('the token is stored as a hash only, and is not in the log', async () => {
  const link = await share(await keep())
  const { rows } = await asOwner(db, (trx) =>
    sql<{ row: string; tokenHash: Buffer }>`
      select to_jsonb(l)::text as row, l.token_hash from report_links l where id = ${link.id}`.execute(trx),
  )
  expect(rows[0]?.row).not.toContain(tokenOf(link))
  expect(rows[0]?.tokenHash).toEqual(hash('sha256', tokenOf(link), 'buffer'))
  await open(tokenOf(link))
  expect(readFileSync(api.logFile, 'utf8')).not.toContain(tokenOf(link))
})

test('a link expires after 30 days, or as requested, and never after 90', async () => {
  const jobId = await keep()
  const daysOf = ({ created_at, expires_at }: ReportLinkWithUrl) =>
    Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000)
  expect(daysOf(await share(jobId))).toBe(30)
  expect(daysOf(await share(jobId, { expires_in_days: 1 }))).toBe(1)
  const longest = await share(jobId, { expires_in_days: 90 })
  expect(daysOf(longest)).toBe(90)
  for (const days of [0, 91, 1.5, '7', null]) {
    const { status } = await caller.call({ method: 'POST', url: urlOf(jobId), payload: { expires_in_days: days } })
    expect([days, status]).toEqual([days, 400])
  }
  await asOwner(db, (trx) => sql`update report_links set expires_at = now() where id = ${longest.id}`.execute(trx))
  expect((await open(tokenOf(longest))).status).toBe(404)
})

test('a revoked link is not listed and opens no report; another link still does', async () => {
  const jobId = await keep()
  const [first, second] = [await share(jobId), await share(jobId)]
  const list = async () => {
    const { body } = await caller.call({ method: 'GET', url: urlOf(jobId) })
    expect([...Value.Errors(ReportLinkList, body)]).toEqual([])
    return body as unknown as ReportLinkList
  }
  expect(await list()).toEqual([second, first].map(({ url: _, ...link }) => link))
  const revoke = () => caller.call({ method: 'DELETE', url: urlOf(jobId, `/${first.id}`) })
  expect((await revoke()).status).toBe(204)
  expect((await revoke()).status).toBe(404)
  expect((await list()).map(({ id }) => id)).toEqual([second.id])
  expect((await open(tokenOf(first))).status).toBe(404)
  expect((await open(tokenOf(second))).status).toBe(200)
})

test('a deleted job, a closed or a suspended account has no report', async () => {
  const by = await api.openCaller()
  const jobId = await keep({ by })
  const token = tokenOf(await share(jobId, {}, by))
  const statusAfter = async (change: ReturnType<typeof sql>) => {
    await asOwner(db, (trx) => change.execute(trx))
    return (await open(token)).status
  }
  expect((await open(token)).status).toBe(200)
  expect(await statusAfter(sql`update accounts set suspended_at = now() where id = ${by.accountId}`)).toBe(404)
  expect(await statusAfter(sql`update accounts set suspended_at = null where id = ${by.accountId}`)).toBe(200)
  expect(await statusAfter(sql`update accounts set closed_at = now() where id = ${by.accountId}`)).toBe(404)
  expect(await statusAfter(sql`update accounts set closed_at = null where id = ${by.accountId}`)).toBe(200)
  expect(await statusAfter(sql`delete from jobs where id = ${jobId}`)).toBe(404)
})

test('after the results have expired the report has the counts that are kept', async () => {
  const jobId = await keep()
  const token = tokenOf(await share(jobId))
  await asOwner(db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${jobId}`.execute(trx))
  await asOwner(db, (trx) =>
    sql`update job_breakdowns set expires_on = utc_today() - 1 where job_id = ${jobId}`.execute(trx),
  )
  const { body } = await open(token)
  expect(body).toMatchObject({ by_provider: null, status_counts: { valid: 2 } })
})

test('only a job that has ended is shared, and a job has a limited number of links', async () => {
  const refuse = async (jobId: string, refusal: [number, string]) => {
    const { status, body } = await caller.call({ method: 'POST', url: urlOf(jobId), payload: {} })
    expect([status, body['code']]).toEqual(refusal)
  }
  await refuse(await startJob(caller, 1), [409, 'job_not_finished'])
  await refuse(randomUUID(), [404, 'not_found'])
  const jobId = await keep()
  const links = await Promise.all(Array.from({ length: REPORT_LINKS_MAX }, () => share(jobId)))
  await refuse(jobId, [409, 'too_many_report_links'])
  await caller.call({ method: 'DELETE', url: urlOf(jobId, `/${links[0]?.id}`) })
  await share(jobId)
})

test('the audit log records the creation and the revocation of a link', async () => {
  const by = await api.openCaller()
  const jobId = await keep({ by, filename: 'members.csv' })
  const link = await share(jobId, {}, by)
  await by.call({ method: 'DELETE', url: urlOf(jobId, `/${link.id}`) })
  const page = { skip: 0, limit: 10, action: 'report_link' }
  const entries = await inTenant(db, by.accountId, (trx) => listAuditEntries(trx, by.accountId, page))
  expect(entries).toMatchObject([
    { action: 'report_link.revoked', actor: 'key', actorId: by.keyId, subjectId: link.id, subjectName: 'members.csv' },
    { action: 'report_link.created', actor: 'key', changes: { expires_at: [null, expect.any(String)] } },
  ])
  expect(JSON.stringify(entries)).not.toContain('hash')
})

test('a key of another mode or account sees and changes no links', async () => {
  const jobId = await keep()
  const link = await share(jobId)
  const tester = await api.openCaller({ key: { mode: 'test' } })
  for (const by of [tester, await api.openCaller()]) {
    const statuses = await Promise.all([
      by.call({ method: 'GET', url: urlOf(jobId) }),
      by.call({ method: 'POST', url: urlOf(jobId), payload: {} }),
      by.call({ method: 'DELETE', url: urlOf(jobId, `/${link.id}`) }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404])
  }
  const other = await keep()
  expect((await caller.call({ method: 'DELETE', url: urlOf(other, `/${link.id}`) })).status).toBe(404)
  expect((await open(tokenOf(link))).status).toBe(200)
})

test('requests for reports are limited per network', async () => {
  const reader = openBrowser(api.app)
  const guess = () => open('A'.repeat(43), reader)
  const answers: Awaited<ReturnType<typeof guess>>[] = []
  // A few at a time, so that a slow machine sheds none of them.
  for (let n = 0; n < 26; n++) answers.push(...(await Promise.all(Array.from({ length: 5 }, guess))))
  const counts = Object.groupBy(answers, ({ status }) => status)
  expect(Object.keys(counts)).toEqual(['404', '429'])
  expect(counts[429]?.[0]?.headers['retry-after']).toMatch(/^\d+$/)
  for (const token of ['', 'a', 7, null, 'x'.repeat(101)]) expect([400, 404]).toContain((await open(token)).status)
})

test('a page of another site cannot request a report', async () => {
  const token = tokenOf(await share(await keep()))
  const { status } = await callApp(api.app, { method: 'POST', url: '/app/api/report', payload: { token } })
  expect(status).toBe(403)
})
