import { type OverrideAction, overrideTargets, resolveOverride } from '@probity/contract/constants/policies'
import { findOverrides } from '@probity/database/accounts/overrides'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Auth } from '../middleware/authentication/auth.ts'
import { isPublicSandbox } from '../middleware/authentication/public-sandbox.ts'

/** The account's override for each address, in their order. */
export async function lookUpOverrides(
  trx: Trx,
  accountId: string,
  emails: string[],
): Promise<(OverrideAction | null)[]> {
  const keys = emails.map(dedupeKey)
  const found = await findOverrides(trx, accountId, keys.flatMap(overrideTargets))
  return keys.map((key) => (found.size > 0 ? resolveOverride(key, found) : null))
}

/** The same outside a transaction. The public sandbox key has no account and therefore no overrides. */
export function findOverridesOf({ db }: { db: Db }, auth: Auth, emails: string[]): Promise<(OverrideAction | null)[]> {
  if (isPublicSandbox(auth)) return Promise.resolve(emails.map(() => null))
  return inTenant(db, auth.accountId, (trx) => lookUpOverrides(trx, auth.accountId, emails))
}
