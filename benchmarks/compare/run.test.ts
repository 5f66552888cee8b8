import { describe, expect, test } from 'vitest'
import { hasProductOnly, orderOf, readFigures, readOptions, requireFields } from './run.ts'

describe('orderOf', () => {
  test('alternates the side that runs first', () => {
    expect(
      [0, 1, 2, 3]
        .flatMap(orderOf)
        .map((side) => (side === 'base' ? 'A' : 'B'))
        .join(''),
    ).toBe('ABBAABBA')
  })
})

describe('readOptions', () => {
  test('takes a name, a base, the number of pairs and fields', () => {
    expect(readOptions(['single', '--base', 'HEAD'])).toEqual({ name: 'single', base: 'HEAD', pairs: 5, selection: [] })
    const args = ['list', '--base', 'v1', '--pairs', '7', '--field', 'rows_per_s', '--field', 'seconds']
    expect(readOptions(args)).toEqual({ name: 'list', base: 'v1', pairs: 7, selection: ['rows_per_s', 'seconds'] })
  })

  test.each([
    [['export', '--base', 'HEAD'], /"export" has no rates or costs to compare. Comparable names: single, list/],
    [['--base', 'HEAD'], /NAME is missing. Comparable names: single, list/],
    [['single'], /--base COMMIT is missing/],
    [['single', '--base', 'HEAD', '--pairs', '0'], /--pairs must be a whole number/],
    [['single', '--base', 'HEAD', '--pears', '3'], /--pears/],
  ])('rejects %j', (args, message) => expect(() => readOptions(args)).toThrow(message))
})

describe('hasProductOnly', () => {
  const usage = 'Usage: pnpm bench NAME: list, scale, single\n--product-only is short. NAME is one of: single, list\n'

  test('finds the benchmarks that the usage text lists beside the option', () => {
    expect(hasProductOnly(usage, 'list')).toBe(true)
    expect(hasProductOnly(usage, 'scale')).toBe(false)
    expect(hasProductOnly('Usage: pnpm bench NAME: list, scale, single\n', 'list')).toBe(false)
  })
})

describe('readFigures', () => {
  test('reads the last line', () => {
    expect(readFigures('progress\n{"recent_rps":10}\n')).toEqual({ recent_rps: 10 })
  })

  test('rejects output without JSON', () => {
    expect(() => readFigures('failed\n')).toThrow('The last line of a benchmark is not a JSON object: failed')
  })
})

describe('requireFields', () => {
  const pairs = [{ base: { a_rps: 1, rows: 5, old_rps: 1 }, tree: { a_rps: 1, rows: 5 } }]

  test('accepts fields of both sides', () => {
    expect(() => requireFields(pairs, ['a_rps'])).not.toThrow()
  })

  test('rejects fields without a unit and fields of one side, and names the others', () => {
    expect(() => requireFields(pairs, ['rows', 'old_rps'])).toThrow(
      'Not a rate or cost of both sides: rows, old_rps. Fields: a_rps.',
    )
  })
})
