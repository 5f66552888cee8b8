import { type RawBuilder, sql } from 'kysely'
import type { Trx } from './connect.ts'

/** What we said of an address, as far as it was kept. Results from before there were chances have none. */
export type KeptPrediction = {
  p: number | null
  status: string | null
  subStatus: string | null
  provider: string | null
}

const IDS_AT_ONCE = 1_000

/** By the ids of single validations; those of others are not there. */
export async function listPredictionsById(trx: Trx, accountId: string, ids: string[]) {
  const found = new Map<string, KeptPrediction & { emailKey: string }>()
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const { rows } = await sql<KeptPrediction & { id: string; emailKey: string }>`
      select v.id, v.email_key, ${predictionIn('v')} from validations v
      where v.expires_on >= utc_today() and v.account_id = ${accountId}
        and v.id = any(${ids.slice(from, from + IDS_AT_ONCE)}::uuid[]) and v.state = 'final'`.execute(trx)
    for (const { id, ...prediction } of rows) found.set(id, prediction)
  }
  return found
}

/**
 * Of a job's results those for these addresses, each spelt as it was in the file. Spellings differ mostly in case, so a result is
 * looked for by the address as it was reported and by its key; who spells a domain in another script than the file did is not found.
 */
export async function listJobPredictions(
  trx: Trx,
  accountId: string,
  { jobId, emails }: { jobId: string; emails: string[] },
) {
  const { rows } = await sql<KeptPrediction & { email: string }>`
    select r.email, ${predictionIn('r')}
    from jobs j join job_results r on r.expires_on = j.expires_on and r.account_id = j.account_id and r.job_id = j.id
    where j.id = ${jobId} and j.account_id = ${accountId} and j.mode = 'live'
      and (r.email = any(${emails}::text[]) or lower(r.email) = any(${emails}::text[]))`.execute(trx)
  return rows
}

function predictionIn(table: string): RawBuilder<KeptPrediction> {
  const answer = sql.ref(`${table}.result`)
  return sql`(${answer} ->> 'deliverability')::double precision as p, ${answer} ->> 'status' as status,
    ${answer} ->> 'sub_status' as sub_status, ${answer} #>> '{details,provider}' as provider`
}
