import { expect, test } from 'vitest'
import { ticksTo } from './scale.ts'

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 5, 10]],
  [90, [0, 50, 100]],
  [100, [0, 50, 100]],
  [101, [0, 50, 100, 150]],
  [1_400, [0, 500, 1_000, 1_500]],
  [2_000_000, [0, 1_000_000, 2_000_000]],
])('an axis for values up to %d', (top, ticks) => {
  expect(ticksTo(top)).toEqual(ticks)
})
