import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { migrate } from './packages/database/src/system/migrate.ts'
import { MIGRATIONS_FOLDER } from './packages/database/src/system/schema-version.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from './testing/lab/src/services/postgres.ts'

const CACHE = join(homedir(), '.cache', 'probity-test-database')

/**
 * A server with a migrated database. Creating the cluster and migrating it takes two seconds, so its data is kept for
 * later runs.
 */
export async function startMigratedPostgres(): Promise<PostgresServer> {
  const kept = join(CACHE, cacheKey())
  if (!existsSync(kept)) await keepMigrated(kept)
  return startPostgres({ copyOf: kept })
}

/** Migrations create the partitions of the coming days, so the data is good for one day, one PostgreSQL and one set of migrations. */
function cacheKey(): string {
  const hash = createHash('sha256').update(postgresPrograms())
  for (const name of readdirSync(MIGRATIONS_FOLDER).toSorted()) {
    hash.update(name).update(readFileSync(join(MIGRATIONS_FOLDER, name)))
  }
  return `${today()}-${hash.digest('hex').slice(0, 16)}`
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

async function keepMigrated(kept: string): Promise<void> {
  const server = await startPostgres()
  try {
    await migrate(server.url)
    await server.halt()
    mkdirSync(CACHE, { recursive: true })
    const expired = readdirSync(CACHE).filter((name) => !name.startsWith(today()))
    for (const name of expired) rmSync(join(CACHE, name), { recursive: true, force: true })
    const draft = mkdtempSync(join(CACHE, `${today()}-draft-`))
    execFileSync('cp', ['--archive', '--no-target-directory', server.dataFolder, draft])
    publish(draft, kept)
  } finally {
    await server.stop()
  }
}

/** Two runs that start at the same time both create the cluster. The later one finds the folder taken and discards its own. */
function publish(draft: string, kept: string): void {
  try {
    renameSync(draft, kept)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(kept)) throw error
  }
}
