import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from './data/limits.ts'
import { nextRetryMs } from './limits.ts'

test.each([
  [1, 60_000],
  [2, 300_000],
  [3, 900_000],
  [4, 3_600_000],
  [5, null],
  [500, null],
])('nextRetryMs after %i attempts is %s', (attempts, expected) => {
  expect(nextRetryMs(PROVIDER_LIMITS[''], attempts, null)).toBe(expected)
})

test.each([
  [10_000, 12_000],
  [10_001, 13_000],
  [300_000, 315_000],
  [3_600_000, 3_780_000],
  [1_000_000_000, 86_400_000],
])('nextRetryMs adds a margin to a delay of %i ms, limited to a day', (said, expected) => {
  expect(nextRetryMs(PROVIDER_LIMITS[''], 1, said)).toBe(expected)
})

test('nextRetryMs is null after the last attempt, even if the server names a delay', () => {
  expect(nextRetryMs(PROVIDER_LIMITS[''], 4, 10_000)).toBe(12_000)
  expect(nextRetryMs(PROVIDER_LIMITS[''], 5, 10_000)).toBeNull()
})
