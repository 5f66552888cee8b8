import { type Db, inTenant } from '@probity/database/connection/connect'
import { countDomainAddresses } from '@probity/database/validations/probing'
import { countByOwner, domainOf } from '@probity/engine/address/shared-domains'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import { Problem } from '../http/problem.ts'

const DAY_S = 24 * 60 * 60

/**
 * Counts addresses toward the daily limit per domain of an account, and rejects the request if it exceeds the limit. A rejected request is
 * not
 * counted. Does nothing if the abuse limits are off, or for addresses at free email providers.
 */
export async function countTowardDomainLimit(
  { db, abuseLimits }: { db: Db; abuseLimits: AbuseLimits | undefined },
  accountId: string,
  emails: string[],
): Promise<void> {
  if (abuseLimits === undefined) return
  const counts = countByOwner(emails.map((email) => [domainOf(email), 1] as const))
  if (counts.size === 0) return
  await inTenant(db, accountId, async (trx) => {
    const over = await countDomainAddresses(trx, counts, abuseLimits.domainAddresses)
    if (over) throw overLimit(over.addressesMax)
  })
}

function overLimit(addressesMax: number): Problem {
  const detail = `Your account may validate ${addressesMax} addresses of one domain per UTC day.`
  return new Problem('domain_limit', detail, { retryAfterS: DAY_S - (Math.floor(Date.now() / 1_000) % DAY_S) })
}
