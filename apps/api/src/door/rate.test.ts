import { expect, test } from 'vitest'
import { openLocalRate, rateHeaders } from './rate.ts'

const POLICY = { name: 'account', quota: 10, windowS: 5 }

function openClock() {
  let now = 1e12
  const rate = openLocalRate(() => now)
  return { rate, pass: (seconds: number) => (now += seconds * 1e6) }
}

test('lets a whole quota through at once, then refuses and says how long to wait', () => {
  const { rate } = openClock()
  const states = Array.from({ length: 11 }, () => rate.take('a', POLICY))
  expect(states.map((state) => state.allowed)).toEqual([...Array(10).fill(true), false])
  expect(states.map((state) => state.remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0])
  expect(states[10]).toMatchObject({ retryAfterS: 1, resetS: 5 })
})

test('gives back one request for every part of the window that passes', () => {
  const { rate, pass } = openClock()
  for (let n = 0; n < 10; n++) rate.take('a', POLICY)
  pass(1)
  expect([1, 2, 3].map(() => rate.take('a', POLICY).allowed)).toEqual([true, true, false])
  pass(5)
  expect(rate.look('a', POLICY)).toMatchObject({ allowed: true, remaining: 10, resetS: 0 })
})

test('a refused request costs nothing, and looking costs nothing', () => {
  const { rate, pass } = openClock()
  for (let n = 0; n < 30; n++) rate.take('a', POLICY)
  for (let n = 0; n < 30; n++) rate.look('a', POLICY)
  pass(0.5)
  expect(rate.take('a', POLICY).allowed).toBe(true)
})

test('keeps callers apart', () => {
  const { rate } = openClock()
  for (let n = 0; n < 11; n++) rate.take('a', POLICY)
  expect(rate.take('b', POLICY).remaining).toBe(9)
})

test('remembers a bounded number of callers', () => {
  const { rate } = openClock()
  for (let n = 0; n < 60_000; n++) rate.take(`caller ${n}`, POLICY)
  expect(rate.look('caller 59999', POLICY).remaining).toBe(9)
  expect(rate.look('caller 0', POLICY).remaining).toBe(10)
})

test('speaks the structured fields of the current draft', () => {
  const { rate } = openClock()
  expect(rateHeaders(rate.take('a', POLICY))).toEqual({
    'ratelimit-policy': '"account";q=10;w=5',
    ratelimit: '"account";r=9;t=1',
  })
})

test('a quota of one lets the first request through, whatever fraction the clock shows', () => {
  let now = 0
  const rate = openLocalRate(() => now)
  const policy = { name: 'one', quota: 1, windowS: 60 }
  for (let n = 0; n < 1_000; n++) {
    now = 123_456_789.123 + n * 0.7
    expect(rate.take(`caller ${n}`, policy).allowed).toBe(true)
  }
})
