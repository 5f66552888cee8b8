import { expect, test } from 'vitest'
import { forecast } from './usage-query.ts'

const NOW = new Date('2026-11-02T12:00:00Z')
const spent = (...used: number[]) => used.map((credits_used) => ({ credits_used, credits_refunded: 0 }))

test('forecast extrapolates the average use of the last days', () => {
  const history = spent(1_000, 10, 10, 10, 10, 10, 10, 10)
  expect(forecast(100, history, { days: 7, now: NOW })).toEqual({
    days: 7,
    perDay: 10,
    until: new Date('2026-11-12T12:00:00Z'),
  })
})

test('forecast subtracts refunded credits', () => {
  const history = [{ credits_used: 70, credits_refunded: 35 }]
  expect(forecast(10, history, { days: 7, now: NOW })).toMatchObject({
    perDay: 5,
    until: new Date('2026-11-04T12:00:00Z'),
  })
})

test.each([
  ['no credits were used', 100, spent(0, 0)],
  ['more credits were refunded than used', 100, [{ credits_used: 1, credits_refunded: 5 }]],
  ['the date is years in the future', 1_000_000, spent(7)],
])('forecast returns no date when %s', (_why, available, history) => {
  expect(forecast(available, history, { days: 7, now: NOW }).until).toBeUndefined()
})

test('forecast returns now when no credits are left', () => {
  expect(forecast(0, spent(7), { days: 7, now: NOW }).until).toEqual(NOW)
})
