import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { findAccount } from '../accounts/accounts.ts'
import { asOwner, connect, type Db, inTenant } from '../connection/connect.ts'
import { createEmptyDatabase, createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { migrate } from './migrate.ts'
import { listMissingMigrations } from './schema-version.ts'

const ALL = readdirSync(new URL('../../migrations', import.meta.url))
  .map((file) => file.replace(/\.sql$/, ''))
  .toSorted()

function open(url: string): Db {
  const db = connect(url)
  whenDone(() => db.destroy())
  return db
}

async function listRecorded(db: Db): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string }>`select name from migrations order by id`.execute(trx),
  )
  return rows.map(({ name }) => name)
}

test('three concurrent migrations of an empty database apply each migration once', async () => {
  const url = await createEmptyDatabase()
  const done = await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(done.flat().toSorted()).toEqual(ALL)
  expect(await listRecorded(open(url))).toEqual(ALL)
})

test('a second migration changes nothing', async () => {
  const url = await createEmptyDatabase()
  expect(await migrate(url)).toEqual(ALL)
  const db = open(url)
  const { id } = await openTestAccount(db, 3)
  expect(await migrate(url)).toEqual([])
  expect(await listRecorded(db)).toEqual(ALL)
  expect(await asOwner(db, (trx) => findAccount(trx, id))).toMatchObject({ available: 3 })
})

test('listMissingMigrations returns every missing migration, and none after migrating', async () => {
  const url = await createEmptyDatabase()
  const db = open(url)
  expect(await listMissingMigrations(db)).toEqual(ALL)
  await migrate(url)
  expect(await listMissingMigrations(db)).toEqual([])

  await asOwner(db, (trx) => sql`delete from migrations where name = ${ALL.at(-1)}`.execute(trx))
  expect(await listMissingMigrations(db)).toEqual(ALL.slice(-1))
})

test('a newer database has no missing migrations for an older process', async () => {
  const url = await createEmptyDatabase()
  await migrate(url)
  const db = open(url)
  await asOwner(db, (trx) => sql`insert into migrations (name, run_on) values ('9999_later', now())`.execute(trx))
  expect(await listMissingMigrations(db)).toEqual([])
})

test('two databases of one server can be migrated at once', async () => {
  const urls = await Promise.all([createEmptyDatabase(), createEmptyDatabase()])
  expect(await Promise.all(urls.map((url) => migrate(url)))).toEqual([ALL, ALL])
})

/** The migrations of this version, followed by others. */
function withNext(next: Record<string, string>): string {
  const folder = makeFolder('probity-migrations')
  whenDone(() => removeFolder(folder))
  cpSync(fileURLToPath(new URL('../../migrations', import.meta.url)), folder, { recursive: true })
  for (const [name, text] of Object.entries(next)) writeFileSync(join(folder, `${name}.sql`), text)
  return folder
}

test('a migration that cannot lock a table releases its wait, so that no query waits long, and retries', {
  tags: ['timed'],
}, async () => {
  const { url, db } = await createTestDatabase()
  const { id } = await openTestAccount(db, 5)
  const folder = withNext({ '9001_note': 'alter table accounts add column note text;' })
  let letGo = () => {}
  const reading = asOwner(db, async (trx) => {
    await sql`select from accounts`.execute(trx)
    await new Promise<void>((resolve) => {
      letGo = resolve
    })
  })
  const migrating = migrate(url, { folder })
  await vi.waitFor(async () => expect(await countWaiting(db)).toBe(1), { timeout: 10_000, interval: 20 })
  const began = performance.now()
  expect(await inTenant(db, id, (trx) => findAccount(trx, id))).toMatchObject({ available: 5 })
  expect(performance.now() - began).toBeLessThan(4_000)
  letGo()
  await reading
  expect(await migrating).toEqual(['9001_note'])
})

test('a deadlock between a migration and a request cancels the migration', async () => {
  const { url, db } = await createTestDatabase()
  const columns = 'alter table plans add column note text; alter table accounts add column note text;'
  const folder = withNext({ '9001_notes': columns })
  let goOn = () => {}
  const reading = asOwner(db, async (trx) => {
    await sql`select from accounts`.execute(trx)
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
    return sql`select from plans`.execute(trx)
  })
  const migrating = migrate(url, { folder })
  await vi.waitFor(async () => expect(await countWaiting(db)).toBe(1), { timeout: 10_000, interval: 20 })
  goOn()
  expect((await reading).rows.length).toBeGreaterThan(0)
  expect(await migrating).toEqual(['9001_notes'])
})

test('an index is created concurrently with writes while another host waits for the migration lock', async () => {
  const { url, db } = await createTestDatabase()
  const text = '-- Outside a transaction.\ncreate index concurrently accounts_by_name on accounts (name);\n'
  const folder = withNext({ '9001_index': text })
  const done = await Promise.all([migrate(url, { folder }), migrate(url, { folder })])
  expect(done.flat()).toEqual(['9001_index'])
  const { rows } = await asOwner(db, (trx) =>
    sql`select indisvalid as is_valid from pg_index where indexrelid = 'accounts_by_name'::regclass`.execute(trx),
  )
  expect(rows).toEqual([{ isValid: true }])
})

async function countWaiting(db: Db): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(trx),
  )
  return rows[0]?.count ?? 0
}
