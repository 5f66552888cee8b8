import type { OverrideAction } from '@probity/contract/constants/policies'
import { OVERRIDES_MAX } from '@probity/contract/constants/policies'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { countRows, type Page, readRows } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'

export type Override = Omit<Selectable<Schema['overrides']>, 'accountId'>

/** New overrides: targets in the form in which they are compared, each once. */
export type NewOverrides = { action: OverrideAction; targets: string[]; note?: string | undefined; createdBy: string }

export type AddedOverrides = { added: number; moved: number; unchanged: number; total: number }

const COLUMNS = ['id', 'target', 'action', 'note', 'createdBy', 'createdAt'] as const

/** The actions of those targets that have an override. One index lookup, since most have none. */
export async function findOverrides(
  trx: Trx,
  accountId: string,
  targets: string[],
): Promise<Map<string, OverrideAction>> {
  if (targets.length === 0) return new Map()
  const { rows } = await sql<{ target: string; action: OverrideAction }>`
    select target, action from overrides where account_id = ${accountId} and target = any (${targets}::text[])`.execute(
    trx,
  )
  return new Map(rows.map(({ target, action }) => [target, action]))
}

/** Whether the account has any override. Most have none. */
export async function hasOverrides(trx: Trx, accountId: string): Promise<boolean> {
  const found = trx.selectFrom('overrides').select('id').where('accountId', '=', accountId).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** Allows or blocks targets, all or none. An override with the other action changes its action. */
export async function addOverrides(
  trx: Trx,
  accountId: string,
  { action, targets, note, createdBy }: NewOverrides,
): Promise<AddedOverrides | 'too_many'> {
  // Concurrent requests would each count without the other and exceed the limit together.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`overrides of ${accountId}`}, 0))`.execute(trx)
  const before = await findOverrides(trx, accountId, targets)
  const added = targets.filter((target) => !before.has(target)).length
  const unchanged = targets.filter((target) => before.get(target) === action).length
  const total = (await countOverrides(trx, accountId, {})) + added
  if (total > OVERRIDES_MAX) return 'too_many'
  await sql`
    insert into overrides as o (account_id, target, action, note, created_by)
    select ${accountId}, t.target, ${action}, ${note ?? ''}, ${createdBy} from unnest(${targets}::text[]) as t (target)
    on conflict (account_id, target) do update set
      action = excluded.action, note = coalesce(${note ?? null}::text, o.note),
      created_by = case when o.action = excluded.action then o.created_by else excluded.created_by end,
      created_at = case when o.action = excluded.action then o.created_at else excluded.created_at end`.execute(trx)
  return { added, moved: targets.length - added - unchanged, unchanged, total }
}

export type OverrideFilter = { action?: OverrideAction | undefined; search?: string | undefined }

/** One page sorted by target, or all of them. */
export function listOverrides(
  trx: Trx,
  accountId: string,
  { skip = 0, limit = OVERRIDES_MAX, ...filter }: OverrideFilter & Partial<Page>,
): Promise<Override[]> {
  return readRows(overridesOf(trx, accountId, filter).select(COLUMNS).orderBy('target'), { skip, limit })
}

export function countOverrides(trx: Trx, accountId: string, filter: OverrideFilter): Promise<number> {
  return countRows(overridesOf(trx, accountId, filter))
}

function overridesOf(trx: Trx, accountId: string, { action, search }: OverrideFilter) {
  const overrides = trx.selectFrom('overrides').where('accountId', '=', accountId)
  const ofAction = action === undefined ? overrides : overrides.where('action', '=', action)
  // Not LIKE: addresses may contain its wildcard characters.
  return search === undefined ? ofAction : ofAction.where(sql<boolean>`strpos(target, lower(${search})) > 0`)
}

/** False if the account has no such override. */
export async function removeOverride(trx: Trx, accountId: string, id: string): Promise<boolean> {
  const overrides = trx.deleteFrom('overrides').where('accountId', '=', accountId).where('id', '=', id)
  const removed = await overrides.executeTakeFirst()
  return removed.numDeletedRows > 0n
}
