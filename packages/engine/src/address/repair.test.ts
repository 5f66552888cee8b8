import { expect, test } from 'vitest'
import { suggestFor } from './cached-result.ts'
import { parseAddress } from './parse.ts'
import { repairAddress } from './repair.ts'

test.each([
  ['daria.lehmann\u200b@opal-software.example', 'daria.lehmann@opal-software.example'],
  ['ada\ufeff@example.com', 'ada@example.com'],
  ['ada@exam\u00adple.com', 'ada@example.com'],
  ['amir.cooper @ bronze-books.example', 'amir.cooper@bronze-books.example'],
  ['Amir <amir @example.com>', 'amir@example.com'],
  ['dimitri-kraus(at)yahoo.com', 'dimitri-kraus@yahoo.com'],
  ['ada [at] example [dot] com', 'ada@example.com'],
  ['ada@gmail,com', 'ada@gmail.com'],
  ['ada@mail,example.com', 'ada@mail.example.com'],
  ['ada@example..com', 'ada@example.com'],
  ['ada@example,com.', 'ada@example.com'],
  ['ada@@example.com', 'ada@example.com'],
  ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
  ['ada＠example。com', 'ada@example.com'],
])('repairAddress reads %j as %s', (text, email) => {
  expect(repairAddress(text)?.email).toBe(email)
  expect(suggestFor(text, parseAddress(text))).toBe(email)
})

test.each([
  'ada@example.com', // is an address
  'ada,lovelace@example.com', // may be two persons
  'ada lovelace@example.com',
  'ada..lovelace@example.com', // which of the two dots?
  'ada.@example.com',
  'ada@example,pdf',
  'lunch @ noon',
  'ada@example',
  'ada at example.com',
  'n/a',
  '@example.com',
  'ada@',
  'bob (at) work',
  `${'a'.repeat(2_000)} @ example.com`,
])('repairAddress is in doubt about %j', (text) => {
  expect(repairAddress(text)).toBeUndefined()
})
