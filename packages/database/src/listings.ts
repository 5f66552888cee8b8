import type { Listed } from '@probity/contract/listed'
import { LISTINGS_MAX } from '@probity/contract/listings'
import { type Selectable, sql } from 'kysely'
import type { Trx } from './connect.ts'
import type { Schema } from './schema.ts'

export type Listing = Omit<Selectable<Schema['overrides']>, 'accountId'>

/** What is put on a list: entries as they are compared, each once. */
export type NewListings = { list: Listed; entries: string[]; note?: string | undefined; addedBy: string }

export type AddedListings = { added: number; moved: number; unchanged: number; total: number }

const COLUMNS = ['id', 'entry', 'action', 'note', 'addedBy', 'addedAt'] as const

/** Which of these names are on a list, and on which. One quick look, since most are on none. */
export async function findListed(trx: Trx, accountId: string, names: string[]): Promise<Map<string, Listed>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ entry: string; action: Listed }>`
    select entry, action from overrides where account_id = ${accountId} and entry = any (${names}::text[])`.execute(trx)
  return new Map(rows.map(({ entry, action }) => [entry, action]))
}

/** Whether the account has any override. Most have none. */
export async function hasListings(trx: Trx, accountId: string): Promise<boolean> {
  const found = trx.selectFrom('overrides').select('id').where('accountId', '=', accountId).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** Puts entries on a list, all or none. What is on the other list moves over. */
export async function addListings(
  trx: Trx,
  accountId: string,
  { list, entries, note, addedBy }: NewListings,
): Promise<AddedListings | 'too_many'> {
  // Two at once would each count without the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`listings of ${accountId}`}, 0))`.execute(trx)
  const before = await findListed(trx, accountId, entries)
  const added = entries.filter((entry) => !before.has(entry)).length
  const unchanged = entries.filter((entry) => before.get(entry) === list).length
  const total = (await countListings(trx, accountId, {})) + added
  if (total > LISTINGS_MAX) return 'too_many'
  await sql`
    insert into overrides as l (account_id, entry, action, note, added_by)
    select ${accountId}, e.entry, ${list}, ${note ?? ''}, ${addedBy} from unnest(${entries}::text[]) as e (entry)
    on conflict (account_id, entry) do update set
      action = excluded.action, note = coalesce(${note ?? null}::text, l.note),
      added_by = case when l.action = excluded.action then l.added_by else excluded.added_by end,
      added_at = case when l.action = excluded.action then l.added_at else excluded.added_at end`.execute(trx)
  return { added, moved: entries.length - added - unchanged, unchanged, total }
}

export type ListingFilter = { list?: Listed | undefined; search?: string | undefined }

/** One page in the order of the entries, or all of them. */
export function listListings(
  trx: Trx,
  accountId: string,
  { skip = 0, limit = LISTINGS_MAX, ...filter }: ListingFilter & { skip?: number; limit?: number },
): Promise<Listing[]> {
  return listingsOf(trx, accountId, filter).select(COLUMNS).orderBy('entry').offset(skip).limit(limit).execute()
}

export async function countListings(trx: Trx, accountId: string, filter: ListingFilter): Promise<number> {
  const { total } = await listingsOf(trx, accountId, filter)
    .select((of) => of.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

function listingsOf(trx: Trx, accountId: string, { list, search }: ListingFilter) {
  const listings = trx.selectFrom('overrides').where('accountId', '=', accountId)
  const ofList = list === undefined ? listings : listings.where('action', '=', list)
  // Not LIKE, to which some characters of an address say something else.
  return search === undefined ? ofList : ofList.where(sql<boolean>`strpos(entry, lower(${search})) > 0`)
}

/** False where there is no such entry. */
export async function removeListing(trx: Trx, accountId: string, id: string): Promise<boolean> {
  const listings = trx.deleteFrom('overrides').where('accountId', '=', accountId).where('id', '=', id)
  const removed = await listings.executeTakeFirst()
  return removed.numDeletedRows > 0n
}
