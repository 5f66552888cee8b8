import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'

export type AuditEntry = Selectable<Schema['auditEntries']> & { accountName?: string | null }

export type AuditFilter = {
  /** The beginning of an action, as `key` or `key.revoked`. */
  action?: string | undefined
  /** A part of the name of who did it, or their id. */
  by?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** Only those that are older than the one with this id. */
  before?: number | undefined
}

type Page = { skip: number; limit: number }

/** The entries of one account, the latest first. As the tenant. */
export async function listAuditEntries(trx: Trx, accountId: string, filter: AuditFilter & Page): Promise<AuditEntry[]> {
  const { skip, limit } = filter
  const kept = entries(trx, filter).where('accountId', '=', accountId).selectAll()
  return kept.orderBy('id', 'desc').offset(skip).limit(limit).execute()
}

export async function countAuditEntries(trx: Trx, accountId: string, filter: AuditFilter): Promise<number> {
  const kept = entries(trx, filter).where('accountId', '=', accountId)
  const { count } = await kept.select((from) => from.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

/** An account, or what concerns the installation itself; all of it where neither is named. */
type Whose = { accountId?: string | undefined; isInstallation?: boolean | undefined }

/** The entries of all accounts, with their names. As an operator. */
export async function listAllAuditEntries(trx: Trx, filter: AuditFilter & Page & Whose): Promise<AuditEntry[]> {
  const { skip, limit } = filter
  return whose(entries(trx, filter), filter)
    .selectAll()
    .select((from) =>
      from
        .selectFrom('accounts')
        .select('name')
        .whereRef('accounts.id', '=', 'auditEntries.accountId')
        .as('accountName'),
    )
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute()
}

export async function countAllAuditEntries(trx: Trx, filter: AuditFilter & Whose): Promise<number> {
  const kept = whose(entries(trx, filter), filter)
  const { count } = await kept.select((from) => from.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
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

/** Removes entries whose year is over, and says how many they were. */
export async function removeOldAuditEntries(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ removed: number }>`select delete_old_audit_entries() as removed`.execute(trx),
  )
  return rows[0]?.removed ?? 0
}
