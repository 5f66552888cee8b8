import { randomUUID } from 'node:crypto'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { type Status, SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import { type StoredResult, sandboxResult } from '@probity/contract/schemas/validations/stored-result'
import { type Chunk, chunkRow, encodeChunk } from '@probity/database/jobs/results/result-chunk'
import { createMailPopulation, type MailPopulation, type SimulatedAddress } from '@probity/lab/simulation/population'
import { JOBS, PROVIDERS, type SeedJob } from './data/account.ts'
import { storeFile } from './files.ts'
import type { Transaction } from './ledger.ts'
import { DAY_MS, dayOf, hexOf, insertRows, isoOf, type Seeding } from './rows.ts'

/** Retention of a new account. Results of older jobs have expired. */
export const RETENTION_DAYS = 30

const CHUNK_ROWS = 500
const BATCH_ROWS = 100
/** About the speed of one worker with probing. */
const ADDRESSES_PER_S = 14
/** The largest job fits. Each job starts at another address. */
const WORLD = { seed: 7, domains: 400, addresses: 12_000 }

/** A job as the tables and the events have it. */
export type SeededJob = { id: string; row: Record<string, unknown>; state: string; endedAtMs: number }

type Verdict = { status: Status; subStatus: SubStatus }
type Seeded = { jobs: SeededJob[]; transactions: Transaction[] }

/** Inserts jobs with their counts, results and queued batches. Workers sort the results and continue no job: the unfinished one is paused. */
export async function seedJobs(seeding: Seeding, importKeyId: string): Promise<Seeded> {
  const simulation = createMailPopulation(WORLD)
  const seeded: Seeded = { jobs: [], transactions: [] }
  for (const [n, job] of JOBS.entries()) {
    const addresses = pickAddresses(simulation, job, n * 700)
    const { seededJob, transactions } = await seedJob(seeding, {
      ...job,
      addresses,
      simulation,
      keyId: job.byKey ? importKeyId : null,
    })
    seeded.jobs.push(seededJob)
    seeded.transactions.push(...transactions)
  }
  return seeded
}

/** The paused job has no addresses of real providers: a worker would look them up if the job were resumed. */
function pickAddresses({ addresses }: MailPopulation, { count, end }: SeedJob, from: number): SimulatedAddress[] {
  const suitable = end?.state === 'paused' ? addresses.filter(({ email }) => email.endsWith('.example')) : addresses
  return Array.from(
    { length: Math.min(count, suitable.length) },
    (_, n) => suitable[(from + n) % suitable.length] as SimulatedAddress,
  )
}

/** What all jobs have in common. Their results are not in row order yet. */
const DEFAULTS = {
  ...{ email_column: 'email', ai: true, catchall: true, refund_unknown: true },
  ...{ plan_epoch: 1, plan_attempts: 1, results_generation: 0, order_epoch: 0 },
}

type NewJob = SeedJob & { addresses: SimulatedAddress[]; simulation: MailPopulation; keyId: string | null }

async function seedJob(seeding: Seeding, job: NewJob) {
  const { trx, accountId, nowMs } = seeding
  const { addresses, end, keyId, simulation } = job
  const id = randomUUID()
  const createdAtMs = nowMs - job.daysAgo * DAY_MS - seeding.random.below(3_600_000)
  const doneCount = Math.floor(addresses.length * (end?.done ?? 1))
  const done = addresses.slice(0, doneCount).map((address) => ({ ...address, verdict: verdictOf(simulation, address) }))
  const chunks = groupsOf(done, CHUNK_ROWS)
  const mode = job.mode ?? 'live'
  const isLive = mode === 'live'
  const endedAtMs = Math.min(createdAtMs + 5_000 + (doneCount / ADDRESSES_PER_S) * 1_000, nowMs - 60_000)
  const state = end?.state === 'paused' ? 'processing' : (end?.state ?? 'completed')
  const refunds = chunks.map((rows) => (isLive ? rows.filter(({ verdict }) => verdict.status === 'unknown').length : 0))
  const expiresOn = dayOf(createdAtMs + RETENTION_DAYS * DAY_MS)
  const uploadId = await storeFile(seeding, { ...job, mode, createdAtMs })
  const row = {
    ...DEFAULTS,
    id,
    account_id: accountId,
    mode,
    upload_id: uploadId,
    key_id: keyId,
    filename: job.filename,
    state,
    paused_at: end?.state === 'paused' ? isoOf(endedAtMs) : null,
    row_count: addresses.length + job.duplicates,
    email_count: addresses.length + job.duplicates,
    unique_count: addresses.length,
    done_count: doneCount,
    refunded_count: refunds.reduce((sum, one) => sum + one, 0),
    credits_per_email: isLive ? 1 : 0,
    expires_on: expiresOn,
    next_batch: Math.ceil(addresses.length / BATCH_ROWS) + chunks.length,
    dispatched: doneCount,
    created_at: isoOf(createdAtMs),
    started_at: isoOf(createdAtMs + 2_000),
    finished_at: state === 'processing' ? null : isoOf(endedAtMs),
    last_settled_at: doneCount > 0 ? isoOf(endedAtMs) : null,
  }
  await insertRows(trx, 'jobs', [row])
  await insertRows(
    trx,
    'job_counts',
    countVerdicts(done).map((count) => ({ account_id: accountId, job_id: id, ...count })),
  )
  const isKept = expiresOn >= dayOf(nowMs)
  const location = { expires_on: expiresOn, account_id: accountId, job_id: id }
  if (isKept) await insertResults(seeding, { location, chunks, settledAtMs: endedAtMs })
  if (state === 'processing') {
    await insertBatches(seeding, {
      location,
      emails: addresses.slice(doneCount).map(({ email }) => email),
      from: doneCount,
    })
  }
  const at = { createdAtMs, endedAtMs, rest: state === 'processing' ? 0 : addresses.length - doneCount }
  const transactions = isLive ? listTransactions({ id, keyId, credits: addresses.length, chunks, refunds, ...at }) : []
  return { seededJob: { id, row, state, endedAtMs }, transactions }
}

type Posted = {
  id: string
  keyId: string | null
  credits: number
  chunks: readonly unknown[][]
  refunds: number[]
  createdAtMs: number
  endedAtMs: number
  /** Credits that the job did not use. */
  rest: number
}

/** As settlement posts them: the reservation, one settlement and refund per chunk, and the release of the rest. */
function listTransactions({
  id,
  keyId,
  credits,
  chunks,
  refunds,
  createdAtMs,
  endedAtMs,
  rest,
}: Posted): Transaction[] {
  const base = { subject: id, keyId, part: 0 }
  const settledAt = (n: number) => createdAtMs + ((n + 1) / chunks.length) * (endedAtMs - createdAtMs)
  return [
    { ...base, kind: 'reserve', credits, atMs: createdAtMs },
    ...chunks.map((rows, part) => ({
      ...base,
      kind: 'settle' as const,
      credits: rows.length,
      part,
      atMs: settledAt(part),
    })),
    ...refunds.flatMap((refunded, part) =>
      refunded === 0 ? [] : [{ ...base, kind: 'refund' as const, credits: refunded, part, atMs: settledAt(part) }],
    ),
    ...(rest > 0 ? [{ ...base, kind: 'release' as const, credits: rest, atMs: endedAtMs }] : []),
  ]
}

export function verdictOf(simulation: MailPopulation, { email }: SimulatedAddress): Verdict {
  const subStatus = (simulation.expected(email).verdicts[0]?.subStatus ?? '') as SubStatus
  return { status: SUB_STATUSES[subStatus].status, subStatus }
}

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
}

function countVerdicts(done: readonly { verdict: Verdict }[]) {
  const counts = new Map<string, { status: string; sub_status: string; count: number }>()
  for (const { verdict } of done) {
    const { status, subStatus } = verdict
    const known = counts.get(`${status} ${subStatus}`) ?? { status, sub_status: subStatus, count: 0 }
    counts.set(`${status} ${subStatus}`, { ...known, count: known.count + 1 })
  }
  return [...counts.values()]
}

type Location = { expires_on: string; account_id: string; job_id: string }
type DoneAddress = SimulatedAddress & { verdict: Verdict }
type NewResults = { location: Location; chunks: DoneAddress[][]; settledAtMs: number }

/** The first row of a file has the names of the columns. */
const FIRST_ROW = 2

async function insertResults({ trx }: Seeding, { location, chunks, settledAtMs }: NewResults): Promise<void> {
  for (const [no, addresses] of chunks.entries()) {
    const rows = addresses.map((address, n) =>
      chunkRow({ rowNo: resultNoOf(FIRST_ROW + no * CHUNK_ROWS + n, 0), email: address.email }, makeResult(address)),
    )
    await insertRows(trx, 'result_chunks', [chunkColumns(location, no, await encodeChunk(rows), settledAtMs)])
  }
}

function chunkColumns(location: Location, no: number, chunk: Chunk, settledAtMs: number) {
  const { size, firstRow, lastRow, rowNos, tally, index, results } = chunk
  return {
    ...{
      ...location,
      generation: 0,
      no,
      codec: 1,
      size,
      first_row: firstRow,
      last_row: lastRow,
      row_nos: rowNos,
      tally,
    },
    ...{ index: hexOf(index), results: hexOf(results), settled_at: isoOf(settledAtMs) },
  }
}

/** The result of the simulation, as the sandbox presents it, with the provider of the domain. */
function makeResult({ email, behaviour, verdict }: DoneAddress): StoredResult {
  const result = sandboxResult(email, { subStatus: verdict.subStatus })
  return { ...result, details: { ...result.details, provider: PROVIDERS[behaviour] ?? '' } }
}

type NewBatches = { location: Location; emails: string[]; from: number }

/** The batches of a job that are not validated. */
async function insertBatches({ trx, accountId }: Seeding, { location, emails, from }: NewBatches): Promise<void> {
  const batches = groupsOf(emails, BATCH_ROWS).map((part, n) => ({
    no: Math.ceil(from / BATCH_ROWS) + n,
    emails: part,
    n,
  }))
  const firstRow = FIRST_ROW + from
  await insertRows(
    trx,
    'job_batches',
    batches.map(({ no, emails: part, n }) => ({
      ...{
        ...location,
        no,
        emails: part,
        row_nos: part.map((_, row) => resultNoOf(firstRow + n * BATCH_ROWS + row, 0)),
      },
    })),
  )
  await insertRows(
    trx,
    'job_queue',
    batches.map(({ no, emails: part }) => ({
      ...{ job_id: location.job_id, no, account_id: accountId, site: '', site_max: 0, size: part.length },
      ...{ epoch: 0, attempts: 0, deferrals: 0, throttles: 0, no_responses: 0, suspect: false, straggling: false },
    })),
  )
}
