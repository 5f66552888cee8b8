import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { ValidationRef } from './validations.ts'

/** A deferred validation: its result so far, and the time and egress of the retry. */
export type Deferral = { ref: ValidationRef; provisional: unknown; retryAfterMs: number; egress: string | null }

/**
 * Defers open validations of one account, each to its own time, and records that their requests end without a final result: the next
 * request for the address collects it. Returns the time of the retry by id, in Unix time in seconds.
 */
export async function deferValidations(
  trx: Trx,
  accountId: string,
  postponements: Deferral[],
): Promise<Map<string, number>> {
  const retryAt = new Map<string, number>()
  for (const [day, group] of Map.groupBy(postponements, ({ ref }) => ref.expiresOn)) {
    for (const row of await writePostponements(trx, accountId, day, group)) retryAt.set(row.id, row.retryAt)
  }
  return retryAt
}

async function writePostponements(trx: Trx, accountId: string, day: string, group: Deferral[]) {
  const ids = group.map(({ ref }) => ref.id)
  const delaysMs = group.map(({ retryAfterMs }) => Math.round(retryAfterMs))
  const provisional = group.map((one) => JSON.stringify(one.provisional))
  const egresses = group.map(({ egress }) => egress)
  const { rows } = await sql<{ id: string; retryAt: number }>`
    with put_off as (
      update validations v set deferrals = v.deferrals + 1, attempts = 0, claimed_until = null, provisional = p.provisional,
        egress = p.egress, deferred_at = coalesce(v.deferred_at, clock_timestamp()),
        retry_at = clock_timestamp() + make_interval(secs => p.delay_ms / 1000.0)
      from unnest(${ids}::uuid[], ${delaysMs}::integer[], ${provisional}::json[], ${egresses}::text[])
        as p (id, delay_ms, provisional, egress)
      where v.expires_on = ${day} and v.account_id = ${accountId} and v.id = any(${ids}::uuid[]) and v.id = p.id
        and v.state = 'open'
      returning v.id, v.email_key, v.expires_on, v.retry_at
    ), waiting as (
      insert into uncollected_results (account_id, email_key, validation_id, expires_on)
      select ${accountId}, email_key, id, expires_on from put_off
      on conflict do nothing
    )
    select id, extract(epoch from retry_at)::float8 as retry_at from put_off`.execute(trx)
  return rows
}

/** The result of a validation: the final one and whether its credit was refunded, or the result so far and the time of the retry (Unix time). */
export type CurrentResult = { id: string; result: unknown; retryAt: number | null; refunded: boolean }

/** The validations of one account that have a result, final or not, among those that requests wait for. */
export async function listCurrentResults(trx: Trx, refs: ValidationRef[]): Promise<CurrentResult[]> {
  const known: CurrentResult[] = []
  for (const [day, group] of Map.groupBy(refs, (ref) => ref.expiresOn)) {
    const ids = group.map((ref) => ref.id)
    const accountId = group[0]?.accountId ?? ''
    const { rows } = await sql<CurrentResult>`
      select id, coalesce(result, provisional) as result,
        case when state = 'open' then extract(epoch from retry_at)::float8 end as retry_at,
        coalesce(refunded, false) as refunded
      from validations
      where expires_on = ${day} and account_id = ${accountId} and id = any(${ids}::uuid[])
        and (state = 'final' or provisional is not null)`.execute(trx)
    known.push(...rows)
  }
  return known
}
