import { type RawBuilder, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'

/** Days from the first to the last, both inclusive, as `2026-11-02`. */
export type Days = { from: string; to: string }

/** `used` are all charged credits; `refunded` is the part that was returned. */
export type Amounts = { requests: number; used: number; refunded: number }
export type DayUsage = Amounts & { day: string }
export type KeyUsage = Amounts & { keyId: string | null; keyName: string | null }

/** The key id of usage_days for usage without a key. */
const NO_KEY = '00000000-0000-0000-0000-000000000000'

const AMOUNTS = sql`
  coalesce(sum(u.requests), 0)::bigint as requests,
  coalesce(sum(u.credits_used + u.credits_refunded), 0)::bigint as used,
  coalesce(sum(u.credits_refunded), 0)::bigint as refunded`

/** The usage of each day in order, including days without usage. */
export async function listUsageByDay(trx: Trx, view: View, { from, to }: Days): Promise<DayUsage[]> {
  const { rows } = await sql<DayUsage>`
    select d.day::date as day, ${AMOUNTS}
    from generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d (day)
    left join (${usageIn(view, { from, to })}) u on u.day = d.day::date
    group by 1 order by 1`.execute(trx)
  return rows
}

/** The usage of each key in these days, most used first. */
export async function listUsageByKey(trx: Trx, view: View, days: Days & { limit: number }): Promise<KeyUsage[]> {
  const { rows } = await sql<KeyUsage>`
    select nullif(u.key_id, ${NO_KEY}) as key_id, u.key_name, ${AMOUNTS}
    from (${usageIn(view, days)}) u
    group by u.key_id, u.key_name
    order by used desc, requests desc, u.key_id limit ${days.limit}`.execute(trx)
  return rows
}

/** The total of these days. */
export async function sumUsage(trx: Trx, view: View, days: Days): Promise<Amounts> {
  const { rows } = await sql<Amounts>`select ${AMOUNTS} from (${usageIn(view, days)}) u`.execute(trx)
  return rows[0] ?? { requests: 0, used: 0, refunded: 0 }
}

/** The rows of a mode. Usage without a key is live: test mode counts only keys. */
function usageIn({ accountId, mode }: View, { from, to }: Days): RawBuilder<unknown> {
  return sql`
    select u.*, k.name as key_name
    from usage_days u left join api_keys k on k.id = u.key_id and k.account_id = u.account_id
    where u.account_id = ${accountId} and u.day between ${from}::date and ${to}::date
      and coalesce(k.mode, 'live') = ${mode}`
}

/** The number of results with a status on a day. */
export type VerdictCount = View & { day: string; status: string; count: number }

/** Adds the results of one process since its last report, for any accounts. */
export async function recordVerdicts(db: Db, counts: VerdictCount[]): Promise<void> {
  const rows = counts.map(({ accountId, ...rest }) => ({ account_id: accountId, ...rest }))
  await withoutTenant(db, (trx) => sql`select record_verdict_days(${JSON.stringify(rows)}::jsonb)`.execute(trx))
}

export type DayVerdicts = { day: string; valid: number; invalid: number; risky: number; unknown: number }

/** The results of each day in order, of single validations and of jobs. A job counts on the day it was confirmed. */
export async function listVerdictsByDay(
  trx: Trx,
  { accountId, mode }: View,
  { from, to }: Days,
): Promise<DayVerdicts[]> {
  const { rows } = await sql<DayVerdicts>`
    with counted as (
      select v.day, v.status, v.count from verdict_days v
      where v.account_id = ${accountId} and v.mode = ${mode} and v.day between ${from}::date and ${to}::date
      union all
      select (j.created_at at time zone 'utc')::date, c.status, c.count
      from jobs j join job_counts c on c.account_id = j.account_id and c.job_id = j.id
      where j.account_id = ${accountId} and j.mode = ${mode}
        and j.created_at >= ${from}::date::timestamp at time zone 'utc'
        and j.created_at < (${to}::date + 1)::timestamp at time zone 'utc'
    )
    select d.day::date as day,
      coalesce(sum(c.count) filter (where c.status = 'valid'), 0)::bigint as valid,
      coalesce(sum(c.count) filter (where c.status = 'invalid'), 0)::bigint as invalid,
      coalesce(sum(c.count) filter (where c.status = 'risky'), 0)::bigint as risky,
      coalesce(sum(c.count) filter (where c.status not in ('valid', 'invalid', 'risky')), 0)::bigint as unknown
    from generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d (day)
    left join counted c on c.day = d.day::date
    group by 1 order by 1`.execute(trx)
  return rows
}
