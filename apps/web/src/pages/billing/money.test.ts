import { expect, test } from 'vitest'
import { formatMoney, formatPerThousand } from './money.ts'

test.each([
  [4_900, 'eur', '€49.00'],
  [4_905, 'usd', 'US$49.05'],
  [4_900, 'jpy', 'JP¥4,900'],
  [4_900, 'isk', 'ISK 49.00'],
  [4_900, 'kwd', 'KWD 4.900'],
  [0, 'gbp', '£0.00'],
])('formatMoney(%i, %s) returns %s', (amount, currency, said) => {
  expect(formatMoney(amount, currency).replaceAll('\u00a0', ' ')).toBe(said)
})

// The lists of https://docs.stripe.com/currencies, written again.
test.each([
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((code) => [code, '12.345']),
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, '12,345']),
  ...['EUR', 'USD', 'HUF', 'ISK', 'TWD', 'UGX'].map((code) => [code, '123.45']),
])('formatMoney(12345, %s) contains %s', (code, said) => {
  expect(formatMoney(12_345, code).replace(/^[^\d]+/, '')).toBe(said)
})

test.each([
  [900, 1_000, '€9.00'],
  [4_900, 10_000, '€4.90'],
  [9_900, 80_000, '€1.2375'],
])('formatPerThousand(%i, %i) returns %s', (amount, credits, said) => {
  expect(formatPerThousand(amount, credits, 'eur')).toBe(said)
})
