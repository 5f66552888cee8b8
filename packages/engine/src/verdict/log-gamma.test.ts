import { expect, test } from 'vitest'
import { logBeta, logGamma } from './deliverability.ts'

test('logGamma of n + 1 is the logarithm of the factorial of n', () => {
  let factorial = 0
  for (let n = 1; n <= 170; n += 1) {
    expect(logGamma(n)).toBeCloseTo(factorial, 9)
    factorial += Math.log(n)
  }
})

test('logGamma is exact at one half and grows by log x from x to x + 1', () => {
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 10)
  for (const x of [0.01, 0.3, 2.7, 7.9, 8.1, 1e5]) expect(logGamma(x + 1) - logGamma(x)).toBeCloseTo(Math.log(x), 8)
})

test('logBeta matches the beta function of whole numbers', () => {
  expect(Math.exp(logBeta(2, 3))).toBeCloseTo(1 / 12, 10)
})
