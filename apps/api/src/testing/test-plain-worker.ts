import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type ClaimedValidation, claimValidations, listWaiting } from '@probity/database/validations/queue'
import { finishValidations } from '@probity/database/validations/validations'
import { whenDone } from '@probity/lab/when-done'

/** A worker with fixed verdicts that uses PostgreSQL only, like a real one without Redis. */
export function startPlainWorker(db: Db, verdictOf: (email: string, taken: ClaimedValidation) => StoredResult) {
  let going = true
  const work = async () => {
    while (going) {
      const waiting = await listWaiting(db, { olderThanMs: 0, limit: 1_000, egresses: [] })
      const taken = await claimValidations(db, waiting, { holdS: 60, egresses: [] })
      for (const [accountId, group] of Map.groupBy(taken, ({ ref }) => ref.accountId)) {
        const finishes = group.map((one) => {
          const { ref, email } = one
          const result = verdictOf(email, one)
          return { ref, conclusive: result.status !== 'unknown', result }
        })
        await inTenant(db, accountId, (trx) => finishValidations(trx, accountId, finishes))
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const working = work()
  const stop = async () => {
    going = false
    await working
  }
  whenDone(stop)
  return { stop }
}

/** A worker that claims validations and never ends them. Its claims expire at once, so that another worker can claim them too. */
export function startClaiming(db: Db, limit = 1_000) {
  let going = true
  const work = async () => {
    for (let left = limit; going && left > 0; ) {
      const waiting = await listWaiting(db, { olderThanMs: 0, limit: left, egresses: [] })
      const claimed = await claimValidations(db, waiting, { holdS: 0, egresses: [] })
      if (limit < 1_000) left -= claimed.length
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const working = work()
  const stop = async () => {
    going = false
    await working
  }
  whenDone(stop)
  return { stop }
}

/** Available and used credits of an account. */
export async function balancesOf(db: Db, accountId: string): Promise<[available: number, spent: number]> {
  const row = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('accounts').select(['available', 'spent']).executeTakeFirstOrThrow(),
  )
  return [row.available, row.spent]
}
