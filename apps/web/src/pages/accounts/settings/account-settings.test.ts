import { expect, test } from 'vitest'
import { formatTolerance, readThreshold, readTolerance } from './AccountSettings.tsx'

test.each([
  ['3', 3, 0.97],
  ['0.1', 0.1, 0.999],
  ['50', 50, 0.5],
  [' 2,5 ', 2.5, 0.975],
  ['1.25', 1.25, 0.9875],
])('a bounce tolerance of %s%% is converted to a threshold and back', (typed, tolerance, chance) => {
  expect(readTolerance(typed)).toBe(tolerance)
  expect(readThreshold(typed)).toBe(chance)
  expect(formatTolerance(chance)).toBe(String(tolerance))
})

test.each(['', '0', '0.09', '50.1', '51', '100', '-3', '3%', 'three', '1e1', '1.2.3'])(
  'readTolerance rejects %o',
  (typed) => {
    expect(readTolerance(typed)).toBeUndefined()
  },
)
