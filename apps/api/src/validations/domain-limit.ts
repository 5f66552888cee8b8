import { type Db, inTenant } from '@probity/database/connection/connect'
import { admitDomainAddresses } from '@probity/database/validations/probing'
import { domainOf, ownerOf } from '@probity/engine/address/shared-domains'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import type { Purchase } from './charge.ts'

/**
 * Counts the addresses to probe toward the daily limit per domain of an account. The last ones beyond the limit are marked: workers check
 * their syntax and DNS, and their credits are refunded. Does nothing if the abuse limits are off, or for addresses at free email providers.
 */
export async function applyDomainLimit(
  { db, abuseLimits }: { db: Db; abuseLimits: AbuseLimits | undefined },
  accountId: string,
  purchases: Purchase[],
): Promise<Purchase[]> {
  if (abuseLimits === undefined) return purchases
  const owners = purchases.map((purchase) => (isToProbe(purchase) ? ownerOf(domainOf(purchase.row.email)) : ''))
  const counts = new Map<string, number>()
  for (const owner of owners) if (owner !== '') counts.set(owner, (counts.get(owner) ?? 0) + 1)
  if (counts.size === 0) return purchases
  const excess = await inTenant(db, accountId, (trx) => admitDomainAddresses(trx, counts, abuseLimits.domainAddresses))
  if (excess.size === 0) return purchases
  const limited = purchases.toReversed().map((purchase, n) => {
    const owner = owners.at(-1 - n) ?? ''
    const left = excess.get(owner) ?? 0
    if (left === 0 || !isToProbe(purchase)) return purchase
    excess.set(owner, left - 1)
    return { ...purchase, row: { ...purchase.row, domainLimited: true } }
  })
  return limited.toReversed()
}

/** A recent result was counted by the request that it was made for, and without `mailbox` no result shows whether a mailbox exists. */
function isToProbe(purchase: Purchase): purchase is Extract<Purchase, { kind: 'work' }> {
  return purchase.kind === 'work' && purchase.recent === undefined && purchase.row.mailbox !== false
}
