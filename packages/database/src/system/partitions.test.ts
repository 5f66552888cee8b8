import { randomBytes, randomUUID } from 'node:crypto'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { chunkRow, encodeChunk } from '../jobs/results/result-chunk.ts'
import { openValidations } from '../validations/validations.ts'
import { keepPartitions, makePartitions } from './retention.ts'

const { db } = await createTestDatabase()

// ROWS=1000000 makes the long run.
const ROWS = Number(process.env['ROWS'] ?? 50_000)

/** Tables whose partitions depend on the retention of accounts. */
const FOLLOWING = ['validations', 'job_batches', 'result_chunks'] as const
type Partitioned = (typeof FOLLOWING)[number] | 'idempotency_records'

/** Days from today of each partition, in order. */
async function listDays(table: Partitioned): Promise<number[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ day: number }>`
      select to_date(right(c.relname, 8), 'YYYYMMDD') - utc_today() as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::regclass order by day`.execute(trx),
  )
  return rows.map(({ day }) => day)
}

function daysUpTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, day) => day)
}

async function nameOf(table: Partitioned, day: number): Promise<string> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string }>`select ${table} || to_char(utc_today() + ${day}::integer, '_YYYYMMDD') as name`.execute(trx),
  )
  return rows[0]?.name ?? ''
}

/** A partition of a past day, as it was before that day ended. */
async function makePast(table: Partitioned, day: number): Promise<void> {
  const name = await nameOf(table, day)
  await asOwner(db, async (trx) => {
    const { rows } = await sql<{ from: string; to: string }>`
      select utc_today() + ${day}::integer as from, utc_today() + ${day + 1}::integer as to`.execute(trx)
    const { from, to } = rows[0] as { from: string; to: string }
    await sql`create table ${sql.table(name)} partition of ${sql.table(table)}
              for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(trx)
  })
}

async function insertOn(accountId: string, day: number): Promise<void> {
  await asOwner(db, async (trx) => {
    await sql`insert into validations (expires_on, account_id, id, email, email_key)
              values (utc_today() + ${day}::integer, ${accountId}, ${randomUUID()}, 'x', 'x')`.execute(trx)
    await sql`insert into idempotency_records
                (expires_on, account_id, route, key_hash, fingerprint, locked_until, expires_at)
              values (utc_today() + ${day}::integer, ${accountId}, 'POST /', ${randomBytes(32)}, ${randomBytes(32)},
                      now(), now())`.execute(trx)
    await sql`insert into uncollected_results (account_id, email_key, validation_id, expires_on)
              values (${accountId}, 'x', ${randomUUID()}, utc_today() + ${day}::integer)`.execute(trx)
  })
}

/** Days from today of the account's rows, per table. */
async function listRowDays(accountId: string): Promise<Record<string, number[]>> {
  const days: Record<string, number[]> = {}
  for (const table of ['validations', 'idempotency_records', 'uncollected_results']) {
    const { rows } = await inTenant(db, accountId, (trx) =>
      sql<{ day: number }>`
        select expires_on - utc_today() as day from ${sql.table(table)} order by expires_on`.execute(trx),
    )
    days[table] = rows.map(({ day }) => day)
  }
  return days
}

async function dropPartition(table: Partitioned, day: number): Promise<void> {
  const name = await nameOf(table, day)
  await asOwner(db, (trx) => sql`drop table ${sql.table(name)}`.execute(trx))
}

test('a migrated database has a partition for each day of the default retention, today included', async () => {
  for (const table of FOLLOWING) expect(await listDays(table)).toEqual(daysUpTo(33))
  expect(await listDays('idempotency_records')).toEqual(daysUpTo(4))
  expect(await keepPartitions(db)).toEqual({ made: 0, dropped: 0 })
})

test('keepPartitions creates missing partitions', async () => {
  await dropPartition('validations', 33)
  await dropPartition('validations', 7)
  await dropPartition('idempotency_records', 4)
  expect(await keepPartitions(db)).toEqual({ made: 3, dropped: 0 })
  expect(await listDays('validations')).toEqual(daysUpTo(33))
  expect(await listDays('idempotency_records')).toEqual(daysUpTo(4))
})

test('keepPartitions drops partitions of past days and keeps those of today and later', async () => {
  const { id } = await openTestAccount(db, 0)
  const past = [-40, -2, -1]
  for (const day of past) {
    await makePast('validations', day)
    await makePast('idempotency_records', day)
  }
  for (const day of [...past, 0, 1, 4]) await insertOn(id, day)

  expect(await keepPartitions(db)).toEqual({ made: 0, dropped: 6 })
  expect(await listDays('validations')).toEqual(daysUpTo(33))
  expect(await listDays('idempotency_records')).toEqual(daysUpTo(4))
  const left = [0, 1, 4]
  expect(await listRowDays(id)).toEqual({ validations: left, idempotency_records: left, uncollected_results: left })
})

test('uncollected results are deleted on their expiry day, even if no partition is dropped', async () => {
  const { id } = await openTestAccount(db, 0)
  await asOwner(db, (trx) =>
    sql`insert into uncollected_results (account_id, email_key, validation_id, expires_on)
        values (${id}, 'old', gen_random_uuid(), utc_today() - 1),
               (${id}, 'new', gen_random_uuid(), utc_today())`.execute(trx),
  )
  await keepPartitions(db)
  expect((await listRowDays(id))['uncollected_results']).toEqual([0])
})

test('several processes can run keepPartitions at once', async () => {
  for (let round = 0; round < 3; round++) {
    await dropPartition('validations', 20)
    await makePast('idempotency_records', -1)
    const kept = await Promise.all(Array.from({ length: 8 }, () => keepPartitions(db)))
    expect(kept.reduce((sum, { made }) => sum + made, 0)).toBe(1)
    expect(kept.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(1)
  }
})

test('requests succeed while partitions are created and dropped', async () => {
  const { id: accountId } = await openTestAccount(db, 1000)
  const open = () =>
    inTenant(db, accountId, (trx) => {
      const row = { id: randomUUID(), email: 'x', emailKey: 'x' }
      return openValidations(trx, { accountId, keyId: null, retentionDays: 3, group: randomUUID() }, [row])
    })
  for (let round = 0; round < 5; round++) {
    await dropPartition('validations', 20)
    await makePast('validations', -1)
    const opened = Array.from({ length: 12 }, open)
    const work = await Promise.all([...opened.slice(0, 6), keepPartitions(db), ...opened.slice(6)])
    expect(work.filter((done) => 'kind' in done && done.kind === 'opened').length).toBe(12)
  }
  expect(await listDays('validations')).toEqual(daysUpTo(33))
})

test('a new row lands in the partition of the day it expires', async () => {
  const { id: accountId } = await openTestAccount(db, 2)
  for (const retentionDays of [3, 30]) {
    const row = { id: randomUUID(), email: 'x', emailKey: 'x' }
    const opening = { accountId, keyId: null, retentionDays, group: randomUUID() }
    await inTenant(db, accountId, (trx) => openValidations(trx, opening, [row]))
    const { rows } = await inTenant(db, accountId, (trx) =>
      sql<{ name: string }>`select tableoid::regclass::text as name from validations where id = ${row.id}`.execute(trx),
    )
    expect(rows).toEqual([{ name: await nameOf('validations', retentionDays) }])
  }
})

test('a later partition has the key and indexes of its parent and no rights for the role of the API', async () => {
  await dropPartition('validations', 12)
  await keepPartitions(db)
  const [made, other] = [await nameOf('validations', 12), await nameOf('validations', 13)]
  const describe = async (name: string) => {
    const { rows } = await asOwner(db, (trx) =>
      sql<{ what: string }>`
        select replace(indexdef, ${name}, '…') as what from pg_indexes where tablename = ${name}
        union all
        select pg_get_constraintdef(oid) from pg_constraint
        where conrelid = ${name}::regclass and contype <> 'p'
        union all
        select coalesce(relacl::text, 'owner only') from pg_class where oid = ${name}::regclass
        order by what`.execute(trx),
    )
    return rows.map(({ what }) => what)
  }
  expect(await describe(made)).toEqual(await describe(other))
  expect(await describe(made)).toContain('owner only')
})

test('partitions cover the longest retention of all accounts', async () => {
  const { id: accountId } = await openTestAccount(db, 1)
  await asOwner(db, (trx) => sql`update accounts set retention_days = 365 where id = ${accountId}`.execute(trx))
  expect(await keepPartitions(db)).toEqual({ made: FOLLOWING.length * (368 - 33), dropped: 0 })
  for (const table of FOLLOWING) expect(await listDays(table)).toEqual(daysUpTo(368))
  expect(await listDays('idempotency_records')).toEqual(daysUpTo(4))

  const row = { id: randomUUID(), email: 'x', emailKey: 'x' }
  const opening = { accountId, keyId: null, retentionDays: 365, group: randomUUID() }
  const opened = await inTenant(db, accountId, (trx) => openValidations(trx, opening, [row]))
  expect(opened.kind).toBe('opened')
})

test('partitions can be created in advance for a new retention', async () => {
  const { db } = await createTestDatabase()
  expect(await makePartitions(db, 40)).toBe(FOLLOWING.length * (43 - 33))
  expect(await makePartitions(db, 40)).toBe(0)
  expect(await makePartitions(db)).toBe(0)
})

test(`${ROWS} expired results are deleted within seconds`, {
  tags: ['timed'],
  timeout: 30_000 + ROWS,
}, async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  await makePast('result_chunks', -1)
  // The same chunk for all jobs, because its content does not matter.
  const rows = Array.from({ length: 500 }, (_, n) => ({ rowNo: n + 2, email: `row-${n}@example.com` }))
  const chunk = await encodeChunk(rows.map((row) => chunkRow(row, pendingResult(row.email, 'timeout'))))
  await asOwner(db, (trx) =>
    sql`insert into result_chunks (expires_on, account_id, job_id, generation, no, size, first_row, last_row, row_nos, tally, index, results)
        select utc_today() - 1, ${accountId}, ${accountId}, 1, n, ${chunk.size}, ${chunk.firstRow}, ${chunk.lastRow},
          ${chunk.rowNos}::integer[], ${JSON.stringify(chunk.tally)}::jsonb, ${chunk.index}, ${chunk.results}
        from generate_series(1, ${Math.ceil(ROWS / chunk.size)}::integer) as n`.execute(trx),
  )
  const began = performance.now()
  expect((await keepPartitions(db)).dropped).toBe(1)
  expect(performance.now() - began).toBeLessThan(20_000)
  const { rows: left } = await asOwner(db, (trx) => sql`select from result_chunks limit 1`.execute(trx))
  expect(left).toEqual([])
})
