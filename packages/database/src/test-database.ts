import { randomUUID } from 'node:crypto'
import { whenDone } from '@probity/lab/when-done'
import { inject } from 'vitest'
import { type Account, insertAccount, type NewAccount } from './accounts.ts'
import { asOwner, connect, type Db, inTenant } from './connect.ts'
import { postCredits } from './credits.ts'
import { makeDatabase } from './test-server.ts'

export type TestDatabase = { url: string; db: Db }

/** A database of its own for one test file, copied from the migrated one and dropped when the file is done. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await createDatabase('postgres')
  const db = connect(url, { connectionsMax: 10 })
  whenDone(() => db.destroy())
  return { url, db }
}

/** A database without a single table, as an operator finds it on the first day. */
export function createEmptyDatabase(): Promise<string> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<string> {
  const made = await makeDatabase(inject('postgresUrl'), template)
  whenDone(() => made.drop()) // runs last: hooks run in reverse order
  return made.url
}

/** An account with credits, as an operator would make it. */
export async function openTestAccount(db: Db, credits: number, account: Partial<NewAccount> = {}): Promise<Account> {
  const made = await asOwner(db, (trx) => insertAccount(trx, { name: 'Test', plan: 'payg', ...account }))
  if (credits > 0) {
    await inTenant(db, made.id, (trx) => postCredits(trx, { kind: 'grant', credits, subject: randomUUID() }))
  }
  return { ...made, available: credits }
}
