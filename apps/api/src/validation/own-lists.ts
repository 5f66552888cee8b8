import { type Listed, listOf, namesOnLists } from '@probity/contract/listed'
import { type Db, inTenant, type Trx } from '@probity/database/connect'
import { findListed } from '@probity/database/listings'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Caller } from '../door/caller.ts'
import { isPublicCaller } from '../door/public-sandbox.ts'

/** Which of the account's lists each address is on, in their order. */
export async function lookUpListed(trx: Trx, accountId: string, emails: string[]): Promise<(Listed | null)[]> {
  const keys = emails.map(dedupeKey)
  const found = await findListed(trx, accountId, keys.flatMap(namesOnLists))
  return keys.map((key) => (found.size > 0 ? listOf(key, found) : null))
}

/** The same beside a transaction. Behind the public sandbox key there is no account that could have lists. */
export function askListed({ db }: { db: Db }, caller: Caller, emails: string[]): Promise<(Listed | null)[]> {
  if (isPublicCaller(caller)) return Promise.resolve(emails.map(() => null))
  return inTenant(db, caller.accountId, (trx) => lookUpListed(trx, caller.accountId, emails))
}
