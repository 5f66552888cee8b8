import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Trx } from './connect.ts'
import type { View } from './view.ts'

/** Days from the first to the last, both counted, as `2026-11-02`. */
export type Days = { from: string; to: string }

/** `used` is all that was charged; what came back of it stands beside it. */
export type Amounts = { requests: number; used: number; refunded: number }
export type DayUsage = Amounts & { day: string }
export type KeyUsage = Amounts & { keyId: string | null; keyName: string | null }

/** What usage_days has in place of a key where there was none. */
const NO_KEY = '00000000-0000-0000-0000-000000000000'

const AMOUNTS = sql`
  coalesce(sum(u.requests), 0)::bigint as requests,
  coalesce(sum(u.credits_used + u.credits_refunded), 0)::bigint as used,
  coalesce(sum(u.credits_refunded), 0)::bigint as refunded`

/** What happened on each of these days, the first one first. A day on which nothing did is there too. */
export async function listUsageByDay(trx: Trx, view: View, { from, to }: Days): Promise<DayUsage[]> {
  const { rows } = await sql<DayUsage>`
    select d.day::date as day, ${AMOUNTS}
    from generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d (day)
    left join (${usageIn(view, { from, to })}) u on u.day = d.day::date
    group by 1 order by 1`.execute(trx)
  return rows
}

/** What each key did in these days, those that used the most first. */
export async function listUsageByKey(trx: Trx, view: View, days: Days & { limit: number }): Promise<KeyUsage[]> {
  const { rows } = await sql<KeyUsage>`
    select nullif(u.key_id, ${NO_KEY}) as key_id, u.key_name, ${AMOUNTS}
    from (${usageIn(view, days)}) u
    group by u.key_id, u.key_name
    order by used desc, requests desc, u.key_id limit ${days.limit}`.execute(trx)
  return rows
}

/** All of these days together. */
export async function sumUsage(trx: Trx, view: View, days: Days): Promise<Amounts> {
  const { rows } = await sql<Amounts>`select ${AMOUNTS} from (${usageIn(view, days)}) u`.execute(trx)
  return rows[0] ?? { requests: 0, used: 0, refunded: 0 }
}

/** The rows that a view shows. What no key did is live: in test mode nothing is counted without one. */
function usageIn({ accountId, mode }: View, { from, to }: Days): RawBuilder<unknown> {
  return sql`
    select u.*, k.name as key_name
    from usage_days u left join api_keys k on k.id = u.key_id and k.account_id = u.account_id
    where u.account_id = ${accountId} and u.day between ${from}::date and ${to}::date
      and coalesce(k.mode, 'live') = ${mode}`
}
