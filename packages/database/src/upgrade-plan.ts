import { sql } from 'kysely'
import { asOwner, type Db, type Trx } from './connect.ts'
import { listMissingMigrations, MIGRATIONS_FOLDER, readMigration } from './schema-version.ts'

/** A table that a migration touches, and how large it is by PostgreSQL's own estimate. */
export type TouchedTable = { name: string; rows: number; bytes: number }

export type UpgradePlan = {
  migrations: { name: string; tables: TouchedTable[] }[]
  databaseBytes: number
  /** Undefined where none is known of. */
  lastBackup: Date | undefined
}

/** What migrating would do here, by the texts of the migrations and the tables that are there. Changes nothing. */
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

/** Of whatever stands where a statement names a table. What is no table is not found among them. */
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

/** An empty database has no such table. */
async function findLastBackup(trx: Trx): Promise<Date | undefined> {
  const { rows } = await sql<{ present: boolean }>`select to_regclass('backups') is not null as present`.execute(trx)
  if (!rows[0]?.present) return undefined
  const last = await trx.selectFrom('backups').select('madeAt').orderBy('madeAt', 'desc').limit(1).executeTakeFirst()
  return last?.madeAt
}
