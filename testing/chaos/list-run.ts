import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '@probity/database/connection/connect'
import { openRandom } from '@probity/lab/simulation/random'
import { confirm, exportResults, type Upload, untilEnded, upload } from './api-client.ts'
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts'
import { watchLedger } from './ledger-monitor.ts'
import type { ListFile } from './list-file.ts'
import { type Nemesis, openNemesis, type VictimName } from './nemesis.ts'
import { untilOrdered } from './ordering.ts'
import { type RerunRun, rerunUnderFire } from './rerun.ts'
import { freezeUntilReplaced, holdOrdering, killWhileSettling } from './targeted-faults.ts'
import { type Books, listViolations, readBooks } from './violations.ts'

/** The outcome of a job: the downloaded file, the ledger, and the violations. */
export type ListRun = {
  ndjson: string
  books: Books
  violations: string[]
  seconds: number
  /** The longest time without a new result. */
  pauseSeconds: number
  faults: Record<string, number>
  granted: number
  bankReads: number
  /** Number of unexpected process exits. */
  failures: number
  /** None if the job did not complete. */
  rerun: RerunRun | undefined
}

export type RunOptions = Omit<EnvironmentOptions, 'credits'> & {
  list: ListFile
  faultsMax: number
  patienceMs: number
  /** Whether the unknown rows of the list are validated again. */
  hasRerun: boolean
  signal: AbortSignal
}

/** More than a list and its rerun cost, so that the remaining balance shows the charges. */
const CREDITS_LEFT = 1_000
/** Random faults during the rerun, besides those at chosen moments. */
const RERUN_FAULTS = 6
/** A worker that continues after a pause first settles the batches it had. */
const LATE_MS = 3_000
/** The first confirm requests are interrupted. */
const HIT_CONFIRMS = 3
const HIT_WITHIN_MS = 40
/** Time in which a worker that has just started has read a small list. */
const PLANNED_WITHIN_MS = 1_000

/** Validates a list from the upload to the export, with or without faults. */
export async function runList(options: RunOptions): Promise<ListRun> {
  await using cleanUp = new AsyncDisposableStack()
  const { list, faultsMax, patienceMs, signal, size } = options
  const isHarmed = faultsMax > 0
  const granted = list.expected.size * 2 + CREDITS_LEFT
  const environment = await startEnvironment({ ...options, credits: granted }, cleanUp)
  const ledger = watchLedger(environment.db, environment.accountId, granted)
  cleanUp.defer(async () => void (await ledger.end()))
  const uploaded = await upload(environment.client, list.csv, signal)
  const nemesis = isHarmed ? openNemesis(environment.victims, { random: openRandom(size.seed), faultsMax }) : undefined
  cleanUp.defer(() => nemesis?.end())

  const began = performance.now()
  const jobId = await confirmUnderFire(environment, uploaded, nemesis, signal)
  const harming = nemesis && harm(nemesis, environment.db, jobId)
  const ordering = nemesis && holdOrdering(environment.db)
  cleanUp.defer(() => ordering?.release())
  const job = await untilEnded(environment.client, jobId, { patienceMs, signal })
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const isCompleted = job.status === 'completed'
  const asSettled = isCompleted ? await exportResults(environment.client, jobId, signal) : ''
  const rows = list.expected.size
  const isOrdered = !isCompleted || (await untilOrdered({ db: environment.db, jobId, rows, nemesis, hold: ordering }))
  const faults = nemesis?.counts() ?? {}
  await nemesis?.end()
  await harming
  if (isHarmed) await sleep(LATE_MS, undefined, { signal })

  const pauseSeconds = Math.round(job.pauseMs / 100) / 10
  const ndjson = isCompleted ? await exportResults(environment.client, jobId, signal) : ''
  const books = await readBooks(environment.db, environment.accountId, jobId)
  const again = { jobId, ndjson, books, seed: size.seed, faultsMax: isHarmed ? RERUN_FAULTS : 0, patienceMs, signal }
  const rerun = options.hasRerun && isCompleted && isOrdered ? await rerunUnderFire(environment, again) : undefined
  const { reads: bankReads, wrong } = await ledger.end()
  const violations = [
    ...(isCompleted ? [] : [`the job is ${job.status} with ${job.done_count} of ${job.unique_count} results`]),
    ...(isOrdered ? [] : ['the results are not in row order']),
    ...(asSettled === ndjson ? [] : ['the export is another one after the results were stored in row order']),
    ...(wrong > 0 ? [`the balances did not add up in ${wrong} of ${bankReads} reads`] : []),
    ...listViolations(books, { expected: list.expected, ndjson, granted }),
    ...(rerun?.violations ?? []),
  ]
  return {
    ndjson,
    books,
    violations,
    seconds,
    pauseSeconds,
    faults,
    granted,
    bankReads,
    failures: environment.failures(),
    rerun,
  }
}

/** Once the client has a response, the job exists, whatever is killed. */
async function confirmUnderFire(
  { client }: Environment,
  uploaded: Upload,
  nemesis: Nemesis | undefined,
  signal: AbortSignal,
): Promise<string> {
  const hit = (tries: number) => nemesis?.killSoon(tries % 2 === 1 ? 'api' : 'postgres', HIT_WITHIN_MS)
  const { id } = await confirm(client, uploaded, {
    signal,
    meanwhile: async (tries) => void (tries <= HIT_CONFIRMS && (await hit(tries))),
  })
  const all: VictimName[] = ['api', 'worker_1', 'worker_2', 'redis', 'postgres']
  await Promise.all(all.map((name) => nemesis?.killSoon(name, HIT_WITHIN_MS)))
  return id
}

/** First the faults whose moment random timing would rarely hit, then random faults. */
async function harm(nemesis: Nemesis, db: Db, jobId: string): Promise<void> {
  await Promise.all([nemesis.killSoon('postgres', PLANNED_WITHIN_MS), nemesis.killSoon('worker_2', PLANNED_WITHIN_MS)])
  const replacing = freezeUntilReplaced(nemesis, db, jobId)
  nemesis.roam()
  await replacing
  await killWhileSettling(nemesis, db, jobId)
}
