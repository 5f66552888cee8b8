import { MODEL_PARAMETERS } from '@probity/contract/data/model-parameters'
import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Below so much of an outcome a sum says nothing any more. */
const MASS_MIN = 0.05

const DOMAINS_AT_ONCE = 10_000
/** A million domains; the rest is for the next run. */
const ROUNDS_MAX = 100

/** Removes what is left of outcomes that were reported long ago. Any process may run it at any time. */
export async function removeFadedOutcomes(db: Db): Promise<number> {
  let removed = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await asNobody(db, (trx) =>
      sql<{ n: number }>`
        select delete_decayed_outcomes(${MODEL_PARAMETERS.half_life_days}, ${MASS_MIN}, ${DOMAINS_AT_ONCE}) as n`.execute(
        trx,
      ),
    )
    const n = rows[0]?.n ?? 0
    removed += n
    if (n < DOMAINS_AT_ONCE) break
  }
  return removed
}
