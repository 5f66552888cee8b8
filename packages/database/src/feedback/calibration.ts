import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { type RawBuilder, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { readIndexes, withChunks } from '../jobs/results/chunk-store.ts'
import { type ChunkIndex, decodeIndex } from '../jobs/results/result-chunk.ts'

/** Predictions within a tenth of the range, and their outcomes. All fields but n are weighted. */
export type CalibrationBin = {
  provider: string
  kind: 'decided' | 'weighed'
  bin: number
  n: number
  weight: number
  sumP: number
  sumSquaredError: number
  delivered: number
  countedAt: Date
}

/** The reliability of predictions for one provider's mailboxes. */
export type Reliability = {
  provider: string
  kind: 'decided' | 'weighed'
  outcomes: number
  /** The mean squared difference between prediction and outcome. */
  brier: number
  /** The expected calibration error: the average error of the predictions per tenth. */
  ece: number
  /** The error is too large over enough outcomes: base rates are used instead. */
  hasFallenBack: boolean
  bins: CalibrationBin[]
}

const { half_life_days: HALF_LIFE, ece_outcomes_min: OUTCOMES_MIN, ece_max: ECE_MAX } = MODEL_PARAMETERS

/** The share of one account in shared sums, limited so that a minimum number of accounts is necessary to disable predictions. */
const SHARED_MAX = OUTCOMES_MIN / MODEL_PARAMETERS.shared_weight_max

type Which = {
  /** With the outcomes of the other accounts. */
  shared: boolean
  /** All known providers if undefined. */
  providers?: string[]
}

/** By the outcomes of the transaction's tenant, or with those of the others. */
export async function listReliability(trx: Trx, { shared, providers }: Which): Promise<Reliability[]> {
  const names = providers ?? null
  if (shared) return judge(await readShared(trx, SHARED_MAX, names))
  const { rows } = await sql<CalibrationBin>`
    select o.provider, o.kind, o.bin, o.n * f.factor as n, o.weight * f.factor as weight, o.sum_p * f.factor as sum_p,
      o.sum_squared_error * f.factor as sum_squared_error, o.delivered * f.factor as delivered, o.counted_at
    from calibration o cross join lateral (select decay_since(o.counted_at, ${HALF_LIFE}) as factor offset 0) f
    where o.account_id = app_account() and (${names}::text[] is null or o.provider = any(${names}::text[]))`.execute(
    trx,
  )
  return judge(rows)
}

/** Over all accounts with their full weight, for operators. */
export async function listWholeReliability(db: Db): Promise<Reliability[]> {
  return judge(await withoutTenant(db, (trx) => readShared(trx, null, null)))
}

async function readShared(trx: Trx, outcomesMax: number | null, providers: string[] | null): Promise<CalibrationBin[]> {
  const { rows } = await sql<CalibrationBin>`
    select * from sum_calibration(${HALF_LIFE}, ${outcomesMax}::double precision, ${providers}::text[])`.execute(trx)
  return rows
}

function judge(rows: CalibrationBin[]): Reliability[] {
  const groups = Map.groupBy(rows, ({ provider, kind }) => `${provider}\0${kind}`)
  const judged = [...groups.values()].map(judgeOne)
  return judged.toSorted((a, b) => a.provider.localeCompare(b.provider) || a.kind.localeCompare(b.kind))
}

function judgeOne(group: CalibrationBin[]): Reliability {
  const bins = group.toSorted((a, b) => a.bin - b.bin)
  const { provider, kind } = bins[0] as CalibrationBin
  const sum = (read: (bin: CalibrationBin) => number) => bins.reduce((total, bin) => total + read(bin), 0)
  const weight = Math.max(
    sum((bin) => bin.weight),
    Number.EPSILON,
  )
  const ece = sum((bin) => Math.abs(bin.sumP - bin.delivered)) / weight
  // The newest outcome was counted a moment ago, and the older ones have lost a tiny share of their weight since then.
  const outcomes = Math.round(sum((bin) => bin.n))
  const hasFallenBack = kind === 'weighed' && outcomes >= OUTCOMES_MIN && ece > ECE_MAX
  return { provider, kind, outcomes, brier: sum((bin) => bin.sumSquaredError) / weight, ece, hasFallenBack, bins }
}

/** The stored prediction for an address. Results from before the introduction of predictions have none. */
export type KeptPrediction = {
  p: number | null
  status: string | null
  subStatus: string | null
  provider: string | null
}

const IDS_AT_ONCE = 1_000

/** By the ids of single validations; ids of other accounts are not found. */
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
 * The predictions of a job for these addresses, each spelled as in the file. Spellings differ mostly in case, so a result is found by its
 * address as reported and by its key. An address whose domain is in another script than in the file is not found.
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
