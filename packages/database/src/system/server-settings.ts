import { sql } from 'kysely'
import { asOwner, type Db, type Trx, withoutTenant } from '../connection/connect.ts'

const NAMES = [
  'server_version',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'log_statement',
  'log_min_duration_statement',
  'log_parameter_max_length',
  'log_parameter_max_length_on_error',
  'log_error_verbosity',
]

/** Settings of the server that the doctor checks, by name. */
export async function readServerSettings(db: Db): Promise<Record<string, string>> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ name: string; setting: string }>`select name, setting from pg_settings where name = any(${NAMES})`.execute(
      trx,
    ),
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

/** Whether the server takes writes: it is not a standby, and `default_transaction_read_only` is off. */
export async function isWritable(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ isReadOnly: string }>`
    select current_setting('transaction_read_only') as is_read_only`.execute(trx)
  return rows[0]?.isReadOnly === 'off'
}

/** The server's clock, and whether the server is on the same host as the client. */
export async function readClock(db: Db): Promise<{ at: number; isHere: boolean }> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ at: Date; isHere: boolean }>`
      select clock_timestamp() as at, inet_server_addr() is null or inet_server_addr() = inet_client_addr() as "isHere"
    `.execute(trx),
  )
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL returned no time')
  return { at: row.at.getTime(), isHere: row.isHere }
}

/** Roles of other programs that the login of this connection can switch to. */
export async function listOtherRoles(db: Db): Promise<string[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ name: string }>`
      select rolname as name from pg_roles
      where starts_with(rolname, 'probity_') and not rolcanlogin and rolname <> ${db.programRole}
        and pg_has_role(session_user, oid, 'member')
      order by rolname`.execute(trx),
  )
  return rows.map(({ name }) => name)
}

/** Data folder of the server; readable only with the right to read all settings. As the login role. */
export async function findDataFolder(db: Db): Promise<string | undefined> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ setting: string }>`select setting from pg_settings where name = 'data_directory'`.execute(trx),
  )
  return rows[0]?.setting
}
