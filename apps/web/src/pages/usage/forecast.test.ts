import { expect, test } from 'vitest'
import { forecast } from './forecast.ts'

const NOW = new Date('2026-11-02T12:00:00Z')
const spent = (...used: number[]) => used.map((credits_used) => ({ credits_used, credits_refunded: 0 }))

test('credits last as long as the pace of the last days lets them', () => {
  const history = spent(1_000, 10, 10, 10, 10, 10, 10, 10)
  expect(forecast(100, history, { days: 7, now: NOW })).toEqual({
    days: 7,
    perDay: 10,
    until: new Date('2026-11-12T12:00:00Z'),
  })
})

test('what came back was not spent', () => {
  const history = [{ credits_used: 70, credits_refunded: 35 }]
  expect(forecast(10, history, { days: 7, now: NOW })).toMatchObject({
    perDay: 5,
    until: new Date('2026-11-04T12:00:00Z'),
  })
})

test.each([
  ['nothing was spent', 100, spent(0, 0)],
  ['more came back than was spent', 100, [{ credits_used: 1, credits_refunded: 5 }]],
  ['it is years away', 1_000_000, spent(7)],
])('no day is named where %s', (_why, available, history) => {
  expect(forecast(available, history, { days: 7, now: NOW }).until).toBeUndefined()
})

test('where there are none left, they last until now', () => {
  expect(forecast(0, spent(7), { days: 7, now: NOW }).until).toEqual(NOW)
})
