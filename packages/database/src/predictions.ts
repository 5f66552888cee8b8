import { type RawBuilder, sql } from 'kysely'
import { readIndexes, withChunks } from './chunk-store.ts'
import type { Trx } from './connect.ts'
import { type ChunkIndex, decodeIndex } from './result-chunk.ts'

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
 * The predictions of a job for these addresses, each spelled as in the file. Spellings differ mostly in case, so a result is found by
 * its address as reported and by its key; an address whose domain is in another script than in the file is not found.
 */
export async function listJobPredictions(
  trx: Trx,
  accountId: string,
  { jobId, emails }: { jobId: string; emails: string[] },
): Promise<(KeptPrediction & { email: string })[]> {
  const job = await trx
    .selectFrom('jobs')
    .select(['accountId', 'id', 'expiresOn'])
    .where('id', '=', jobId)
    .where('accountId', '=', accountId)
    .where('mode', '=', 'live')
    .executeTakeFirst()
  if (job === undefined) return []
  const wanted = new Set(emails)
  return withChunks(trx, job, async (set) => {
    const predictions: (KeptPrediction & { email: string })[] = []
    for await (const group of readIndexes(trx, set)) {
      for (const chunk of group) predictions.push(...findPredictions(decodeIndex(chunk), wanted))
    }
    return predictions
  })
}

function findPredictions(index: ChunkIndex, wanted: ReadonlySet<string>): (KeptPrediction & { email: string })[] {
  const predictions: (KeptPrediction & { email: string })[] = []
  for (let n = 0; n < index.size; n++) {
    const email = index.email(n)
    if (!wanted.has(email) && !wanted.has(email.toLowerCase())) continue
    const { status, subStatus } = index.kind(n)
    predictions.push({ email, p: index.deliverability(n), status, subStatus, provider: index.provider(n) })
  }
  return predictions
}

function predictionIn(table: string): RawBuilder<KeptPrediction> {
  const answer = sql.ref(`${table}.result`)
  return sql`(${answer} ->> 'deliverability')::double precision as p, ${answer} ->> 'status' as status,
    ${answer} ->> 'sub_status' as sub_status, ${answer} #>> '{details,provider}' as provider`
}
