import { join } from 'node:path'
import { makeList, sizeOf } from './list-file.ts'
import { type ListRun, runList } from './list-run.ts'
import type { Persistence } from './redis.ts'
import { countDuplicated, countLost, driftOf } from './violations.ts'

export type ChaosTask = {
  rows: number
  seed: number
  redis: Persistence
  logFolder: string | undefined
  /** A job without progress for this long counts as stalled. */
  patienceMs: number
  /** Both runs at the same time. */
  isConcurrent: boolean
  hasRerun: boolean
  signal: AbortSignal
}

export type Outcome = { isGood: boolean; figures: object }

/** Number of faults by list size: enough for a small list to meet all kinds of them, and more for a large one. */
const FAULTS_LEAST = 20
const FAULTS_PER_ROW = 60 / 100_000
/** A run with fewer faults proves little. */
const FAULTS_PER_ROW_MIN = 40 / 100_000

/** Validates the same list twice over the same simulation, once undisturbed and once while processes are killed. The results must be equal. */
export async function compareRuns(task: ChaosTask): Promise<Outcome> {
  const { rows, seed, redis, logFolder, patienceMs, hasRerun, signal } = task
  const size = sizeOf(rows, seed)
  const list = makeList(size, rows)
  const run = (name: string, faultsMax: number) => {
    say(`${rows} rows with ${list.expected.size} addresses, seed ${seed}, redis ${redis}, ${name} …`)
    const logs = logFolder && join(logFolder, name)
    return runList({ list, size, redis, faultsMax, patienceMs, hasRerun, signal, logFolder: logs })
  }
  const runClean = () => run('in peace', 0)
  const runHarmed = () => run('harmed', Math.max(FAULTS_LEAST, Math.round(rows * FAULTS_PER_ROW)))
  const { clean, harmed } = await (task.isConcurrent ? runBoth : runInTurn)(runClean, runHarmed)

  const faults = Object.values(harmed.faults).reduce((sum, count) => sum + count, 0)
  const isIdentical = harmed.ndjson !== '' && harmed.ndjson === clean.ndjson
  const violations = [
    ...harmed.violations.map((violation) => (harmed === clean ? `in peace: ${violation}` : violation)),
    ...(isIdentical || harmed.ndjson === '' ? [] : describeDifference(clean.ndjson, harmed.ndjson)),
  ]
  const isHarmless = faults < rows * FAULTS_PER_ROW_MIN
  if (isHarmless) say(`Only ${faults} faults were brought about: the run shows little.`)
  for (const violation of violations) say(`VIOLATION: ${violation}`)
  const figures = {
    faults,
    reexecutions: harmed.books.reexecutions,
    lost: countLost(harmed.books, list.expected),
    duplicated: countDuplicated(harmed.books),
    credit_drift: driftOf(harmed.books, harmed.granted),
    export_identical: isIdentical,
    seconds: harmed.seconds,
    longest_pause: harmed.pauseSeconds,
    seconds_in_peace: clean.seconds,
    rows,
    seed,
    redis,
    bank_reads: harmed.bankReads,
    ended_by_themselves: harmed.failures,
    by_kind: harmed.faults,
    rerun_addresses: harmed.rerun?.addresses ?? 0,
    rerun_charged: harmed.rerun?.charged ?? 0,
    rerun_merges: harmed.rerun?.merges ?? 0,
    rerun_export_identical: harmed.rerun?.isIdentical ?? null,
    rerun_seconds: harmed.rerun?.seconds ?? 0,
    rerun_seconds_in_peace: clean.rerun?.seconds ?? 0,
    rerun_by_kind: harmed.rerun?.faults ?? {},
    violations,
  }
  return { isGood: violations.length === 0 && !isHarmless, figures }
}

type Run = () => Promise<ListRun>
type Runs = { clean: ListRun; harmed: ListRun }

/** A run that fails without faults need not be repeated with faults. */
async function runInTurn(runClean: Run, runHarmed: Run): Promise<Runs> {
  const clean = await runClean()
  return { clean, harmed: clean.violations.length > 0 ? clean : await runHarmed() }
}

/** If one fails, the other ends first, so that it stops its servers. */
async function runBoth(runClean: Run, runHarmed: Run): Promise<Runs> {
  const ending = [runClean(), runHarmed()] as const
  await Promise.allSettled(ending)
  const [clean, harmed] = await Promise.all(ending)
  return { clean, harmed: clean.violations.length > 0 ? clean : harmed }
}

const SHOWN_MAX = 5

/** A sample of the differences for the analysis: a few lines, and the number of results per pair of verdicts. */
function describeDifference(clean: string, harmed: string): string[] {
  const [ours, theirs] = [clean.split('\n'), harmed.split('\n')]
  const lines = Array.from({ length: Math.max(ours.length, theirs.length) }, (_, n) => n)
  const different = lines.filter((n) => ours[n] !== theirs[n])
  for (const n of different.slice(0, SHOWN_MAX)) say(`- ${ours[n]}\n+ ${theirs[n]}`)
  const kinds = Object.groupBy(different, (n) => `${verdictIn(theirs[n])} instead of ${verdictIn(ours[n])}`)
  for (const [kind, same = []] of Object.entries(kinds)) say(`${same.length} times ${kind}`)
  return [`the exports differ in ${different.length} of ${ours.length} lines`]
}

function verdictIn(line = ''): string {
  return /"status":"(\w+)","sub_status":"(\w*)"/.exec(line)?.slice(1).join(' ') ?? 'nothing'
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
