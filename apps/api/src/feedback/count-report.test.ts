import { expect, test } from 'vitest'
import { deliveryWeight, isTotalOnly, shareDeliveries } from './count-report.ts'

const sent = (deliveredCount: number, bouncedCount: number, sentTotal?: number) => ({
  deliveredCount,
  bouncedCount,
  sentTotal,
})

test.each([
  ['one for one without a total', sent(10, 5), 1],
  ['a fifth of 800 deliveries stands for five each', sent(160, 200, 1000), 5],
  ['all that were sent are reported', sent(95, 5, 100), 1],
  ['no delivery stands for more than a hundred', sent(1, 0, 1_000_000), 100],
])('%s', (_, given, weight) => {
  expect(deliveryWeight(given)).toBe(weight)
})

test('a report with a total and no deliveries contains only the number of deliveries', () => {
  expect(isTotalOnly(sent(0, 5, 100))).toBe(true)
  expect(isTotalOnly(sent(0, 5))).toBe(false)
  expect(isTotalOnly(sent(1, 5, 100))).toBe(false)
})

function predictionOf(p: number) {
  return { p, subStatus: 'catch_all', provider: '', isDecided: false }
}

test('the deliveries of a total are distributed by the odds, completely', () => {
  const shares = shareDeliveries([predictionOf(0.5), predictionOf(0.8)], sent(0, 2, 102))
  expect(shares).toEqual([expect.closeTo(20, 6), expect.closeTo(80, 6)])
})

test('classes that bounce as predicted keep their prediction', () => {
  // A hundred at 0.9 and a hundred at 0.6: ten and forty bounce.
  const bounces = [...Array<number>(10).fill(0.9), ...Array<number>(40).fill(0.6)].map(predictionOf)
  const shares = shareDeliveries(bounces, sent(0, 50, 200))
  const sum = (some: number[]) => some.reduce((total, one) => total + one, 0)
  expect(sum(shares.slice(0, 10))).toBeCloseTo(90, 6)
  expect(sum(shares.slice(10))).toBeCloseTo(60, 6)
})

test('bounces without a prediction get their share', () => {
  expect(shareDeliveries([predictionOf(0.8)], sent(0, 4, 104))).toEqual([expect.closeTo(25, 6)])
  expect(shareDeliveries([], sent(0, 4, 104))).toEqual([])
})
