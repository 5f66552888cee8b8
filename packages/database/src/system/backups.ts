import { sql } from 'kysely'
import { asOwner, type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** Counts that an incomplete backup would not match. */
export type Contents = { accounts: number; keys: number; ledger_entries: number; credits: number }

/** A snapshot of the database, which another session can read by its name while the transaction lasts. */
export type Moment = { snapshot: string; migrations: string[]; roles: string[]; contents: Contents }

export function atOneMoment<T>(db: Db, work: (moment: Moment) => Promise<T>): Promise<T> {
  const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return reading.execute(async (trx) => {
    const { rows } = await sql<{ snapshot: string }>`select pg_export_snapshot() as snapshot`.execute(trx)
    const moment = {
      snapshot: rows[0]?.snapshot ?? '',
      migrations: await listMigrations(trx),
      roles: await listRoles(trx),
      contents: await countContents(trx),
    }
    return work(moment)
  })
}

export async function countContents(trx: Trx): Promise<Contents> {
  const { rows } = await sql<Contents>`
    select
      (select count(*)::int from accounts) as accounts,
      (select count(*)::int from api_keys) as keys,
      (select count(*)::int from ledger) as ledger_entries,
      (select coalesce(sum(available + reserved), 0)::float8 from accounts) as credits
  `.execute(trx)
  return rows[0] as Contents
}

async function listMigrations(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(trx)
  return rows.map(({ name }) => name)
}

/** The roles that have rights on our tables. They belong to the server and are not part of a dump. */
async function listRoles(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct r.rolname as name
    from pg_class c, aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
    where c.relnamespace = 'public'::regnamespace and starts_with(r.rolname, 'probity_') and not r.rolcanlogin
    order by 1
  `.execute(trx)
  return rows.map(({ name }) => name)
}

export async function recordBackup(
  db: Db,
  { madeAt, bytes, sha256 }: { madeAt: Date; bytes: number; sha256: string },
): Promise<void> {
  await asOwner(db, (trx) => trx.insertInto('backups').values({ madeAt, bytes, sha256 }).execute())
}

/** The time of the newest known backup. */
export async function findNewestBackup(db: Db): Promise<Date | undefined> {
  const row = await withoutTenant(db, (trx) =>
    trx.selectFrom('backups').select('madeAt').orderBy('madeAt', 'desc').limit(1).executeTakeFirst(),
  )
  return row?.madeAt
}

/** The database to restore a backup into: its name, whether it is empty, and the number of our processes connected to it. */
export async function describeTarget(db: Db): Promise<{ name: string; isEmpty: boolean; others: number }> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string; isEmpty: boolean; others: number }>`
      select
        current_database() as name,
        not exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as "isEmpty",
        (select count(*)::int from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and starts_with(application_name, 'probity')) as others
    `.execute(trx),
  )
  return rows[0] as { name: string; isEmpty: boolean; others: number }
}

export async function dropEverything(db: Db): Promise<void> {
  await asOwner(db, async (trx) => {
    await sql`drop schema public cascade`.execute(trx)
    await sql`create schema public`.execute(trx)
    await sql`grant usage on schema public to public`.execute(trx)
  })
}

/** As the migrations create them: without login, and granted to the table owner. */
export async function ensureRoles(db: Db, roles: string[]): Promise<void> {
  await asOwner(db, async (trx) => {
    for (const role of roles) {
      const found = await sql`select from pg_roles where rolname = ${role}`.execute(trx)
      if (found.rows.length > 0) continue
      await sql`create role ${sql.id(role)} nologin nobypassrls`.execute(trx)
      await sql`grant ${sql.id(role)} to current_user`.execute(trx)
    }
  })
}

/** The time of the last backup; undefined if there is none. */
export async function findLastBackup(db: Db): Promise<Date | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ madeAt: Date | null }>`select max(made_at) as made_at from backups`.execute(trx),
  )
  return rows[0]?.madeAt ?? undefined
}
