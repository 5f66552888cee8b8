import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { expect, test } from 'vitest'
import { keyOfCell, readCell } from './read-addresses.ts'

test.each([
  ['ada@example.com', 'bare', 'ada@example.com'],
  [' ADA@example.com\t', 'bare', 'ADA@example.com'],
  ['"a b"@example.com', 'bare', '"a b"@example.com'],
  ['Ada <ada@example.com>', 'wrapped', 'ada@example.com'],
  ['mailto:ada%40example.com', 'wrapped', 'ada@example.com'],
  ['ada@example,com', 'broken', 'ada@example,com'],
  ['ada@@example.com', 'broken', 'ada@@example.com'],
  ['ada lovelace@example.com', 'broken', 'ada lovelace@example.com'],
  [`${'x'.repeat(1_500)}@y`, 'broken', `${'x'.repeat(1_500)}@y`],
])('readCell reads %j as %s', (text, kind, email) => {
  const cell = readCell(text)
  expect(cell).toMatchObject({ kind, email })
  expect(cell.kind !== 'text' && keyOfCell(cell)).toBe(dedupeKey(email))
})

test.each(['n/a', '@ada', 'ada@', 'ada @ example.com', 'https://example.com/@ada', '100%40', '@'.repeat(4_000)])(
  'readCell finds no address in %j',
  (text) => {
    expect(readCell(text)).toEqual({ kind: 'text' })
  },
)

test('readCell takes no longer for hostile cells than for the same amount of addresses', { tags: ['timed'] }, () => {
  const pieces = ['a@b,', 'a@b, ', ';@', ' (@', '<@', '"@', '\\"@', '%40', 'a@b ', '(', 'a@b.']
  const began = performance.now()
  for (const piece of pieces) {
    const cell = `@${piece.repeat(4_000 / piece.length)}`
    for (let n = 0; n < 200; n++) readCell(cell)
  }
  expect(performance.now() - began).toBeLessThan(10_000)
})
