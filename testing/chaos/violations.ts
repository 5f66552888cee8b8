import { listDrift } from '@probity/database/billing/ledger'
import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, type Db, type Trx, withoutTenant } from '@probity/database/connection/connect'
import { listTestResults } from '@probity/database/jobs/results/test-results'
import { sql } from 'kysely'

/** The rows of a job and the ledger in PostgreSQL after the run. */
export type Books = {
  jobs: number
  state: string
  uniqueCount: number
  doneCount: number
  refundedCount: number
  results: number
  rows: number
  emails: number
  unknown: number
  counted: number
  openBatches: number
  /** Claims beyond the first of each batch. */
  reexecutions: number
  settles: number
  settledBatches: number
  settled: number
  refunded: number
  available: number
  reserved: number
  spent: number
  isChargingStopped: boolean
  drifts: number
  /** The differences that ledger reconciliation finds, which also runs in production. */
  audit: string[]
}

export async function readBooks(db: Db, accountId: string, jobId: string): Promise<Books> {
  const faults = await withoutTenant(db, (trx) => listLedgerMismatches(trx, { all: true }))
  const audit = faults.map(({ kind, expected, found }) => `${kind}: ${found} instead of ${expected}`)
  const results = await countResults(db, jobId)
  return asOwner(db, async (trx) => {
    const drifts = await listDrift(trx)
    const { rows } = await readCounts(trx, accountId, jobId)
    if (rows[0] === undefined) throw new Error('the job is gone')
    return { ...rows[0], ...results, drifts: drifts.length, audit }
  })
}

/** The contents of a job's chunks, as readers see them. */
async function countResults(db: Db, jobId: string): Promise<Results> {
  const results = await listTestResults(db, jobId)
  return {
    results: results.length,
    rows: new Set(results.map(({ rowNo }) => rowNo)).size,
    emails: new Set(results.map(({ email }) => email)).size,
    unknown: results.filter(({ status }) => status === 'unknown').length,
  }
}

type Results = Pick<Books, 'results' | 'rows' | 'emails' | 'unknown'>

function readCounts(trx: Trx, accountId: string, jobId: string) {
  return sql<Omit<Books, 'drifts' | 'audit' | keyof Results>>`
    select (select count(*) from jobs where account_id = ${accountId}) as jobs,
      j.state, j.unique_count, j.done_count, j.refunded_count, s.*, a.available, a.reserved, a.spent,
      a.on_hold_since is not null as is_charging_stopped,
      (select count(*) from job_queue where job_id = j.id) as open_batches,
      (select coalesce(sum(greatest(epoch - 1, 0)), 0)::bigint from ended_batches where job_id = j.id) as reexecutions,
      (select coalesce(sum(count), 0)::bigint from job_counts where job_id = j.id) as counted,
      (select coalesce(sum(d_available), 0)::bigint from ledger where subject = j.id and kind = 'refund') as refunded
    from jobs j join accounts a on a.id = j.account_id
      cross join lateral (
        select count(*) as settles, count(distinct part) as settled_batches, coalesce(sum(d_spent), 0)::bigint as settled
        from ledger where subject = j.id and kind = 'settle'
      ) s
    where j.id = ${jobId}`.execute(trx)
}

type Truth = { expected: Map<number, string>; ndjson: string; granted: number }

/** All violated invariants as messages. */
export function listViolations(books: Books, { expected, ndjson, granted }: Truth): string[] {
  const { available, reserved, spent } = books
  const promises: [boolean, string][] = [
    [books.jobs === 1, `one confirmation made ${books.jobs} jobs`],
    [books.uniqueCount === expected.size, `the job has ${books.uniqueCount} addresses, not ${expected.size}`],
    [books.doneCount === expected.size, `the job counts ${books.doneCount} results, not ${expected.size}`],
    [countLost(books, expected) === 0, `${countLost(books, expected)} rows have no result`],
    [countDuplicated(books) === 0, `${countDuplicated(books)} rows have more than one result`],
    [books.counted === books.results, `${books.counted} results are counted by kind, and there are ${books.results}`],
    [books.openBatches === 0, `${books.openBatches} batches are still open`],
    [books.settles === books.settledBatches, `${books.settledBatches} batches were settled ${books.settles} times`],
    [books.settled === books.results, `${books.settled} credits were settled for ${books.results} results`],
    [books.refunded === books.unknown, `${books.refunded} credits were refunded for ${books.unknown} unknown results`],
    [books.refundedCount === books.unknown, `the job counts ${books.refundedCount} refunds, not ${books.unknown}`],
    [
      spent === books.results - books.unknown,
      `${spent} credits were charged for ${books.results - books.unknown} results`,
    ],
    [reserved === 0, `${reserved} credits are still set aside`],
    [available + reserved + spent === granted, `${available} + ${reserved} + ${spent} is not ${granted}`],
    [books.drifts === 0, 'the balances are not the sum of the ledger'],
    [!books.isChargingStopped, 'the auditor stopped charging while the list was worked on'],
    [books.audit.length === 0, `the auditor says: ${books.audit.join(', ')}`],
    [ndjson === '' || isWhole(ndjson, expected), 'the export does not hold each address once, at its row'],
  ]
  return promises.flatMap(([isKept, otherwise]) => (isKept ? [] : [otherwise]))
}

export function countLost({ rows }: Books, expected: Map<number, string>): number {
  return expected.size - rows
}

export function countDuplicated({ results, rows, emails }: Books): number {
  return results - Math.min(rows, emails)
}

/** Credits without a matching ledger entry. */
export function driftOf({ available, reserved, spent, results, unknown, drifts }: Books, granted: number): number {
  return Math.abs(granted - available - reserved - spent) + Math.abs(spent - (results - unknown)) + reserved + drifts
}

function isWhole(ndjson: string, expected: Map<number, string>): boolean {
  const lines = ndjson.split('\n').filter((line) => line !== '')
  return (
    lines.length === expected.size &&
    lines.every((line) => {
      const { row, email } = JSON.parse(line) as { row: number; email: string }
      return expected.get(row) === email
    })
  )
}
