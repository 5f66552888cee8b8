import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { countRows, type Page, readRows } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'

export type AuditEntry = Selectable<Schema['auditEntries']> & { accountName?: string | null }

export type AuditFilter = {
  /** The start of an action, such as `key` or `key.revoked`. */
  action?: string | undefined
  /** A part of the actor's name, or the actor's id. */
  by?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** Only entries before the one with this id. */
  before?: number | undefined
}

/** The entries of one account, newest first. Runs as the tenant. */
export async function listAuditEntries(trx: Trx, accountId: string, filter: AuditFilter & Page): Promise<AuditEntry[]> {
  const kept = entries(trx, filter).where('accountId', '=', accountId).selectAll()
  return readRows(kept.orderBy('id', 'desc'), filter)
}

export async function countAuditEntries(trx: Trx, accountId: string, filter: AuditFilter): Promise<number> {
  return countRows(entries(trx, filter).where('accountId', '=', accountId))
}

/** Entries of one account or of the installation itself; all entries if neither is set. */
type Whose = { accountId?: string | undefined; isInstallation?: boolean | undefined }

/** The entries of all accounts, with account names. Runs as an operator. */
export async function listAllAuditEntries(trx: Trx, filter: AuditFilter & Page & Whose): Promise<AuditEntry[]> {
  const kept = whose(entries(trx, filter), filter)
    .selectAll()
    .select((from) =>
      from
        .selectFrom('accounts')
        .select('name')
        .whereRef('accounts.id', '=', 'auditEntries.accountId')
        .as('accountName'),
    )
  return readRows(kept.orderBy('id', 'desc'), filter)
}

export async function countAllAuditEntries(trx: Trx, filter: AuditFilter & Whose): Promise<number> {
  return countRows(whose(entries(trx, filter), filter))
}

function entries(trx: Trx, { action, by, from, to, before }: AuditFilter) {
  let kept = trx.selectFrom('auditEntries')
  if (action) kept = kept.where(sql<boolean>`starts_with(action, ${action})`)
  if (by) {
    kept = kept.where(
      sql<boolean>`(position(lower(${by}) in lower(coalesce(actor_name, actor))) > 0 or actor_id::text = ${by})`,
    )
  }
  if (before !== undefined) kept = kept.where('id', '<', before)
  if (from) kept = kept.where(sql<boolean>`at >= ${from}::date at time zone 'utc'`)
  if (to) kept = kept.where(sql<boolean>`at < (${to}::date + 1) at time zone 'utc'`)
  return kept
}

function whose(kept: ReturnType<typeof entries>, { accountId, isInstallation }: Whose) {
  if (isInstallation) return kept.where('accountId', 'is', null)
  return accountId === undefined ? kept : kept.where('accountId', '=', accountId)
}

/** Deletes entries older than a year. Returns their number. */
export async function removeOldAuditEntries(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ removed: number }>`select delete_old_audit_entries() as removed`.execute(trx),
  )
  return rows[0]?.removed ?? 0
}
