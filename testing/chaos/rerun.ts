import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db, type Trx } from '@probity/database/connection/connect'
import { changeTestResults } from '@probity/database/jobs/results/test-results'
import { openRandom } from '@probity/lab/simulation/random'
import { sql } from 'kysely'
import { exportResults, rerunUnknown, untilEnded } from './api-client.ts'
import type { Environment } from './environment.ts'
import { openNemesis } from './nemesis.ts'
import { killWhileMerging } from './targeted-faults.ts'
import { type Books, readBooks } from './violations.ts'

/** The outcome of a rerun of unknown rows and of its merge. */
export type RerunRun = {
  addresses: number
  charged: number
  /** How often it was merged into the list. */
  merges: number
  /** Whether the export of the list is the one from before its results were forgotten. */
  isIdentical: boolean
  seconds: number
  faults: Record<string, number>
  violations: string[]
}

type Task = {
  jobId: string
  /** The export and the books of the list before. */
  ndjson: string
  books: Books
  seed: number
  faultsMax: number
  patienceMs: number
  signal: AbortSignal
}

/** One of this many conclusive results is forgotten, so that the rerun finds it again. */
const FORGOTTEN_PER = 40
/** The number of deferrals after which retries are not waited for. */
const HURRIED_FROM = 5
const MERGED_WITHIN_MS = 120_000
const POLL_MS = 100
/** The first requests for the rerun are interrupted. */
const HIT_REQUESTS = 2
const HIT_WITHIN_MS = 40

/**
 * Turns some results of an ended list into unknown ones, as an outage would have left them, and runs the unknown rows again. The simulation
 * gives each address the same verdict again, so that after the merge the list has the results, counts and breakdown of before.
 */
export async function rerunUnderFire(environment: Environment, task: Task): Promise<RerunRun> {
  const { db, client, accountId } = environment
  const { jobId, seed, faultsMax, patienceMs, signal } = task
  await countMerges(db)
  const before = await readList(db, jobId)
  const forgotten = await forgetResults(db, jobId)
  const nemesis =
    faultsMax > 0 ? openNemesis(environment.victims, { random: openRandom(seed + 1), faultsMax }) : undefined
  try {
    const began = performance.now()
    const meanwhile = async (tries: number) => {
      if (nemesis === undefined || tries > HIT_REQUESTS) return
      await nemesis.killSoon('api', HIT_WITHIN_MS)
      await releaseKeys(db)
    }
    const { id } = await rerunUnknown(client, jobId, { signal, meanwhile })
    nemesis?.roam()
    const killing = nemesis && killWhileMerging(nemesis, db, jobId)
    const ended = new AbortController()
    const hurrying = hurryRetries(db, id, ended.signal)
    const job = await untilEnded(client, id, { patienceMs, signal }).finally(() => ended.abort())
    await Promise.all([killing, hurrying])
    const isMerged = await untilMerged(db, id)
    const seconds = Math.round((performance.now() - began) / 100) / 10
    await nemesis?.end()
    const ndjson = await exportResults(client, jobId, signal)
    const merges = await readMerges(db)
    const [books, rerun] = [await readBooks(db, accountId, jobId), await readBooks(db, accountId, id)]
    const after = await readList(db, jobId)
    const violations = listRerunViolations({ before: task.books, books, rerun, merges, forgotten })
    if (job.status !== 'completed') violations.push(`the rerun is ${job.status}`)
    if (!isMerged) violations.push('the rerun was not merged')
    if (ndjson !== task.ndjson) violations.push('the export of the list is another one after the merge')
    if (before !== after) violations.push(`after the merge the list has ${after} instead of ${before}`)
    return {
      ...{ addresses: rerun.uniqueCount, charged: rerun.settled, merges, isIdentical: ndjson === task.ndjson, seconds },
      faults: nemesis?.counts() ?? {},
      violations,
    }
  } finally {
    await nemesis?.end()
  }
}

type Compared = { before: Books; books: Books; rerun: Books; merges: number; forgotten: number }

function listRerunViolations({ before, books, rerun, merges, forgotten }: Compared): string[] {
  const spent = before.spent + rerun.results - rerun.unknown
  const promises: [boolean, string][] = [
    [rerun.jobs === 2, `the list and its rerun are ${rerun.jobs} jobs`],
    [rerun.uniqueCount >= forgotten, `the rerun has ${rerun.uniqueCount} addresses of ${forgotten} forgotten ones`],
    [rerun.uniqueCount - forgotten <= before.unknown, `the rerun has ${rerun.uniqueCount} addresses`],
    [rerun.results === rerun.uniqueCount, `the rerun has ${rerun.results} results for ${rerun.uniqueCount} addresses`],
    [rerun.settled === rerun.uniqueCount, `${rerun.settled} credits were settled for ${rerun.uniqueCount} addresses`],
    [rerun.refunded === rerun.unknown, `${rerun.refunded} credits were refunded for ${rerun.unknown} unknown results`],
    [rerun.spent === spent, `${rerun.spent} credits are spent, not ${spent}`],
    [rerun.reserved === 0, `${rerun.reserved} credits are still reserved`],
    [merges === 1, `the rerun was merged ${merges} times`],
    [books.results === before.results, `the list has ${books.results} results, not ${before.results}`],
    [books.counted === books.results, `${books.counted} results of the list are counted of ${books.results}`],
    [books.unknown === before.unknown, `${books.unknown} results of the list are unknown, not ${before.unknown}`],
    [books.settled === before.settled, 'the merge changed the charges of the list'],
    [books.refundedCount === before.refundedCount, 'the merge changed the refunds of the list'],
    [books.drifts === 0 && rerun.drifts === 0, 'the balances are not the sum of the ledger after the rerun'],
    [!books.isChargingStopped, 'the auditor stopped charging during the rerun'],
    [books.audit.length === 0, `after the merge the auditor says: ${books.audit.join(', ')}`],
  ]
  return promises.flatMap(([isKept, otherwise]) => (isKept ? [] : [otherwise]))
}

/** The counts and the breakdown of a list, in a fixed order. */
async function readList(db: Db, jobId: string): Promise<string> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ text: string }>`
      select jsonb_build_array(
        (select jsonb_object_agg(k.status || ' ' || k.sub_status, k.count) from job_counts k where k.job_id = ${jobId}),
        b.tallies -> 'providers', b.tallies -> 'domains',
        (select jsonb_agg(t order by t) from jsonb_array_elements(b.tallies -> 'kinds') t)
      )::text as text
      from job_breakdowns b where b.job_id = ${jobId}`.execute(trx),
  )
  return rows[0]?.text ?? 'no breakdown'
}

/**
 * Addresses that are deferred each time decide how long a run takes. The list has waited for all of their retries; here the last ones, which
 * take 35 of 51 seconds, come at once.
 */
async function hurryRetries(db: Db, rerunId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await asOwner(db, (trx) =>
      sql`
        update job_queue set retry_at = clock_timestamp()
        where job_id = ${rerunId} and deferrals >= ${HURRIED_FROM} and retry_at > clock_timestamp()`.execute(trx),
    ).catch(() => {}) // PostgreSQL is down
    await sleep(POLL_MS * 10)
  }
}

/** Makes every 40th conclusive result unknown, with its counts. The ledger stays: the list was charged. */
async function forgetResults(db: Db, jobId: string): Promise<number> {
  let [seen, forgotten] = [0, 0]
  await changeTestResults(db, jobId, (result) => {
    if (result.status === 'unknown' || seen++ % FORGOTTEN_PER > 0) return result
    forgotten += 1
    return { ...result, status: 'unknown', sub_status: 'timeout', safe_to_send: false, is_valid: false }
  })
  await asOwner(db, (trx) => countAgain(trx, jobId))
  return forgotten
}

async function countAgain(trx: Trx, jobId: string): Promise<void> {
  await sql`delete from job_counts where job_id = ${jobId}`.execute(trx)
  await sql`
    insert into job_counts (account_id, job_id, status, sub_status, count)
    select c.account_id, c.job_id, t.status, t.sub_status, sum(t.count)
    from result_chunks c cross join lateral jsonb_to_recordset(c.tally) as t (status text, sub_status text, count integer)
    where c.job_id = ${jobId} group by c.account_id, c.job_id, t.status, t.sub_status`.execute(trx)
}

/** The idempotency key of a killed process is locked for 90 seconds. */
async function releaseKeys(db: Db): Promise<void> {
  await asOwner(db, (trx) => sql`update idempotency_records set locked_until = now() where status is null`.execute(trx))
}

/** Records each merge that is committed, also a second one of the same rerun. */
async function countMerges(db: Db): Promise<void> {
  await asOwner(db, (trx) =>
    sql`
      create table merges (job_id uuid);
      create function record_merge() returns trigger language plpgsql security definer as $$
      begin
        insert into public.merges values (new.id);
        return null;
      end
      $$;
      create trigger record_merge after update of merged_at on jobs for each row execute function record_merge()`.execute(
      trx,
    ),
  )
}

async function readMerges(db: Db): Promise<number> {
  const { rows } = await asOwner(db, (trx) => sql<{ count: number }>`select count(*) as count from merges`.execute(trx))
  return Number(rows[0]?.count)
}

async function untilMerged(db: Db, rerunId: string): Promise<boolean> {
  for (const deadline = Date.now() + MERGED_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    try {
      const job = await asOwner(db, (trx) =>
        trx.selectFrom('jobs').select('mergedAt').where('id', '=', rerunId).executeTakeFirstOrThrow(),
      )
      if (job.mergedAt !== null) return true
    } catch {
      // PostgreSQL is down.
    }
  }
  return false
}
