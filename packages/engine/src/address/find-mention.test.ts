import { describe, expect, test } from 'vitest'
import { openAddressMatcher } from './find-mention.ts'

const ada = openAddressMatcher('Ada@Example.COM')

test.each([
  'ada@example.com',
  ' ADA@example.com ',
  '"ada"@example.com',
  'Ada Lovelace <ada@example.com>',
  'mailto:ada%40example.com?subject=x',
  'bo@example.com; ada@example.com',
  'Write to ada@example.com.',
  '550 5.1.1 <ada@example.com>: Recipient address rejected',
])('isIn finds the address in %j', (text) => {
  expect(ada.isIn(text)).toBe(true)
})

test.each([
  '',
  'ada',
  'bada@example.com',
  "o'ada@example.com",
  'ada@example.com.au',
  'ada@example.community',
  'ada+tag@example.com',
  'x ada@example.company y',
])('isIn does not find the address in %j', (text) => {
  expect(ada.isIn(text)).toBe(false)
})

test('isIn searches long texts', () => {
  const words = 'word '.repeat(500)
  expect(ada.isIn(`${words}(ada@example.com)`)).toBe(true)
  expect(ada.isIn(`${words}x.ada@example.com`)).toBe(false)
})

describe('spellings with one dedupe key', () => {
  test.each([
    ['bö@exämple.com', 'BÖ@xn--exmple-cua.com'],
    ['BÖ@XN--EXMPLE-CUA.com', 'Bö <bö@exämple.com>'],
    ['"a b"@example.com', '"A b"@example.com'],
    ['ada@@example', 'ADA@@example'],
  ])('%s is found in %s', (email, text) => {
    expect(openAddressMatcher(email).isIn(text)).toBe(true)
  })
})

test('isInJson searches all strings of a value', () => {
  expect(ada.isInJson({ data: [{ email: 'bo@example.com', did_you_mean: 'ADA@example.com' }] })).toBe(true)
  expect(ada.isInJson({ data: [{ email: 'bo@example.com', n: 1, at: null }] })).toBe(false)
})
