import { sql } from 'kysely'
import type { Trx } from './connect.ts'
import { type Finished, finishValidations, IS_UNCLAIMED, type ValidationRef } from './validations.ts'

/** A validation whose request has timed out, and the result to keep where it never started. */
export type Withdrawal = { ref: ValidationRef; result: unknown }

/** The timers of the API and the clock of PostgreSQL may differ by this much. */
const CLOCK_TOLERANCE_MS = 250

/**
 * Ends and refunds validations of one account that no worker has claimed and that no other request waits for. Returns those by id.
 * Skips locked rows: a worker is claiming them, and waiting for it could deadlock.
 */
export async function withdrawUnclaimed(
  trx: Trx,
  accountId: string,
  withdrawals: Withdrawal[],
): Promise<Map<string, Finished>> {
  const unclaimed = new Set<string>()
  for (const [day, group] of Map.groupBy(withdrawals, ({ ref }) => ref.expiresOn)) {
    const { rows } = await sql<{ id: string }>`
      select v.id from validations v
      where v.expires_on = ${day} and v.account_id = ${accountId} and v.id = any (${group.map(({ ref }) => ref.id)}::uuid[])
        and ${IS_UNCLAIMED}
        and (v.awaited_until is null or v.awaited_until <= clock_timestamp() + make_interval(secs => ${CLOCK_TOLERANCE_MS} / 1000.0))
      for update of v skip locked`.execute(trx)
    for (const { id } of rows) unclaimed.add(id)
  }
  const finishes = withdrawals.flatMap(({ ref, result }) =>
    unclaimed.has(ref.id) ? [{ ref, result, conclusive: false }] : [],
  )
  return finishes.length > 0 ? finishValidations(trx, accountId, finishes) : new Map()
}
