import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MigrationBuilder, PG_MIGRATE_LOCK_ID, type RunnerOption, runner } from 'node-pg-migrate'
import { Client } from 'pg'
import { ForeignMigrations, listMigrations, MIGRATIONS_FOLDER, MIGRATIONS_TABLE } from './schema-version.ts'

type MigrationLoader = Exclude<NonNullable<RunnerOption['migrationLoaderStrategies']>[number]['loader'], string>

type MigrateOptions = {
  /** For tests of migrations that no version has yet. */
  folder?: string
}

/** Brings the database to this version. Safe to run from many hosts at once: one works, the others wait for it. */
export async function migrate(
  ownerUrl: string,
  { folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<string[]> {
  // Our own connection: the runner would not wait until its one is closed.
  const client = new Client({ connectionString: ownerUrl })
  client.on('error', () => {}) // the query that is under way meets it too
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

/** By asking again and again: who waits inside PostgreSQL is waited for by an index that is made beside writers, and both wait for ever. */
async function waitForTurn(client: Client): Promise<void> {
  const ask = 'select pg_try_advisory_lock($1) as "isOurs"'
  const deadline = Date.now() + TURN_WITHIN_MS
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>(ask, [PG_MIGRATE_LOCK_ID])
    if (rows[0]?.isOurs) return
    if (Date.now() > deadline) throw new Error('Another process has been migrating this database for an hour.')
    await sleep(TURN_POLL_MS)
  }
}

const TURN_WITHIN_MS = 60 * 60 * 1_000
const TURN_POLL_MS = 100

/** Each migration by itself, so that the locks of one are let go before the next waits for its own. */
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
        noLock: true, // it is ours
        log: () => {},
      })
    } catch (error) {
      if (!isLockedOut(error) || tries === TRIES_MAX) throw error
      await client.query('rollback') // the runner leaves its transaction open
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Who waits for a table with the strongest lock has everybody else wait behind them, so a migration waits for half a second. Then it steps
 * back, lets them through and tries again, for some five minutes in all. Half a second is less than PostgreSQL gives two who wait for each other
 * before it ends one of them, which might be a caller.
 */
const LOCK_TIMEOUT = '500ms'
const PAUSE_MS = 1_000
const TRIES_MAX = 200
/** lock_not_available, and deadlock_detected, where we were the one that was ended. */
const LOCKED_OUT = ['55P03', '40P01']

function isLockedOut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCKED_OUT.includes(String(error.code))
}

/** A file with this as its first line has one statement that PostgreSQL takes outside a transaction alone, as for an index beside writers. */
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
