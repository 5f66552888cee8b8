import { randomUUID } from 'node:crypto'
import {
  type ApiKey,
  countKeys,
  findKeyBounds,
  type KeyBounds,
  type KeyChange,
  type NewKey,
} from '@probity/database/accounts/keys'
import type { Trx } from '@probity/database/connection/connect'
import { isWithin } from '../../http/networks.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'

/** A creates B creates C …: the length of such a chain. The column `lineages` has the same limit. */
const LINEAGES_MAX = 20

type Limits = Pick<NewKey, 'scopes'> & Pick<ApiKey, 'expiresAt' | 'ipAllowList'>
type Wanted = Omit<NewKey, 'expiresAt' | 'ipAllowList' | 'monthlyCap'> & {
  /** Undefined if the request does not set it. */
  expiresAt: Date | null | undefined
  ipAllowList: string[] | undefined
  monthlyCap: number | null | undefined
}

/** A new key within the limits of the key that creates it. Limits that the request leaves out are those of the creator. */
export function boundNewKey({ expiresAt, ipAllowList, monthlyCap, ...key }: Wanted, bounds?: KeyBounds): NewKey {
  if (bounds === undefined) {
    return { ...key, expiresAt: expiresAt ?? null, ipAllowList: ipAllowList ?? [], monthlyCap: monthlyCap ?? null }
  }
  if (bounds.lineages.length >= LINEAGES_MAX) throw beyond(`A chain of keys has at most ${LINEAGES_MAX} keys.`)
  const limits = {
    expiresAt: expiresAt === undefined ? bounds.expiresAt : expiresAt,
    ipAllowList: ipAllowList ?? bounds.ipAllowList,
    monthlyCap: monthlyCap === undefined ? bounds.remaining : monthlyCap,
  }
  refuseBeyond({ scopes: key.scopes, ...limits }, bounds)
  refuseCap(limits.monthlyCap, bounds.remaining)
  return { ...key, ...limits, lineages: [randomUUID(), ...bounds.lineages] }
}

/** Rejects a change of this key by the key with these limits. Undefined limits are those of a member, which has none. */
export function refuseChange(key: ApiKey, change: KeyChange, bounds?: KeyBounds): void {
  if (bounds === undefined) return
  if (key.lineages[0] === bounds.lineages[0]) throw beyond('A key cannot change itself or its successor.')
  const { scopes = key.scopes, expiresAt = key.expiresAt, ipAllowList = key.ipAllowList, monthlyCap } = change
  refuseBeyond({ scopes, expiresAt, ipAllowList }, bounds)
  refuseOthersCap(key, bounds)
  // A cap that was granted earlier may be lowered or kept, also if less than that remains now.
  if (monthlyCap !== undefined && bounds.remaining !== null) {
    refuseCap(monthlyCap, Math.max(bounds.remaining, key.monthlyCap ?? 0))
  }
}

/** Rejects a rotation of this key by the key with these limits, since the response contains the new key. */
export function refuseRotation(key: ApiKey, bounds?: KeyBounds): void {
  if (bounds === undefined) return
  refuseBeyond(key, bounds)
  refuseOthersCap(key, bounds)
}

/** Rejects the revocation of a key that this key could not have created. It always revokes itself and the keys that it created. */
export function refuseRevocation(key: ApiKey, bounds?: KeyBounds): void {
  if (bounds === undefined || key.lineages.includes(bounds.lineages[0] ?? '')) return
  refuseRotation(key, bounds)
}

function refuseBeyond({ scopes, expiresAt, ipAllowList }: Limits, bounds: KeyBounds): void {
  if (scopes.some((scope) => !bounds.scopes.includes(scope))) throw new Problem('scope_not_grantable')
  if (bounds.expiresAt !== null && (expiresAt === null || expiresAt > bounds.expiresAt)) {
    throw beyond('The key would expire later than the calling key.')
  }
  if (bounds.ipAllowList.length === 0) return
  if (ipAllowList.length === 0 || ipAllowList.some((entry) => !isWithin(entry, bounds.ipAllowList))) {
    throw beyond('The IP allowlist is wider than that of the calling key.')
  }
}

function refuseCap(cap: number | null, remaining: number | null): void {
  if (remaining !== null && (cap === null || cap > Math.max(0, remaining))) {
    throw beyond('The monthly cap is higher than what remains of the cap of the calling key.')
  }
}

/** Credits of a key that the calling key did not create do not count toward the cap of the calling key. */
function refuseOthersCap(key: ApiKey, { lineages: [own = ''], remaining }: KeyBounds): void {
  if (remaining !== null && !key.lineages.includes(own)) {
    throw beyond('A key with a monthly cap changes only keys that it created.')
  }
}

function beyond(detail: string): Problem {
  return new Problem('exceeds_own_key', detail)
}

/** Keys that can be created in 24 hours, for each key that an account may have. */
const CREATIONS_PER_DAY = 10

/** The limits of the calling key; undefined for a member, who has a role instead. */
export async function findBounds(trx: Trx, { accountId, id }: Auth): Promise<KeyBounds | undefined> {
  return id === null ? undefined : found(await findKeyBounds(trx, accountId, id))
}

export async function refuseTooManyKeys(trx: Trx, accountId: string, max: number): Promise<void> {
  const { current, recent } = await countKeys(trx, accountId)
  if (current >= max || recent >= max * CREATIONS_PER_DAY) throw new Problem('too_many_keys')
}
