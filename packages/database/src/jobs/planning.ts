import type { MalformedOption, SeveralAddresses } from '@probity/contract/constants/jobs'
import { sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'
import { countDomainAddresses, type DomainCounts } from '../validations/probing.ts'
import { emitJobEvent, failJob } from './job-control.ts'

/** A job that this worker plans, with the storage key and the format of its file. */
export type JobToPlan = {
  id: string
  accountId: string
  expiresOn: string
  /** Only the latest planner's plan is kept. */
  epoch: number
  attempts: number
  mode: 'live' | 'test'
  uniqueCount: number
  /** Null if the upload was deleted. */
  storageKey: string | null
  encoding: string
  delimiter: string
  headerRow: number | null
  columnIndex: number
  severalAddresses: SeveralAddresses
  malformed: MalformedOption
}

/** Up to 100 addresses that are processed together. */
export type PlannedBatch = {
  /** Provider or domain whose connection limits apply; empty for a mixture. */
  site: string
  /** How many batches of the site one worker may process at once. */
  siteMax: number
  rowNos: number[]
  emails: string[]
}

/** The first batches of a plan, which are validated before the others because the list may be guessed. */
export type Sample = {
  /** Batches of the sample. They are the first ones of the plan. */
  batches: number
  addresses: number
  /** The domain with the most addresses of the list, and their number. */
  domain: string
  domainAddresses: number
}

/** The abuse limits of a plan. */
export type PlanLimits = {
  counts: DomainCounts
  /** Addresses per domain and day of an account without payments. */
  base: number
  sample: Sample | undefined
}

/** Claims the oldest job that is not planned yet. */
export async function claimPlan(db: Db, workerId: string): Promise<JobToPlan | undefined> {
  const { rows } = await withoutTenant(db, (trx) => sql<JobToPlan>`select * from claim_plan(${workerId})`.execute(trx))
  return rows[0]
}

/**
 * Stores a job's batches and starts its processing, both or neither. With `limits`, the abuse limits may hold it for review.
 * Returns false if another worker plans the job by now, or if it has ended.
 */
export function savePlan(db: Db, job: JobToPlan, batches: PlannedBatch[], limits?: PlanLimits): Promise<boolean> {
  return inTenant(db, job.accountId, async (trx) => {
    const { rows } = await sql<{ started: boolean }>`
      select start_processing(${job.id}, ${job.epoch}, ${batches.length}) as started`.execute(trx)
    if (!rows[0]?.started) return false
    const numbered = batches.map((batch, no) => ({ ...batch, no }))
    await insertBatches(trx, job, numbered)
    if (limits) await limitPlan(trx, job, limits)
    return true
  })
}

/**
 * Applies the abuse limits to a job, in the transaction that plans it. A job that exceeds a domain limit is paused until an operator
 * decides. Of a list that may be guessed, only the sample is dispatched.
 */
async function limitPlan(trx: Trx, job: JobToPlan, { counts, base, sample }: PlanLimits): Promise<void> {
  const over = await countDomainAddresses(trx, counts, base)
  if (over === undefined && sample === undefined) return
  const { domain, domainCount } = over
    ? { domain: over.domain, domainCount: over.addresses }
    : { domain: sample?.domain ?? '', domainCount: sample?.domainAddresses ?? 0 }
  await trx
    .insertInto('jobReviews')
    .values({
      ...{ jobId: job.id, accountId: job.accountId, domain, domainCount },
      reason: over ? 'domain_limit' : 'guessed_addresses',
      state: over ? 'waiting' : 'sampling',
      sampleSize: sample?.addresses ?? 0,
    })
    .execute()
  await trx
    .updateTable('jobs')
    .set({ dispatchLimit: sample?.batches ?? null, ...(over && { pausedAt: sql<Date>`clock_timestamp()` }) })
    .where('accountId', '=', job.accountId)
    .where('id', '=', job.id)
    .execute()
  if (over) await emitJobEvent(trx, job, 'job.paused')
}

export type NewBatch = PlannedBatch & {
  no: number
  deferrals?: number
  throttles?: number
  noResponses?: number
  attempts?: number
  suspect?: boolean
  egress?: string | null
  waitReason?: string | null
  waitMs?: number
  /** If a worker has claimed the batch from the start: it still processes these addresses. */
  claim?: { claimedBy: string; epoch: number }
}

type Place = { expiresOn: string; accountId: string; id: string }

/** Stores batches of a job and queues them. Sent as one JSON text: PostgreSQL has no arrays of arrays of different lengths. */
export async function insertBatches(trx: Trx, { expiresOn, accountId, id }: Place, batches: NewBatch[]) {
  const rows = batches.map((batch) => ({
    no: batch.no,
    site: batch.site,
    site_max: batch.siteMax,
    row_nos: batch.rowNos,
    emails: batch.emails,
    deferrals: batch.deferrals ?? 0,
    throttles: batch.throttles ?? 0,
    no_responses: batch.noResponses ?? 0,
    attempts: batch.attempts ?? 0,
    suspect: batch.suspect ?? false,
    egress: batch.egress ?? null,
    wait_reason: batch.waitReason ?? null,
    wait_ms: batch.waitMs ?? null,
    claimed_by: batch.claim?.claimedBy ?? null,
    epoch: batch.claim?.epoch ?? 0,
  }))
  await sql`
    with new as materialized (
      select b.*, case when b.claimed_by is not null then clock_timestamp() end as claimed_at
      from json_to_recordset(${JSON.stringify(rows)}::json) as b (no integer, site text, site_max smallint, row_nos integer[],
        emails text[], deferrals smallint, throttles smallint, no_responses smallint, attempts smallint, suspect boolean, egress text,
        wait_reason text, wait_ms double precision, claimed_by uuid, epoch integer)
    ), addresses as (
      insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
      select ${expiresOn}, ${accountId}, ${id}, b.no, b.row_nos, b.emails from new b
    )
    insert into job_queue (job_id, no, account_id, site, site_max, size, deferrals, throttles, no_responses, attempts, suspect, egress,
      wait_reason, retry_at, epoch, claimed_by, claimed_at, queued_at, straggling)
    select ${id}, b.no, ${accountId}, b.site, b.site_max, cardinality(b.emails), b.deferrals, b.throttles, b.no_responses, b.attempts,
      b.suspect, b.egress, b.wait_reason, clock_timestamp() + make_interval(secs => b.wait_ms / 1000.0), b.epoch, b.claimed_by,
      b.claimed_at, b.claimed_at, b.claimed_by is not null
    from new b`.execute(trx)
}

/** Ends a job that cannot be planned as failed, and releases its reserved credits. */
export function failPlan(db: Db, { id, accountId, mode, epoch }: JobToPlan): Promise<void> {
  return inTenant(db, accountId, (trx) => failJob(trx, { id, accountId, mode, planEpoch: epoch }))
}
