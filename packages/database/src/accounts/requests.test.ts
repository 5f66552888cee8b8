import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { keepPartitions } from '../system/retention.ts'
import { countProblems, type LoggedRequest, listRequests, type RequestCursor, recordRequests } from './requests.ts'
import { testRequest } from './test-requests.ts'
import { listVerdictsByDay, recordVerdicts } from './usage.ts'

const { db } = await createTestDatabase()
const MINUTE_MS = 60_000

async function openLog() {
  const { id: accountId } = await openTestAccount(db, 0)
  const view: View = { accountId, mode: 'live' }
  const begun = Date.now()
  /** Request n arrived n minutes ago. */
  const write = (rows: Partial<LoggedRequest>[]) =>
    recordRequests(
      db,
      rows.map((row, n) => testRequest({ accountId, at: new Date(begun - n * MINUTE_MS), ...row })),
      7,
    )
  const list = (reading: Parameters<typeof listRequests>[2]) =>
    inTenant(db, accountId, (trx) => listRequests(trx, view, reading))
  return { accountId, view, begun, write, list }
}

test('pages contain every request once, newest first, also those with the same timestamp', async () => {
  const { write, list } = await openLog()
  const at = new Date()
  await write(Array.from({ length: 25 }, (_, n) => ({ durationMs: n, ...(n > 4 && n < 15 && { at }) })))
  const met: number[] = []
  let before: RequestCursor | undefined
  for (let page = 0; page < 10; page++) {
    const { rows, next } = await list({ limit: 4, before })
    met.push(...rows.map(({ durationMs }) => durationMs))
    before = next
    if (next === undefined) break
  }
  expect(met.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n))
  expect(met.at(-1)).toBe(24)
})

test('recordRequests ignores duplicate request ids', async () => {
  const { accountId, list } = await openLog()
  const one = testRequest({ accountId })
  await recordRequests(db, [one], 7)
  await recordRequests(db, [one], 7)
  expect((await list({ limit: 10 })).rows).toHaveLength(1)
})

test('a page ends after lookedAtMax rows, and the next page continues there', async () => {
  const { write, list } = await openLog()
  await write(Array.from({ length: 30 }, (_, n) => (n === 25 ? { status: 402, code: 'insufficient_credits' } : {})))
  const looking = {
    class: 'success',
    keyId: '00000000-0000-4000-8000-000000000000',
    limit: 5,
    lookedAtMax: 10,
  } as const
  const first = await list(looking)
  expect([first.rows.length, first.next === undefined]).toEqual([0, false])
  const second = await list({ ...looking, before: first.next })
  const third = await list({ ...looking, before: second.next })
  expect(third.next).toBeUndefined()
  // Rejected requests have their own index, so other rows do not count.
  expect((await list({ class: 'client_error', limit: 5, lookedAtMax: 10 })).rows).toMatchObject([{ status: 402 }])
})

test('problems are counted by code, the most frequent first, since a time', async () => {
  const { accountId, view, begun, write } = await openLog()
  await write([
    { status: 429, code: 'rate_limited' },
    { status: 402, code: 'insufficient_credits' },
    { status: 429, code: 'rate_limited' },
    {},
    { status: 500, code: 'internal_error' },
  ])
  const counted = await inTenant(db, accountId, (trx) =>
    countProblems(trx, view, new Date(begun - 3.5 * MINUTE_MS), 10),
  )
  expect(counted).toEqual([
    { code: 'rate_limited', status: 429, count: 2, lastAt: new Date(begun) },
    { code: 'insufficient_credits', status: 402, count: 1, lastAt: new Date(begun - MINUTE_MS) },
  ])
})

test('requests are deleted with their partition and hidden once they have expired', async () => {
  const { accountId, list } = await openLog()
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * MINUTE_MS)
  await recordRequests(db, [testRequest({ accountId, at: daysAgo(3) }), testRequest({ accountId })], 7)
  await asOwner(db, async (trx) => {
    // Simulates that a week has passed.
    await sql`create table old_partition partition of requests for values from ('2020-01-01') to ('2020-01-02')`.execute(
      trx,
    )
    await sql`update requests set expires_on = '2020-01-01' where account_id = ${accountId} and at < now() - interval '1 day'`.execute(
      trx,
    )
    await sql`alter table old_partition rename to requests_20200101`.execute(trx)
  })
  expect((await list({ limit: 10 })).rows).toHaveLength(1)
  await keepPartitions(db)
  const { rows } = await asOwner(db, (trx) => sql`select from requests where account_id = ${accountId}`.execute(trx))
  expect(rows).toHaveLength(1)
})

test('pages and problem counts use an index instead of a full scan', {
  tags: ['timed'],
}, async () => {
  const { accountId, view } = await openLog()
  await asOwner(db, async (trx) => {
    await sql`
      insert into requests (expires_on, account_id, id, at, mode, source, method, route, status, code, duration_ms)
      select utc_today() + 6, ${accountId}, gen_random_uuid(), now() - n * interval '100 milliseconds', 'live', 'api', 'POST',
        '/api/v1/validation/single', case when n % 100 = 0 then 429 else 200 end,
        case when n % 100 = 0 then 'rate_limited' end, 5
      from generate_series(1, 100000) n`.execute(trx)
    await sql`analyze requests`.execute(trx)
  })
  const plans: string[] = []
  const explain = (query: ReturnType<typeof sql>) =>
    inTenant(db, accountId, async (trx) => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(trx)
      plans.push(rows.map((row) => Object.values(row)[0]).join('\n'))
    })
  await explain(sql`
    select * from requests r where r.expires_on >= utc_today() and r.account_id = ${accountId} and r.mode = 'live'
    order by r.at desc, r.id desc limit 51`)
  await explain(sql`
    select * from requests r where r.expires_on >= utc_today() and r.account_id = ${accountId} and r.mode = 'live'
      and r.status >= 400 and r.at >= now() - interval '1 day' order by r.at desc, r.id desc limit 50000`)
  // Empty partitions are scanned, which costs nothing.
  const [partition] = await asOwner(db, async (trx) => {
    const { rows } = await sql<{
      name: string
    }>`select 'requests' || to_char(utc_today() + 6, '_YYYYMMDD') as name`.execute(trx)
    return rows.map(({ name }) => name)
  })
  for (const plan of plans) {
    expect(plan).toMatch(new RegExp(`Index Scan using ${partition}\\w+idx`))
    expect(plan).not.toContain(`Seq Scan on ${partition}`)
  }
  const begun = performance.now()
  const page = await inTenant(db, accountId, (trx) => listRequests(trx, view, { limit: 50 }))
  expect(page.rows).toHaveLength(50)
  expect(performance.now() - begun).toBeLessThan(1_000)
})

test('recordVerdicts sums verdicts by day over all processes', async () => {
  const { accountId, view } = await openLog()
  const day = '2026-11-02'
  const counted = (status: string, count: number) => ({ accountId, mode: 'live' as const, day, status, count })
  await Promise.all(Array.from({ length: 10 }, () => recordVerdicts(db, [counted('valid', 3), counted('unknown', 1)])))
  const days = await inTenant(db, accountId, (trx) =>
    listVerdictsByDay(trx, view, { from: '2026-11-01', to: '2026-11-03' }),
  )
  const none = { valid: 0, invalid: 0, risky: 0, unknown: 0 }
  expect(days).toEqual([
    { day: '2026-11-01', ...none },
    { day, ...none, valid: 30, unknown: 10 },
    { day: '2026-11-03', ...none },
  ])
})
