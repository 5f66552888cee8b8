import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import type { Days } from './usage.ts'
import type { View } from './view.ts'

/** How many addresses were answered with a status on a day. */
export type VerdictCount = View & { day: string; status: string; count: number }

/** Adds what one process answered since its last report, for any accounts. */
export async function recordVerdicts(db: Db, counts: VerdictCount[]): Promise<void> {
  const rows = counts.map(({ accountId, ...rest }) => ({ account_id: accountId, ...rest }))
  await asNobody(db, (trx) => sql`select record_verdict_days(${JSON.stringify(rows)}::jsonb)`.execute(trx))
}

export type DayVerdicts = { day: string; valid: number; invalid: number; risky: number; unknown: number }

/**
 * What addresses were answered with on each of these days, the first one first, whether they were asked about one by one or in lists. A
 * list counts on the day it was confirmed.
 */
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
