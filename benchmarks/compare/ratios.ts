import { rounded } from '../report/print-table.ts'

/** A rate is better when it is higher, a cost when it is lower. */
export type FieldKind = 'rate' | 'cost'

/** The numbers of one run by field; nested fields have dotted names such as `recent_cpu_us.api`. */
export type FieldValues = Record<string, number>

/** The unit in a field name decides its kind. Rates come first: `rows_per_s` also ends like a duration. */
const RATE_NAME = /(^|_)(rps|per_s|per_second|speedup)(_|$)/
const COST_NAME = /(^|_)(ms|us|s|seconds|bytes|mb|cpu|per_row|per_1000)(_|$)|[a-z](Ms|Us|Bytes)$/

/** The kind of a field, undefined for counts and ratios. A nested key without a unit has the unit of its parent. */
export function findKind(field: string): FieldKind | undefined {
  for (const key of field.split('.').toReversed()) {
    if (RATE_NAME.test(key)) return 'rate'
    if (COST_NAME.test(key)) return 'cost'
  }
  return undefined
}

const CPU_NAME = /(^|_)cpu(_|$)|^cpu[A-Z]/
const TOTAL = 'total'
const TAIL_NAME = /(^|_)p9\d(_|$)/

/**
 * Flattens the JSON of a run. Processor time per process also gets a total, because work moves between processes and numbered
 * workers share it differently in every run. A list has an entry per size or round, so only a single entry has a comparable meaning.
 */
export function flattenFigures(figures: object, parent = ''): FieldValues {
  const values: FieldValues = {}
  for (const [key, value] of Object.entries(figures)) {
    const field = parent === '' ? key : `${parent}.${key}`
    const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (typeof single === 'number' && Number.isFinite(single)) values[field] = single
    if (typeof single !== 'object' || single === null || Array.isArray(single)) continue
    const nested = flattenFigures(single, field)
    Object.assign(values, nested)
    const total = Object.values(nested).reduce((sum, part) => sum + part, 0)
    if (CPU_NAME.test(key)) values[`${field}.${TOTAL}`] = total
  }
  return values
}

/**
 * Whether a field is compared without `--field`. Every compared field is one more chance that an interval misses 1 between equal
 * trees, so the default is one figure per rate and per cost.
 */
function isDefault(field: string): boolean {
  const [parent = '', key = ''] = field.split('.').slice(-2)
  if (CPU_NAME.test(parent) && key !== '' && key !== TOTAL) return false
  // A fixed number of connections ties the mean latency to the rate; a run of seconds has too few slow requests for the tail.
  return !TAIL_NAME.test(field)
}

/** Whether `--field` selects a field: by its own name or by the name of its parent. */
function isSelected(field: string, selection: string[]): boolean {
  return selection.some((name) => field === name || field.startsWith(`${name}.`))
}

/** One run of each side, next to each other in time. */
export type RunPair = { base: FieldValues; tree: FieldValues }

/** The median of the ratios tree / base, and the interval that contains the true median. */
export type RatioSummary = { ratio: number; low: number; high: number; pairs: number }

export type ComparedField = RatioSummary & {
  field: string
  kind: FieldKind
  /** Medians of the values themselves, for the reader. */
  baseMedian: number
  treeMedian: number
}

export type Comparison = {
  fields: ComparedField[]
  /** Fields that were left out, each with its reason. */
  notes: string[]
}

/** "Not worse by more than 10 %": a field fails only if its whole interval is beyond the limit. */
const RATE_RATIO_MIN = 0.9
const COST_RATIO_MAX = 1.1

/** With five pairs, smallest and largest ratio reach 93.75 %; a limit of 95 % would take six pairs. */
const COVERAGE_MIN = 0.9

/** Values are rounded to whole numbers or to thousandths; a field whose rounding alone is 5 % of it says nothing about 10 %. */
const ROUNDING_SHARE_MAX = 0.05
const DECIMAL_STEP = 0.001

export function isWorse({ kind, low, high }: Pick<ComparedField, 'kind' | 'low' | 'high'>): boolean {
  return kind === 'rate' ? high < RATE_RATIO_MIN : low > COST_RATIO_MAX
}

/**
 * Compares the fields that all runs have. An empty selection takes the default fields; a selection takes its fields even if they are
 * noisy or small.
 */
export function compareRuns(pairs: RunPair[], selection: string[]): Comparison {
  const fields: ComparedField[] = []
  const notes: string[] = []
  for (const { field, kind } of listComparable(pairs, selection)) {
    const base = pairs.map((pair) => pair.base[field] ?? 0)
    const tree = pairs.map((pair) => pair.tree[field] ?? 0)
    const reason = findObstacle(base, tree, selection.length > 0)
    if (reason === undefined) {
      const ratios = base.map((value, n) => ratioOf(value, tree[n] ?? 0))
      fields.push({ field, kind, ...summarizeRatios(ratios), baseMedian: medianOf(base), treeMedian: medianOf(tree) })
    } else notes.push(`${field} is not compared: ${reason}`)
  }
  return { fields, notes }
}

/** The fields with a known kind that every run of both sides has. */
export function listComparable(pairs: RunPair[], selection: string[]): { field: string; kind: FieldKind }[] {
  const runs = pairs.flatMap(({ base, tree }) => [base, tree])
  return Object.keys(runs[0] ?? {}).flatMap((field) => {
    const kind = findKind(field)
    const isWanted = selection.length > 0 ? isSelected(field, selection) : isDefault(field)
    const isEverywhere = runs.every((values) => field in values)
    return kind !== undefined && isWanted && isEverywhere ? [{ field, kind }] : []
  })
}

/** Why no ratio can be given, undefined if it can. */
function findObstacle(base: number[], tree: number[], isChosen: boolean): string | undefined {
  if (base.some((value, n) => value === 0 && tree[n] !== 0)) return 'the base is 0'
  const values = [...base, ...tree]
  if (isChosen || values.every((value) => value === 0)) return undefined
  const step = values.every((value) => Number.isInteger(value)) ? 1 : DECIMAL_STEP
  if (step > ROUNDING_SHARE_MAX * Math.abs(medianOf(base))) return `${medianOf(base)} is too small for its rounding`
  return undefined
}

function ratioOf(base: number, tree: number): number {
  return base === 0 && tree === 0 ? 1 : tree / base
}

/**
 * The median with a distribution-free confidence interval between two order statistics: the narrowest symmetric one that covers the
 * median with at least COVERAGE_MIN. Fewer than five ratios cannot reach that; then the interval is smallest to largest.
 */
export function summarizeRatios(ratios: number[]): RatioSummary {
  const sorted = ratios.toSorted((one, other) => one - other)
  const rank = intervalRank(sorted.length)
  return {
    ratio: rounded(medianOf(sorted)),
    low: rounded(sorted[rank - 1] ?? Number.NaN),
    high: rounded(sorted[sorted.length - rank] ?? Number.NaN),
    pairs: sorted.length,
  }
}

/** The interval [k-th smallest, k-th largest] misses the median if fewer than k of n values are on one side of it: Binomial(n, ½). */
function intervalRank(count: number): number {
  let rank = 1
  let combinations = 1
  let missed = 2 * 0.5 ** count
  for (let next = 1; next < count / 2; next += 1) {
    combinations = (combinations * (count - next + 1)) / next
    missed += 2 * combinations * 0.5 ** count
    if (1 - missed < COVERAGE_MIN) break
    rank = next + 1
  }
  return rank
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}
