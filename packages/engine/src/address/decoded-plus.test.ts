import { expect, test } from 'vitest'
import { suggestDecodedPlus } from './suggest.ts'

test.each([
  ['ada x@example.com', 'ada+x@example.com'],
  ['  ada x@example.com ', 'ada+x@example.com'],
  ['ada x@gmial.com', 'ada+x@gmail.com'],
  ['ada lovelace king@example.com', null],
  ['ada @example.com', null],
  ['ada x@exa mple.com', null],
  ['ada\tx@example.com', null],
  ['ada x', null],
  ['ada x@localhost', null],
])('suggestDecodedPlus returns for %j: %s', (email, suggestion) => {
  expect(suggestDecodedPlus(email)).toBe(suggestion)
})
