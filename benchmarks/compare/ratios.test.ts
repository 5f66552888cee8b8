import { describe, expect, test } from 'vitest'
import { compareRuns, findKind, flattenFigures, isWorse, type RunPair, summarizeRatios } from './ratios.ts'

describe('findKind', () => {
  test.each([
    'recent_rps',
    'rows_per_s',
    'ours_per_second_50ms',
    'speedup_50ms',
    'mixed_speedup_50ms',
    'crowd_rows_per_s',
  ])('returns rate for %s', (field) => expect(findKind(field)).toBe('rate'))

  test.each([
    'queued_p99_ms',
    'p99_ms_accepted',
    'seconds',
    'purge_s',
    'rss_mb_max',
    'cpu_us_per_row.total',
    'recent_cpu_us.api',
    'per_row.cpuUs.worker_1',
    'per_row.walBytes',
    'per_row.redisCommands',
    'connections_per_1000',
  ])('returns cost for %s', (field) => expect(findKind(field)).toBe('cost'))

  test.each([
    'rows',
    'errors',
    'workers',
    'recent_ratio',
    'goodput_ratio',
    'refused_share.list',
    'cost_growth_1m_vs_10k',
  ])('returns undefined for %s, which has no unit', (field) => expect(findKind(field)).toBeUndefined())
})

describe('flattenFigures', () => {
  test('joins nested keys with dots and adds a total to processor time', () => {
    const figures = { recent_rps: 10, recent_cpu_us: { api: 3, redis: 4 }, per_row: { cpuUs: { api: 1 }, walBytes: 9 } }
    expect(flattenFigures(figures)).toEqual({
      recent_rps: 10,
      'recent_cpu_us.api': 3,
      'recent_cpu_us.redis': 4,
      'recent_cpu_us.total': 7,
      'per_row.cpuUs.api': 1,
      'per_row.cpuUs.total': 1,
      'per_row.walBytes': 9,
    })
  })

  test('takes a list only if it has a single entry, and no other types', () => {
    const figures = { rows_per_s: [5], all_s: [1, 2], mount: 'ext4', product_only: true, p99_ms: null }
    expect(flattenFigures(figures)).toEqual({ rows_per_s: 5 })
  })
})

describe('summarizeRatios', () => {
  test('uses the smallest and the largest of five ratios', () => {
    expect(summarizeRatios([1.2, 0.9, 1, 1.05, 0.95])).toEqual({ ratio: 1, low: 0.9, high: 1.2, pairs: 5 })
  })

  test('uses the smallest and the largest of fewer than five ratios', () => {
    expect(summarizeRatios([1.2, 1, 0.9])).toEqual({ ratio: 1, low: 0.9, high: 1.2, pairs: 3 })
    expect(summarizeRatios([0.7])).toEqual({ ratio: 0.7, low: 0.7, high: 0.7, pairs: 1 })
  })

  test('drops one ratio at each end from eight on, where that still covers 90 %', () => {
    // Seven: 1 − 2 · (1 + 7) / 128 = 87.5 %. Eight: 1 − 2 · (1 + 8) / 256 = 93 %.
    expect(summarizeRatios([1, 2, 3, 4, 5, 6, 7])).toMatchObject({ low: 1, high: 7 })
    expect(summarizeRatios([8, 1, 2, 3, 4, 5, 6, 7])).toEqual({ ratio: 4.5, low: 2, high: 7, pairs: 8 })
  })

  test('rounds to three decimals', () => {
    expect(summarizeRatios([2 / 3])).toMatchObject({ ratio: 0.667, low: 0.667, high: 0.667 })
  })
})

describe('isWorse', () => {
  test('fails a rate only if the whole interval is below 0.9', () => {
    expect(isWorse({ kind: 'rate', low: 0.7, high: 0.899 })).toBe(true)
    expect(isWorse({ kind: 'rate', low: 0.7, high: 0.9 })).toBe(false)
  })

  test('fails a cost only if the whole interval is above 1.1', () => {
    expect(isWorse({ kind: 'cost', low: 1.101, high: 2 })).toBe(true)
    expect(isWorse({ kind: 'cost', low: 1.1, high: 2 })).toBe(false)
  })
})

describe('compareRuns', () => {
  const five = (base: object, tree: object): RunPair[] =>
    Array.from({ length: 5 }, () => ({ base: flattenFigures(base), tree: flattenFigures(tree) }))
  const namesOf = (pairs: RunPair[], selection: string[] = []) =>
    compareRuns(pairs, selection).fields.map(({ field }) => field)

  test('divides the work tree by the base', () => {
    const [field] = compareRuns(five({ rows_per_s: 1_000 }, { rows_per_s: 700 }), []).fields
    expect(field).toEqual({
      field: 'rows_per_s',
      kind: 'rate',
      ratio: 0.7,
      low: 0.7,
      high: 0.7,
      pairs: 5,
      baseMedian: 1_000,
      treeMedian: 700,
    })
  })

  test('compares only fields with a unit that both sides have', () => {
    expect(namesOf(five({ a_rps: 100, b_rps: 100, rows: 100 }, { a_rps: 100, c_rps: 100, rows: 100 }))).toEqual([
      'a_rps',
    ])
  })

  test('leaves out parts of a total and tail latency unless they are selected', () => {
    const figures = { a_cpu_us: { api: 100, redis: 100 }, a_p99_ms: 100, a_rps: 100 }
    expect(namesOf(five(figures, figures))).toEqual(['a_cpu_us.total', 'a_rps'])
    expect(namesOf(five(figures, figures), ['a_cpu_us', 'a_p99_ms'])).toEqual([
      'a_cpu_us.api',
      'a_cpu_us.redis',
      'a_cpu_us.total',
      'a_p99_ms',
    ])
  })

  test('leaves out a value that is too small for its rounding, with a note', () => {
    const pairs = five({ a_us: 14, b_us: 20, c_s: 0.014, d_s: 0.02 }, { a_us: 14, b_us: 20, c_s: 0.014, d_s: 0.02 })
    expect(namesOf(pairs)).toEqual(['b_us', 'd_s'])
    expect(compareRuns(pairs, []).notes).toEqual([
      'a_us is not compared: 14 is too small for its rounding',
      'c_s is not compared: 0.014 is too small for its rounding',
    ])
  })

  test('gives 1 for two zeros and no ratio for a base of zero', () => {
    const { fields, notes } = compareRuns(five({ a_s: 0, b_s: 0 }, { a_s: 0, b_s: 3 }), [])
    expect(fields).toMatchObject([{ field: 'a_s', ratio: 1 }])
    expect(notes).toEqual(['b_s is not compared: the base is 0'])
  })
})
