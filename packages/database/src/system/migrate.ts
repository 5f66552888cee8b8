import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type MigrationBuilder, PG_MIGRATE_LOCK_ID, type RunnerOption, runner } from 'node-pg-migrate'
import { Client } from 'pg'
import { asOwner, type Db, type Trx } from '../connection/connect.ts'
import {
  ForeignMigrations,
  listMigrations,
  listMissingMigrations,
  MIGRATIONS_FOLDER,
  MIGRATIONS_TABLE,
  readMigration,
} from './schema-version.ts'

type MigrationLoader = Exclude<NonNullable<RunnerOption['migrationLoaderStrategies']>[number]['loader'], string>

type MigrateOptions = {
  /** For tests with migrations that no version contains. */
  folder?: string
}

/** Migrates the database to this version. Safe to run from many hosts at once: one applies the migrations, the others wait. */
export async function migrate(
  ownerUrl: string,
  { folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<string[]> {
  // Our own connection, because the runner does not wait until its own is closed.
  const client = new Client({ connectionString: ownerUrl })
  client.on('error', () => {}) // the running query fails with the same error
  await client.connect()
  const done: string[] = []
  try {
    await waitForTurn(client)
    await rejectForeignMigrations(client, folder)
    for (;;) {
      const [next] = await applyNext(client, folder)
      if (next === undefined) break
      done.push(next.name)
    }
    return done
  } finally {
    await client.end()
  }
}

/** The database was migrated by another version: applying the migrations of this one would leave a schema that no version has. */
async function rejectForeignMigrations(client: Client, folder: string): Promise<void> {
  const { rows: tables } = await client.query<{ present: boolean }>('select to_regclass($1) is not null as present', [
    MIGRATIONS_TABLE,
  ])
  if (!tables[0]?.present) return
  const own = await listMigrations(folder)
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by name`)
  const foreign = rows.map(({ name }) => name).filter((name) => !own.includes(name))
  if (foreign.length > 0) throw new ForeignMigrations(foreign)
}

/** Polls for the lock: a session that waits inside PostgreSQL would block `create index concurrently`, and both would wait forever. */
async function waitForTurn(client: Client): Promise<void> {
  const ask = 'select pg_try_advisory_lock($1) as "isOurs"'
  const deadline = Date.now() + TURN_WITHIN_MS
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>(ask, [PG_MIGRATE_LOCK_ID])
    if (rows[0]?.isOurs) return
    if (Date.now() > deadline) throw new Error('Another process has been migrating the database for an hour.')
    await sleep(TURN_POLL_MS)
  }
}

const TURN_WITHIN_MS = 60 * 60 * 1_000
const TURN_POLL_MS = 100

/** Applies each migration separately, so that its locks are released before the next one waits for its own. */
async function applyNext(client: Client, folder: string): Promise<{ name: string }[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runner({
        dbClient: client,
        dir: folder,
        migrationsTable: MIGRATIONS_TABLE,
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
        direction: 'up',
        count: 1,
        checkOrder: true,
        noLock: true, // the lock above is used
        log: () => {},
      })
    } catch (error) {
      if (!isLockedOut(error) || tries === TRIES_MAX) throw error
      await client.query('rollback') // the runner does not end its transaction
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * A migration that waits for an ACCESS EXCLUSIVE lock blocks all later queries on the table, so it waits for half a second at most. Then it
 * retries, for about five minutes in total. Half a second is less than deadlock_timeout, so PostgreSQL never cancels a request instead.
 */
const LOCK_TIMEOUT = '500ms'
const PAUSE_MS = 1_000
const TRIES_MAX = 200
/** lock_not_available, and deadlock_detected if the migration was canceled. */
const LOCKED_OUT = ['55P03', '40P01']

function isLockedOut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCKED_OUT.includes(String(error.code))
}

/** First line of a file with one statement that must run outside a transaction, such as `create index concurrently`. */
const OUTSIDE = '-- Outside a transaction.'

const loadMigrations: MigrationLoader = (paths) =>
  Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, 'utf8')
      const up = (pgm: MigrationBuilder) => {
        if (text.startsWith(OUTSIDE)) pgm.noTransaction()
        else pgm.sql(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
        pgm.sql(text)
      }
      return { id: path, filePaths: [path], actions: { up, down: false as const } }
    }),
  )

/** A table that a migration touches, and how large it is by PostgreSQL's own estimate. */
export type TouchedTable = { name: string; rows: number; bytes: number }

export type UpgradePlan = {
  migrations: { name: string; tables: TouchedTable[] }[]
  databaseBytes: number
  /** Undefined if none is known. */
  lastBackup: Date | undefined
}

/** The effects of an upgrade, by the texts of the missing migrations and the existing tables. Changes nothing. */
export async function planUpgrade(db: Db, folder = MIGRATIONS_FOLDER): Promise<UpgradePlan> {
  const missing = await listMissingMigrations(db, folder)
  const { tables, databaseBytes, lastBackup } = await asOwner(db, async (trx) => ({
    tables: await listTables(trx),
    databaseBytes: await measureDatabase(trx),
    lastBackup: await findLastBackup(trx),
  }))
  const migrations = await Promise.all(
    missing.map(async (name) => {
      const touched = listNames(await readMigration(folder, name))
      return { name, tables: tables.filter((table) => touched.has(table.name)) }
    }),
  )
  return { migrations, databaseBytes, lastBackup }
}

/** The names after the keywords that a table name follows. Names that are not tables are ignored later. */
function listNames(text: string): Set<string> {
  const places =
    /\b(?:alter table(?: if exists)?(?: only)?|index [^;]*? on(?: only)?|update|delete from|references)\s+(\w+)/gi
  return new Set([...text.replace(/--.*$/gm, '').matchAll(places)].map(([, name = '']) => name.toLowerCase()))
}

async function listTables(trx: Trx): Promise<TouchedTable[]> {
  const { rows } = await sql<TouchedTable>`
    select c.relname as name, sum(greatest(p.reltuples, 0))::float8 as rows, sum(pg_total_relation_size(p.oid))::float8 as bytes
    from pg_class c
      left join lateral pg_partition_tree(c.oid) t on c.relkind = 'p'
      join pg_class p on p.oid = coalesce(t.relid, c.oid)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname
  `.execute(trx)
  return rows
}

async function measureDatabase(trx: Trx): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(trx)
  return rows[0]?.bytes ?? 0
}

/** An empty database does not have the table. */
async function findLastBackup(trx: Trx): Promise<Date | undefined> {
  const { rows } = await sql<{ present: boolean }>`select to_regclass('backups') is not null as present`.execute(trx)
  if (!rows[0]?.present) return undefined
  const last = await trx.selectFrom('backups').select('madeAt').orderBy('madeAt', 'desc').limit(1).executeTakeFirst()
  return last?.madeAt
}
