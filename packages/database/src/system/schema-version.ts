import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type Db, withoutTenant } from '../connection/connect.ts'

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))
export const MIGRATIONS_TABLE = 'migrations'

/** The migrations of this version, in order. */
export function listOwnMigrations(): Promise<string[]> {
  return listMigrations(MIGRATIONS_FOLDER)
}

export async function listMigrations(folder: string): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .toSorted()
}

export function readMigration(folder: string, name: string): Promise<string> {
  return readFile(join(folder, `${name}.sql`), 'utf8')
}

/** The migrations that this version has and the database lacks. */
export async function listMissingMigrations(db: Db, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const [names, done] = [await listMigrations(folder), await listDone(db)]
  return names.filter((name) => !done.includes(name))
}

/** Another version, usually a newer one, has changed the schema in ways that this version does not know. */
export class ForeignMigrations extends Error {
  constructor(migrations: string[]) {
    super(
      `The database has migrations that this version does not contain (${migrations.join(', ')}): start the version that applied them, or create a new database.`,
    )
  }
}

/** For the start of a process. A running process continues, because migrations keep the previous version working. */
export async function rejectForeignSchema(db: Db): Promise<void> {
  const [names, done] = [await listOwnMigrations(), await listDone(db)]
  const foreign = done.filter((name) => !names.includes(name))
  if (foreign.length > 0) throw new ForeignMigrations(foreign.toSorted())
}

function listDone(db: Db): Promise<string[]> {
  return withoutTenant(db, async (trx) => {
    const made = await sql<{
      present: boolean
    }>`select to_regclass(${MIGRATIONS_TABLE}) is not null as present`.execute(trx)
    if (!made.rows[0]?.present) return []
    const rows = await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)}`.execute(trx)
    return rows.rows.map((row) => row.name)
  }).catch(noneIfNoRole)
}

const INVALID_PARAMETER = '22023'

/** On a server that was never migrated the role of the query does not exist. */
function noneIfNoRole(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === INVALID_PARAMETER) return []
  throw error
}
