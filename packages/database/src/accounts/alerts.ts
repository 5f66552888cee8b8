import type { AlertKind } from '@probity/contract/constants/accounts'
import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'

/** A condition that needs attention. */
export type Alert = { kind: AlertKind; id: string | null; name: string | null; at: Date | null }

const KEY_UNUSED_DAYS = 30
/** Accounts with a shorter retention get no alert: their results expire all the time. */
const KEPT_DAYS_MIN = 7

/** The alerts of an account, most severe first. The credits are those of live mode. */
export async function listAlerts(trx: Trx, { accountId, mode }: View, limit: number): Promise<Alert[]> {
  const { rows } = await sql<Alert>`
    select kind, id, name, at from (
      select 1 as rank, 'webhook_disabled' as kind, w.id, substring(w.url from '^https?://([^/?#]+)') as name, w.disabled_at as at
      from webhook_endpoints w
      where w.account_id = ${accountId} and w.job_id is null and w.mode = ${mode} and w.state = 'disabled' and w.disabled_reason <> 'by_owner'
      union all
      select 2, 'webhook_failing', w.id, substring(w.url from '^https?://([^/?#]+)'), w.failing_since
      from webhook_endpoints w
      where w.account_id = ${accountId} and w.job_id is null and w.mode = ${mode} and w.state = 'enabled' and w.failing_since is not null
      union all
      select 3, 'credits_low', null, null, null from accounts a
      where a.id = ${accountId} and a.credits_low and ${mode} = 'live'
      union all
      select 4, 'results_expiring', j.id, coalesce(j.name, j.filename), (j.expires_on + 1)::timestamp at time zone 'utc'
      from jobs j
      where j.account_id = ${accountId} and j.mode = ${mode} and j.state = 'completed' and shown_job(j.id, j.account_id, j.rerun_of, j.rerun_rows) = j.id
        and j.expires_on between utc_today() and utc_today() + 1
        and j.expires_on - (j.created_at at time zone 'utc')::date >= ${KEPT_DAYS_MIN}
      union all
      select 5, 'key_unused', k.id, k.name, coalesce(k.last_used_at, k.created_at)
      from api_keys k
      where k.account_id = ${accountId} and k.mode = ${mode} and k.revoked_at is null and k.paused_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp())
        and coalesce(k.last_used_at, k.created_at) < clock_timestamp() - make_interval(days => ${KEY_UNUSED_DAYS}::integer)
    ) found
    order by rank, at, id limit ${limit}`.execute(trx)
  return rows
}

/** Whether nothing was ever validated: by no key, no member and no job. */
export async function isUnused(trx: Trx, { accountId, mode }: View): Promise<boolean> {
  const { rows } = await sql<{ unused: boolean }>`
    select not exists (select from verdict_days v where v.account_id = ${accountId} and v.mode = ${mode})
      and not exists (select from jobs j where j.account_id = ${accountId} and j.mode = ${mode})
      and not exists (
        select from api_keys k where k.account_id = ${accountId} and k.mode = ${mode} and k.last_used_at is not null
      )
      and (${mode} = 'test' or exists (select from accounts a where a.id = ${accountId} and a.spent = 0)) as unused`.execute(
    trx,
  )
  return rows[0]?.unused === true
}
