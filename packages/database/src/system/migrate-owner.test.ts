import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findAccount } from '../accounts/accounts.ts'
import { postCredits } from '../billing/ledger.ts'
import { asOwner, connect, type Db, inTenant } from '../connection/connect.ts'
import { createEmptyDatabase, openTestAccount } from '../connection/test-database.ts'
import { migrate } from './migrate.ts'
import { keepPartitions } from './retention.ts'
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

/** Gives a database to a new user who is not a superuser, and logs in as that user. */
async function giveToUser(url: string, rights: string): Promise<string> {
  const { pathname } = new URL(url)
  const user = `user_${randomUUID().replaceAll('-', '')}`
  await asOwner(open(url), async (trx) => {
    await sql`create role ${sql.ref(user)} login ${sql.raw(rights)}`.execute(trx)
    await sql`alter database ${sql.ref(pathname.slice(1))} owner to ${sql.ref(user)}`.execute(trx)
  })
  return url.replace('postgres@', `${user}@`)
}

/** Uses the rights of the API role and those of the owner, each once. */
async function useDatabase(db: Db): Promise<void> {
  const { id: mine } = await openTestAccount(db, 5)
  const { id: theirs } = await openTestAccount(db, 5)
  const posting = await inTenant(db, mine, (trx) =>
    postCredits(trx, { kind: 'charge', credits: 2, subject: randomUUID() }),
  )
  expect(posting).toEqual({ kind: 'posted', available: 3 })
  expect(await inTenant(db, mine, (trx) => findAccount(trx, theirs))).toBeUndefined()
  expect(await keepPartitions(db)).toEqual({ made: 0, dropped: 0 })
}

test('an owner with CREATEROLE can migrate a new server without being a superuser', async () => {
  const server = await startPostgres()
  whenDone(() => server.stop())
  const url = await giveToUser(server.url, 'createrole')
  const db = open(url)
  expect(await listMissingMigrations(db)).toEqual(ALL) // though the role that it asks as is not there yet
  expect(await migrate(url)).toEqual(ALL)
  expect(await listMissingMigrations(db)).toEqual([])
  await useDatabase(db)
})

test('an owner without CREATEROLE can migrate if the roles exist and are granted', async () => {
  const url = await giveToUser(
    await createEmptyDatabase(),
    'in role probity_app, probity_worker, probity_maintenance, probity_users, probity_operator',
  )
  expect(await migrate(url)).toEqual(ALL)
  await useDatabase(open(url))
})

test('migrate fails without changes for an owner who cannot switch to the role of the API', async () => {
  const url = await giveToUser(await createEmptyDatabase(), '')
  await expect(migrate(url)).rejects.toThrow('probity_app')
  expect(await listRecorded(open(url))).toEqual([])
})
