import { sql } from 'kysely'
import type { Trx } from './connect.ts'

/** A validation by its id alone: its result so far and the reference of its request. */
export type KeptValidation = {
  id: string
  email: string
  /** Final where there is no `retryAt`; null where nothing is known yet. */
  result: unknown
  isOpen: boolean
  retryAt: number | null
  at: Date
  reference: string | null
}

/** As long as anything may be kept, and the day on which it ends. */
const DAYS_MAX = 366

/**
 * Day by day, so that each look touches one partition by its key: without the day the index of every partition would be read
 * from one end to the other.
 */
export async function findKeptValidation(trx: Trx, accountId: string, id: string): Promise<KeptValidation | undefined> {
  const { rows } = await sql<KeptValidation>`
    select v.* from generate_series(0, ${DAYS_MAX}::integer) as n
    cross join lateral (
      select id, email, coalesce(result, provisional) as result, state = 'open' as is_open,
        case when state = 'open' then extract(epoch from retry_at)::float8 end as retry_at,
        coalesce(finished_at, created_at) as at, reference
      from validations
      where expires_on = utc_today() + n and id = ${id} and account_id = ${accountId}
    ) v
    limit 1`.execute(trx)
  return rows[0]
}
