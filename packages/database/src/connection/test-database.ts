import { randomUUID } from 'node:crypto'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { Client } from 'pg'
import { inject } from 'vitest'
import { type Account, insertAccount, type NewAccount } from '../accounts/accounts.ts'
import { postCredits } from '../billing/ledger.ts'
import { asOwner, connect, type Db, type Trx } from './connect.ts'

export type TestDatabase = { url: string; db: Db }

/** A database for one test file, copied from the migrated one and dropped after the file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await createDatabase('postgres')
  const db = connect(url, { connectionsMax: 10 })
  whenDone(() => db.destroy())
  return { url, db }
}

/** A database without tables, as before the first migration. */
export function createEmptyDatabase(): Promise<string> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<string> {
  const made = await makeDatabase(inject('postgresUrl'), template)
  whenDone(() => made.drop()) // runs last: hooks run in reverse order
  return made.url
}

/** An account with credits, as an operator creates it. */
export async function openTestAccount(db: Db, credits: number, account: Partial<NewAccount> = {}): Promise<Account> {
  const made = await asOwner(db, (trx) => insertAccount(trx, { name: 'Test', plan: 'payg', ...account }))
  if (credits > 0) {
    await asOwnerOf(db, made.id, (trx) => postCredits(trx, { kind: 'grant', credits, subject: randomUUID() }))
  }
  return { ...made, available: credits }
}

/** Runs `work` as the owner with an account selected, for the functions that no role may execute. */
export function asOwnerOf<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return asOwner(db, async (trx) => {
    await sql`select set_config('app.account_id', ${accountId}, true)`.execute(trx)
    return work(trx)
  })
}

/** Creates a database on a server as a copy of another one. */
export async function makeDatabase(server: string, template: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    drop: () => onServer(server, `drop database ${name} with (force)`),
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url.replace(/\/postgres$/, '/template1') })
  await client.connect()
  await client.query(statement)
  await client.end()
}
