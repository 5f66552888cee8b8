import { expect, test } from 'vitest'
import { readRetryAfter } from './post.ts'
import { delayAfter } from './processor.ts'

const NOW = Date.parse('2026-11-02T12:00:00Z')

test.each([
  ['120', 429, 120],
  ['120', 503, 120],
  ['120', 500, 0],
  ['Mon, 02 Nov 2026 12:05:00 GMT', 503, 300],
  ['Mon, 02 Nov 2026 11:00:00 GMT', 503, 0],
  ['-5', 503, 0],
  ['soon', 503, 0],
  ['9'.repeat(400), 503, 0],
  [undefined, 503, 0],
])('"%s" with %d is %d seconds', (header, status, seconds) => {
  expect(readRetryAfter(header, status, NOW)).toBe(seconds)
})

test('Retry-After can extend the scheduled delay up to an hour, and never shortens it', () => {
  expect(delayAfter(1, 'live', 600)).toBe(600_000)
  expect(delayAfter(1, 'live', 1e9)).toBe(3_600_000)
  expect(delayAfter(5, 'live', 1)).toBeGreaterThanOrEqual(0.8 * 7_200_000)
})
