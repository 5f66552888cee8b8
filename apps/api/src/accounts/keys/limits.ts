import { countKeys, findKeyBounds, type KeyBounds } from '@probity/database/accounts/keys'
import type { Trx } from '@probity/database/connection/connect'
import { found, Problem } from '../../http/problem.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'

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
