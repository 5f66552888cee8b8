import { expect, test } from 'vitest'
import { reconnectThreshold } from './recipient-window.ts'

/** Round trips per recipient if every connection is closed with `leave` errors remaining, including the cost of a new connection. */
function cost(budget: number, share: number, leave: number): number {
  let roundTrips = 25
  for (let left = budget; left > leave; left -= 1) roundTrips += 1 / share / left
  return roundTrips / ((budget - leave) / share)
}

test.each([0.01, 0.05, 0.1, 0.3, 0.5, 0.8, 1])(
  'reconnectThreshold minimizes the cost per recipient at a rejection share of %d',
  (share) => {
    const costs = Array.from({ length: 9 }, (_, leave) => cost(9, share, leave))
    expect(costs[reconnectThreshold(9, share)]).toBeCloseTo(Math.min(...costs), 9)
  },
)

test('reconnectThreshold decreases with the share of rejections', () => {
  const points = [0.02, 0.05, 0.1, 0.3, 0.9].map((share) => reconnectThreshold(9, share))
  expect(points).toEqual(points.toSorted((a, b) => b - a))
  expect(points.at(-1)).toBe(0)
})

test('reconnectThreshold is 0 for a server without an error limit', () => {
  expect(reconnectThreshold(Number.POSITIVE_INFINITY, 0.5)).toBe(0)
})
