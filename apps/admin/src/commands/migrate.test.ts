import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from '@probity/database/connection/connect'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { afterAll, expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

// A new server: it has neither the tables nor the roles of Probity.
const postgres = await startPostgres()
const db = connect(postgres.url)
afterAll(async () => {
  await db.destroy()
  await postgres.stop()
})

const COMMANDS = [
  ['account', 'list'],
  ['account', 'create', '--name', 'N'],
  ['key', 'revoke', '--account', randomUUID(), '--key', randomUUID()],
]

test.for(COMMANDS)('"%s %s" names the migrate command before the first migration', async (args) => {
  expect(refusalOf(await runAdmin(postgres.url, ...args))).toContain('Run "probity-admin migrate" first')
})

const MIGRATIONS = readdirSync(new URL('../../../../packages/database/migrations', import.meta.url))
  .map((file) => file.replace(/\.sql$/, ''))
  .toSorted()

test('migrate applies all migrations once', async () => {
  const missing = await listMissingMigrations(db)
  expect(missing).toEqual(MIGRATIONS)
  expect(resultOf(await runAdmin(postgres.url, 'migrate'))).toEqual({ migrated: missing })
  expect(resultOf(await runAdmin(postgres.url, 'migrate'))).toEqual({ migrated: [] })
  expect(await listMissingMigrations(db)).toEqual([])
  expect(resultOf(await runAdmin(postgres.url, 'account', 'list'))).toEqual([])
})

const UNREACHABLE = 'postgres://user:secret@127.0.0.1:1/probity' // port 1 is closed

test.for([['account', 'list'], ['migrate']])('"%s" reports an unreachable database in one line', async (args) => {
  const refusal = refusalOf(await runAdmin(UNREACHABLE, ...args))
  expect(refusal).toContain('PostgreSQL cannot be reached')
  expect(refusal).not.toContain('secret')
})

test('"account list" reports a read-only server in one line', async () => {
  whenDone(() => postgres.setReadOnly('off'))
  await postgres.setReadOnly('on')
  expect(refusalOf(await runAdmin(postgres.url, 'account', 'list'))).toContain('is read-only')
})

test.for([['account', 'list'], ['migrate']])('"%s" names a database that does not exist in one line', async (args) => {
  const refusal = refusalOf(await runAdmin(postgres.url.replace(/\/postgres$/, '/nowhere'), ...args))
  expect(refusal).toContain('database "nowhere" does not exist')
})

test('invalid settings are reported without their values', async () => {
  const { code, stdout, stderr } = await runAdmin('mysql://user:secret@127.0.0.1/probity', 'account', 'list')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('DATABASE_URL is not valid')
  expect(stderr).not.toMatch(/secret|\n\s+at /)
})
