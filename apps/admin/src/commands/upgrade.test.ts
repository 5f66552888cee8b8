import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { MIGRATIONS_FOLDER } from '@probity/database/system/schema-version'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'
import { lookAhead } from './migrate.ts'

const FOLDER = makeFolder('probity-backups')
whenDone(() => removeFolder(FOLDER))

const resultBehind = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>

/** The migrations of this version and one more, which touches two tables. */
function plantNextVersion(): string {
  const folder = makeFolder('probity-migrations')
  whenDone(() => removeFolder(folder))
  cpSync(MIGRATIONS_FOLDER, folder, { recursive: true })
  const text = 'alter table api_keys add column note text;\ncreate index payments_by_note on payments (id);\n'
  writeFileSync(join(folder, '0002_next.sql'), text)
  return folder
}

test('lookAhead names the tables that the next migrations touch, and warns of large ones', async () => {
  const { db } = await createTestDatabase()
  await asOwner(db, (trx) => sql`update pg_class set reltuples = 5000000 where oid = 'api_keys'::regclass`.execute(trx))
  const report = await lookAhead(db, FOLDER, plantNextVersion())
  process.exitCode = 0
  expect(report).toMatchObject({
    last_backup: null,
    database_bytes: expect.any(Number),
    free_bytes: expect.any(Number),
  })
  expect(report.migrations.map(({ name, tables }) => [name, tables.map((table) => table.name)])).toEqual([
    ['0002_next', ['api_keys', 'payments']],
  ])
  expect(report.warnings).toEqual([
    'No backup found. Create one with --backup FOLDER.',
    '0002_next changes api_keys, which has about 5000000 rows: it may take a while.',
  ])
})

test('upgrade --check changes nothing, and upgrade makes a backup first', async () => {
  const { url } = await createTestDatabase()
  expect((await runAdmin(url, 'upgrade', '--check', '--backup', FOLDER)).code).toBe(1)
  const { backup, migrated } = resultOf<{ backup: string; migrated: string[] }>(
    await runAdmin(url, 'upgrade', '--backup', FOLDER),
  )
  expect(existsSync(backup)).toBe(true)
  expect(migrated).toEqual([])
  const after = resultOf(await runAdmin(url, 'upgrade', '--check'))
  expect(after).toMatchObject({ migrations: [], last_backup: expect.any(String), warnings: [] })
})

test('upgrade --check warns of an old backup, and upgrade requires a backup folder', async () => {
  const { url, db } = await createTestDatabase()
  expect(refusalOf(await runAdmin(url, 'upgrade'))).toContain('--backup FOLDER')
  await asOwner(db, (trx) =>
    sql`insert into backups (made_at, bytes, sha256) values (now() - interval '50 hours', 1, 'x')`.execute(trx),
  )
  const looked = await runAdmin(url, 'upgrade', '--check')
  expect([looked.code, resultBehind(looked)['warnings']]).toEqual([1, ['The last backup is 50 hours old.']])
  expect(refusalOf(await runAdmin(url, 'upgrade', '--check', '--backup', '/nowhere/at/all'))).toContain(
    'does not exist',
  )
})

test('upgrade and migrate reject a database with migrations of another version', async () => {
  const { url, db } = await createTestDatabase()
  await asOwner(db, (trx) => sql`insert into migrations (name, run_on) values ('9999_future', now())`.execute(trx))
  const message =
    'The database has migrations that this version does not contain (9999_future): start the version that applied them, or create a new database.'
  expect(refusalOf(await runAdmin(url, 'upgrade', '--backup', FOLDER))).toContain(message)
  expect(refusalOf(await runAdmin(url, 'migrate'))).toContain(message)
})
