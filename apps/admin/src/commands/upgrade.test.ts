import { existsSync } from 'node:fs'
import { asOwner, connect } from '@probity/database/connect'
import { migrate } from '@probity/database/migrate'
import { listOwnMigrations } from '@probity/database/schema-version'
import { createEmptyDatabase, createTestDatabase } from '@probity/database/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const FOLDER = makeFolder('probity-backups')
whenDone(() => removeFolder(FOLDER))
const LAST = (await listOwnMigrations()).at(-1)

const resultBehind = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>

test('says what an upgrade would do and changes nothing; then makes a backup and does it', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, { count: 26 })
  const db = connect(url)
  whenDone(() => db.destroy())
  await asOwner(db, (trx) => sql`update pg_class set reltuples = 5000000 where oid = 'api_keys'::regclass`.execute(trx))

  const looked = await runAdmin(url, 'upgrade', '--check', '--backup', FOLDER)
  expect(looked.code).toBe(1)
  const report = resultBehind(looked)
  expect(report).toMatchObject({
    last_backup: null,
    database_bytes: expect.any(Number),
    free_bytes: expect.any(Number),
  })
  const migrations = report['migrations'] as { name: string; tables: { name: string }[] }[]
  expect(migrations.at(-1)?.name).toBe(LAST)
  const [touching] = migrations.filter(({ name }) => name.startsWith('0028'))
  expect(touching?.tables.map(({ name }) => name)).toEqual(['api_keys', 'payments', 'stripe_events'])
  expect(report['warnings']).toEqual([
    'No backup is known of: make one with --backup FOLDER.',
    '0028_old_payments_and_public_keys touches api_keys, which has some 5000000 rows: it may take a while.',
  ])

  await migrate(url, { count: 4 }) // from where on backups are written down
  const { backup, migrated } = resultOf<{ backup: string; migrated: string[] }>(
    await runAdmin(url, 'upgrade', '--backup', FOLDER),
  )
  expect(existsSync(backup)).toBe(true)
  expect(migrated.at(-1)).toBe(LAST)
  const after = resultOf(await runAdmin(url, 'upgrade', '--check'))
  expect(after).toMatchObject({ migrations: [], last_backup: expect.any(String), warnings: [] })
})

test('an old backup speaks against it, and without one it is refused', async () => {
  const { url, db } = await createTestDatabase()
  expect(refusalOf(await runAdmin(url, 'upgrade'))).toContain('--backup FOLDER')
  await asOwner(db, (trx) =>
    sql`insert into backups (made_at, bytes, sha256) values (now() - interval '50 hours', 1, 'x')`.execute(trx),
  )
  const looked = await runAdmin(url, 'upgrade', '--check')
  expect([looked.code, resultBehind(looked)['warnings']]).toEqual([1, ['The last backup is 50 hours old.']])
  expect(refusalOf(await runAdmin(url, 'upgrade', '--check', '--backup', '/nowhere/at/all'))).toContain('is not there')
})

test('the tables of a newer version are left alone', async () => {
  const { url, db } = await createTestDatabase()
  await asOwner(db, (trx) => sql`insert into migrations (name, run_on) values ('9999_future', now())`.execute(trx))
  expect(refusalOf(await runAdmin(url, 'upgrade', '--backup', FOLDER))).toContain(
    'of a newer version, which has 9999_future',
  )
})
