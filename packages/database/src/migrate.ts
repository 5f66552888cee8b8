import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { runner } from 'node-pg-migrate'
import { Client } from 'pg'
import { asNobody, type Db } from './connect.ts'

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url))
const TABLE = 'migrations'

/** Brings the database to this version. Safe to run from many hosts at once: one works, the others wait for it. */
export async function migrate(ownerUrl: string): Promise<string[]> {
  // Our own connection: the runner would not wait until its one is closed.
  const client = new Client({ connectionString: ownerUrl })
  client.on('error', () => {}) // the query that is under way meets it too
  await client.connect()
  try {
    const done = await runner({
      dbClient: client,
      dir: FOLDER,
      migrationsTable: TABLE,
      direction: 'up',
      checkOrder: true,
      noLock: false,
      advisoryLockMode: 'wait',
      log: () => {},
    })
    return done.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

/** The migrations of this version, in order. */
export async function listOwnMigrations(): Promise<string[]> {
  const files = await readdir(FOLDER)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .toSorted()
}

/** The migrations that this version has and the database lacks. */
export async function listMissingMigrations(db: Db): Promise<string[]> {
  const [names, done] = [await listOwnMigrations(), await listDone(db)]
  return names.filter((name) => !done.includes(name))
}

/** A newer version was here and has changed the tables in ways that this one does not know. */
export class NewerSchema extends Error {
  constructor(migrations: string[]) {
    super(
      `The database is of a newer version, which has ${migrations.join(', ')}. Start that version, or restore a backup.`,
    )
  }
}

/** For the start of a process. One that already runs goes on: migrations leave the version before able to work. */
export async function refuseNewerSchema(db: Db): Promise<void> {
  const [names, done] = [await listOwnMigrations(), await listDone(db)]
  const foreign = done.filter((name) => !names.includes(name))
  if (foreign.length > 0) throw new NewerSchema(foreign.toSorted())
}

function listDone(db: Db): Promise<string[]> {
  return asNobody(db, async (trx) => {
    const made = await sql<{ present: boolean }>`select to_regclass(${TABLE}) is not null as present`.execute(trx)
    if (!made.rows[0]?.present) return []
    const rows = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(trx)
    return rows.rows.map((row) => row.name)
  }).catch(noneIfNoRole)
}

const INVALID_PARAMETER = '22023'

/** On a server that was never migrated not even the role to ask as is there. */
function noneIfNoRole(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === INVALID_PARAMETER) return []
  throw error
}
