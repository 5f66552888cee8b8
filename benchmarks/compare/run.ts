import { parseArgs } from 'node:util'
import { watchStolenTime } from '@probity/lab/steal-time'
import { printTable, rounded } from '../report/print-table.ts'
import { OLDER_ARGUMENTS, PRODUCT_ONLY_NAMES } from '../report/product-only.ts'
import {
  type Comparison,
  compareRuns,
  type FieldValues,
  flattenFigures,
  isWorse,
  listComparable,
  type RunPair,
} from './ratios.ts'
import { CompareError, findTreeRoot, resolveCommit, runCommand, runOrFail, unpackBase } from './trees.ts'

const PRODUCT_ONLY = '--product-only'
/** A run takes at most about 40 s; a slow machine gets four times as long. A whole benchmark takes minutes. */
const RUN_LIMIT_MS = 180_000
const OLDER_RUN_LIMIT_MS = 1_200_000
const USAGE_LIMIT_MS = 60_000
/** The fewest pairs whose smallest and largest ratio contain the median with 90 %. */
const PAIRS_MIN = 5

type Options = { name: string; base: string; pairs: number; selection: string[] }

/** `pnpm bench compare`: returns the exit code, 0 if no field is worse than the base by more than 10 %, 1 if one is, 2 without a result. */
export async function runCompare(args: string[]): Promise<number> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await compare(readOptions(args), stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 130 // as a shell reports a program that SIGINT ended
    if (!(error instanceof CompareError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

export function readOptions(args: string[]): Options {
  const { values, positionals } = parseCompareArgs(args)
  const [name = ''] = positionals
  if (!PRODUCT_ONLY_NAMES.includes(name) || positionals.length > 1) {
    const problem = name === '' ? 'NAME is missing' : `"${positionals.join(' ')}" has no rates or costs to compare`
    throw new CompareError(`${problem}. Comparable names: ${PRODUCT_ONLY_NAMES.join(', ')}.`)
  }
  if (values.base === undefined) throw new CompareError('--base COMMIT is missing.')
  const pairs = Number(values.pairs)
  if (!Number.isInteger(pairs) || pairs < 1) throw new CompareError('--pairs must be a whole number of at least 1.')
  return { name, base: values.base, pairs, selection: values.field }
}

function parseCompareArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        base: { type: 'string' },
        pairs: { type: 'string', default: '5' },
        field: { type: 'string', multiple: true, default: [] },
      },
    })
  } catch (error) {
    throw new CompareError(error instanceof Error ? error.message : 'The options cannot be read.', { cause: error })
  }
}

async function compare({ name, base, pairs, selection }: Options, signal: AbortSignal): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const root = await findTreeRoot(signal)
  const hash = await resolveCommit(base, root, signal)
  process.stderr.write(`unpacking and installing ${hash}\n`)
  const folder = await unpackBase(hash, root, { stack, signal })
  const sides = await describeSides(name, { root, folder }, signal)
  const readStolen = watchStolenTime()
  const done = await measurePairs({ name, sides, pairs, selection }, signal)
  const stolen = rounded(readStolen())
  const comparison = compareRuns(done, selection)
  if (comparison.fields.length === 0) throw new CompareError(['No field was compared.', ...comparison.notes].join('\n'))
  const failed = comparison.fields.filter(isWorse)
  showComparison(name, comparison, done)
  for (const { field } of failed) process.stderr.write(`${field} is worse than ${base} by more than 10 %\n`)
  const isPassed = failed.length === 0
  const fields = comparison.fields.map(({ field, kind, ratio, low, high, pairs: count }) => ({
    field,
    kind,
    ratio,
    low,
    high,
    pairs: count,
    stolen,
  }))
  process.stdout.write(`${JSON.stringify({ name, base: hash, passed: isPassed, pairs, stolen, fields })}\n`)
  return isPassed ? 0 : 1
}

type Side = { label: string; folder: string; args: string[]; limitMs: number }
type Sides = { base: Side; tree: Side }

/** Detects by the usage text whether the base knows the option: it is all that a commit with other folders promises. */
async function describeSides(
  name: string,
  trees: { root: string; folder: string },
  signal: AbortSignal,
): Promise<Sides> {
  const tree = { label: 'work tree', folder: trees.root, args: [PRODUCT_ONLY], limitMs: RUN_LIMIT_MS }
  const base = { ...tree, label: 'base', folder: trees.folder }
  const usage = await runCommand(['pnpm', '--silent', 'bench'], { cwd: base.folder, limitMs: USAGE_LIMIT_MS, signal })
  if (hasProductOnly(`${usage.stdout}${usage.stderr}`, name)) return { base, tree }
  process.stderr.write(
    `the base has no ${PRODUCT_ONLY} for ${name}: both sides run the whole benchmark, which takes longer\n`,
  )
  const whole = { args: OLDER_ARGUMENTS[name] ?? [], limitMs: OLDER_RUN_LIMIT_MS }
  return { base: { ...base, ...whole }, tree: { ...tree, ...whole } }
}

/** The line of the usage text that explains the option also lists the benchmarks that have it. */
export function hasProductOnly(usage: string, name: string): boolean {
  const line = usage.split('\n').find((text) => text.startsWith(PRODUCT_ONLY)) ?? ''
  return line.split(/[ ,:]+/).includes(name)
}

type Task = { name: string; sides: Sides; pairs: number; selection: string[] }

async function measurePairs({ name, sides, pairs, selection }: Task, signal: AbortSignal): Promise<RunPair[]> {
  const done: RunPair[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const values: Partial<RunPair> = {}
    for (const side of orderOf(pair)) {
      const began = performance.now()
      values[side] = await runBenchmark(name, sides[side], signal)
      const seconds = Math.round((performance.now() - began) / 1_000)
      process.stderr.write(`pair ${pair + 1} of ${pairs}: ${sides[side].label}, ${seconds} s\n`)
    }
    done.push(values as RunPair)
    if (pair === 0) requireFields(done, selection)
  }
  return done
}

/** A B B A …: a machine that gets slower or faster over time does so for both sides. */
export function orderOf(pair: number): (keyof RunPair)[] {
  return pair % 2 === 0 ? ['base', 'tree'] : ['tree', 'base']
}

async function runBenchmark(name: string, { folder, args, limitMs }: Side, signal: AbortSignal): Promise<FieldValues> {
  const command = ['pnpm', '--silent', 'bench', name, ...args]
  return readFigures(await runOrFail(command, { cwd: folder, limitMs, signal }))
}

/** The figures are the last line of standard output. */
export function readFigures(stdout: string): FieldValues {
  const line = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    const figures: unknown = JSON.parse(line)
    if (typeof figures === 'object' && figures !== null) return flattenFigures(figures)
  } catch {
    // Text that is not JSON is reported below.
  }
  throw new CompareError(`The last line of a benchmark is not a JSON object: ${line.slice(0, 200)}`)
}

/** After the first pair, so that a wrong `--field` does not cost the time of all. */
export function requireFields(done: RunPair[], selection: string[]): void {
  const missing = selection.filter((name) => listComparable(done, [name]).length === 0)
  if (missing.length === 0) return
  const known = Object.keys(done[0]?.tree ?? {}).filter((field) => listComparable(done, [field]).length > 0)
  throw new CompareError(`Not a rate or cost of both sides: ${missing.join(', ')}. Fields: ${known.join(', ')}.`)
}

function showComparison(name: string, { fields, notes }: Comparison, done: RunPair[]): void {
  printTable(`${name}: work tree / base`, [
    ['', 'kind', 'base', 'work tree', 'ratio', 'interval', ''],
    ...fields.map((field) => [
      field.field,
      field.kind,
      rounded(field.baseMedian),
      rounded(field.treeMedian),
      field.ratio.toFixed(3),
      `${field.low.toFixed(3)} – ${field.high.toFixed(3)}`,
      isWorse(field) ? 'worse' : '',
    ]),
  ])
  // Rejected requests are faster than served ones, so a rate with errors says little.
  const errors = done.flatMap(({ base, tree }) => [base['errors'] ?? 0, tree['errors'] ?? 0])
  const withErrors = errors.filter((count) => count > 0).length
  if (withErrors > 0) process.stderr.write(`${withErrors} of ${errors.length} runs had errors\n`)
  if (done.length < PAIRS_MIN) process.stderr.write(`fewer than ${PAIRS_MIN} pairs: the intervals are too narrow\n`)
  for (const note of notes) process.stderr.write(`${note}\n`)
}
