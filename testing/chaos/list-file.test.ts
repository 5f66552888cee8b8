import { expect, test } from 'vitest'
import { makeList, sizeOf } from './list-file.ts'

test.each([
  [5_000, 1],
  [100_000, 1],
])('makeList expects each address of %i rows once', (rows, seed) => {
  const { expected } = makeList(sizeOf(rows, seed), rows)
  expect(expected.size).toBeGreaterThan(rows * 0.9)
  expect(new Set(expected.values()).size).toBe(expected.size)
})
