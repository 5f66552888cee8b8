import { text } from 'node:stream/consumers'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { openFolderStorage } from '@probity/uploads/folder-storage'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createUser } from '../account.ts'
import { JOBS } from './data/account.ts'
import { findSeeded, isEmpty, seedAccount } from './seed.ts'

const { db } = await createTestDatabase()
const wasEmpty = await asOwner(db, isEmpty)
const { accountId } = await createUser(db)
const before = await asOwner(db, (trx) => findSeeded(trx, accountId))
const folder = makeFolder('probity-seed')
whenDone(() => removeFolder(folder))
const storage = openFolderStorage(folder)
await seedAccount(db, accountId, storage)

async function read(query: string): Promise<Record<string, unknown>[]> {
  const { rows } = await asOwner(db, (trx) => sql.raw<Record<string, unknown>>(query).execute(trx))
  return rows
}

test('seedAccount leaves no ledger mismatch', async () => {
  expect(await read('select * from ledger_mismatches')).toEqual([])
  expect(await read('select * from reconcile_accounts(array(select id from accounts), true)')).toEqual([])
  expect(await read('select * from reconcile_jobs(array(select id from jobs))')).toEqual([])
})

test('seedAccount never lets the balance become negative and ends above the threshold of low credits', async () => {
  const [lowest] = await read('select min(sum)::int from (select sum(d_available) over (order by id) from ledger) l')
  expect(lowest?.['min']).toBeGreaterThan(0)
  expect(await read('select credits_low, available > low_credits_threshold(accounts) as enough from accounts')).toEqual(
    [{ creditsLow: false, enough: true }],
  )
})

test('seedAccount writes 90 days of requests and verdicts, and a log of the last week', async () => {
  const counts = await read(`
    select (select count(distinct day)::int from usage_days where requests > 0) as days,
      (select min(day) = utc_today() - 89 from usage_days where requests > 0) as begins,
      (select count(distinct day)::int from verdict_days) as verdict_days,
      (select count(*) > 500 and max(at) <= clock_timestamp() from requests) as logged,
      (select count(*)::int from usage_days where credits_used + credits_refunded < 0) as negative`)
  // Today has no request yet soon after midnight (UTC).
  expect([89, 90]).toContain(counts[0]?.['days'])
  expect(counts[0]).toMatchObject({ begins: true, logged: true, negative: 0 })
  expect(counts[0]?.['verdictDays']).toBe(counts[0]?.['days'])
})

test('seedAccount writes jobs in every end state with results as long as they are kept', async () => {
  const states = await read(
    'select state, count(*)::int, bool_or(paused_at is not null) as paused from jobs group by 1 order by 1',
  )
  expect(states.map(({ state, paused }) => [state, paused])).toEqual([
    ['canceled', false],
    ['completed', false],
    ['failed', false],
    ['processing', true],
  ])
  expect(states.reduce((sum, { count }) => sum + Number(count), 0)).toBe(JOBS.length)
  const [kept] = await read(
    'select count(distinct job_id)::int as jobs, sum(size)::int > 5000 as many from result_chunks',
  )
  expect(kept).toEqual({ jobs: JOBS.filter(({ daysAgo }) => daysAgo < 29).length, many: true })
})

test('seedAccount stores the files of the jobs of the last week', async () => {
  const files = await read(`
    select u.storage_key, j.row_count, j.filename from jobs j left join uploads u on u.id = j.upload_id
    where j.created_at > now() - interval '7 days' order by j.created_at`)
  expect(files.length).toBe(JOBS.filter(({ daysAgo }) => daysAgo < 7).length)
  for (const { storageKey, rowCount } of files) {
    const lines = (await text(storage.open(String(storageKey)))).trimEnd().split('\n')
    expect([lines[0], lines.length]).toEqual(['customer_no,email', Number(rowCount) + 1])
  }
})

test('seedAccount writes webhooks with delivered and failed deliveries and leaves none pending', async () => {
  expect(
    await read('select state, disabled_reason, count(*)::int from webhook_endpoints group by 1, 2 order by 1'),
  ).toEqual([
    { state: 'disabled', disabledReason: 'failing', count: 1 },
    { state: 'enabled', disabledReason: null, count: 2 },
  ])
  const states = await read('select state from webhook_deliveries group by 1 order by 1')
  expect(states.map(({ state }) => state)).toEqual(['delivered', 'failed'])
  const failures = await read('select no from webhook_attempts where status = 503 or error is not null')
  expect(failures.length).toBeGreaterThan(10)
})

test('seedAccount sends no email and dates the audit log to the past', async () => {
  expect(await read('select * from notifications')).toEqual([])
  const entries = await read(
    "select action, at < clock_timestamp() - interval '1 day' as past, actor from audit_entries",
  )
  expect(entries.length).toBeGreaterThan(10)
  expect(entries.filter(({ past, actor }) => !past || actor !== 'member')).toEqual([])
})

test('isEmpty and findSeeded tell an empty database, an account without data and a seeded one apart', async () => {
  expect([wasEmpty, before]).toEqual([true, 'without_data'])
  expect(await asOwner(db, isEmpty)).toBe(false)
  expect(await asOwner(db, (trx) => findSeeded(trx, accountId))).toBe('seeded')
  expect(await asOwner(db, (trx) => findSeeded(trx, crypto.randomUUID()))).toBe('absent')
})
