import { expect, test } from 'vitest'
import { createLocalRate } from './request-rate.ts'

const POLICY = { name: 'account', quota: 10, windowS: 5 }

function openClock() {
  let now = 1e12
  const rate = createLocalRate(() => now)
  return { rate, pass: (seconds: number) => (now += seconds * 1e6) }
}

test('take allows a whole quota at once, then rejects with the time to wait', () => {
  const { rate } = openClock()
  const states = Array.from({ length: 11 }, () => rate.take('a', POLICY))
  expect(states.map((state) => state.allowed)).toEqual([...Array(10).fill(true), false])
  expect(states.map((state) => state.remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0])
  expect(states[10]).toMatchObject({ retryAfterS: 1, resetS: 5 })
})

test('take allows one further request for each part of the window that passes', () => {
  const { rate, pass } = openClock()
  for (let n = 0; n < 10; n++) rate.take('a', POLICY)
  pass(1)
  expect([1, 2, 3].map(() => rate.take('a', POLICY).allowed)).toEqual([true, true, false])
  pass(5)
  expect(rate.look('a', POLICY)).toMatchObject({ allowed: true, remaining: 10, resetS: 0 })
})

test('rejected requests and look do not count against the quota', () => {
  const { rate, pass } = openClock()
  for (let n = 0; n < 30; n++) rate.take('a', POLICY)
  for (let n = 0; n < 30; n++) rate.look('a', POLICY)
  pass(0.5)
  expect(rate.take('a', POLICY).allowed).toBe(true)
})

test('partitions have separate quotas', () => {
  const { rate } = openClock()
  for (let n = 0; n < 11; n++) rate.take('a', POLICY)
  expect(rate.take('b', POLICY).remaining).toBe(9)
})

test('createLocalRate keeps a bounded number of partitions', () => {
  const { rate } = openClock()
  for (let n = 0; n < 60_000; n++) rate.take(`caller ${n}`, POLICY)
  expect(rate.look('caller 59999', POLICY).remaining).toBe(9)
  expect(rate.look('caller 0', POLICY).remaining).toBe(10)
})

test('a quota of one allows the first request at any fraction of the clock', () => {
  let now = 0
  const rate = createLocalRate(() => now)
  const policy = { name: 'one', quota: 1, windowS: 60 }
  for (let n = 0; n < 1_000; n++) {
    now = 123_456_789.123 + n * 0.7
    expect(rate.take(`caller ${n}`, policy).allowed).toBe(true)
  }
})
