import { expect, test } from 'vitest'
import { percentile, sumProbes } from './providers.ts'

const NONE = { probes: 0, conclusive: 0, deferred: 0, blocked: 0, noResponse: 0, throttled: 0, ms: [] }

test('sumProbes adds hours bucket by bucket', () => {
  const one = { ...NONE, probes: 3, conclusive: 2, ms: [1, 2] }
  expect(sumProbes([one, { ...one, blocked: 1 }])).toEqual({
    ...NONE,
    probes: 6,
    conclusive: 4,
    blocked: 1,
    ms: [2, 4],
  })
  expect(sumProbes([])).toEqual(NONE)
})

test('percentile returns the upper bound of its bucket', () => {
  const ms = [10, 0, 80, 0, 0, 0, 0, 0, 0, 9, 1]
  expect(percentile(ms, 0.1)).toBe(50)
  expect(percentile(ms, 0.5)).toBe(200)
  expect(percentile(ms, 0.95)).toBe(25_600)
  expect(percentile(ms, 1)).toBeNull() // above the last bucket
  expect(percentile([], 0.5)).toBeNull()
  expect(percentile([0, 0], 0.5)).toBeNull()
})
