import type { Listed } from '@probity/contract/listed'
import { sql } from 'kysely'
import type { Trx } from './connect.ts'
import type { ResultsPlace } from './results.ts'

export type KindCount = {
  status: string
  subStatus: string
  safeToSend: boolean
  override: Listed | null
  count: number
}
export type StatusSums = { count: number; valid: number; invalid: number; risky: number; unknown: number }
export type Tallies = {
  kinds: KindCount[]
  providers: (StatusSums & { provider: string })[]
  domains: (StatusSums & { domain: string; provider: string })[]
}

const DOMAINS = 20

const SUMS = sql`'count', count(*), 'valid', count(*) filter (where status = 'valid'),
  'invalid', count(*) filter (where status = 'invalid'), 'risky', count(*) filter (where status = 'risky'),
  'unknown', count(*) filter (where status = 'unknown')`

/** Counts the results of a job in several ways, in one statement, so that all of them add up to the same. */
export async function tallyResults(trx: Trx, job: ResultsPlace): Promise<Tallies> {
  const { rows } = await sql<Tallies>`
    with r as materialized (
      select status, sub_status, safe_to_send, override, provider, domain from job_results
      where expires_on = ${job.expiresOn} and account_id = ${job.accountId} and job_id = ${job.id}
    )
    select
      array(select json_build_object('status', status, 'subStatus', sub_status, 'safeToSend', safe_to_send,
              'override', override, 'count', count(*))
            from r group by status, sub_status, safe_to_send, override) as kinds,
      array(select json_build_object('provider', provider, ${SUMS})
            from r group by provider order by count(*) desc, provider) as providers,
      array(select json_build_object('domain', domain, 'provider', max(provider), ${SUMS})
            from r where domain <> '' group by domain order by count(*) desc, domain limit ${DOMAINS}) as domains`.execute(
    trx,
  )
  return rows[0] ?? { kinds: [], providers: [], domains: [] }
}
