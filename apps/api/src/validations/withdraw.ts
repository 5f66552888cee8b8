import { createBatcher } from '@probity/concurrency/scheduling'
import { notStartedResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { withdrawUnclaimed } from '@probity/database/validations/charge'
import type { ValidationRef } from '@probity/database/validations/validations'
import { storable } from '../http/storable.ts'
import type { KnownResult } from './charge.ts'

/**
 * Ends a validation whose request has timed out, refunds it and returns its result; undefined where a worker has claimed it or another
 * request still waits for it.
 */
export type Withdraw = (ref: ValidationRef, email: string) => Promise<KnownResult | undefined>

const GROUP_MAX = 200

/** In groups, as credits are charged: while no worker runs every request ends here, and an account's balance is one row. */
export function createWithdraw(db: Db): Withdraw {
  const gather = createBatcher<{ ref: ValidationRef; email: string }, KnownResult | undefined>(
    GROUP_MAX,
    async (accountId, group) => {
      const withdrawals = group.map(({ ref, email }) => ({ ref, result: notStartedResult(storable(email)) }))
      const ended = await inTenant(db, accountId, (trx) => withdrawUnclaimed(trx, accountId, withdrawals))
      return withdrawals.map(({ ref, result }) => {
        const finished = ended.get(ref.id)
        return finished && { id: ref.id, result, retryAt: null, refunded: finished.refunded }
      })
    },
  )
  return (ref, email) => gather(ref.accountId, { ref, email })
}
