import { expect, test } from 'vitest'
import { dedupeKey } from './dedupe-key.ts'

test.each([
  ['john@example.com', 'john@example.com'],
  ['John@example.com', 'john@example.com'],
  ['JOHN@EXAMPLE.COM', 'john@example.com'],
  [' john@example.com\r\n', 'john@example.com'],
  ['"john"@example.com', 'john@example.com'],
  ['"J\\ohn"@example.com', 'john@example.com'],
  ['j.o.h.n@gmail.com', 'j.o.h.n@gmail.com'],
  ['john+tag@gmail.com', 'john+tag@gmail.com'],
  ['John+TAG@gmail.com', 'john+tag@gmail.com'],
  ['"John Doe"@example.com', '"john doe"@example.com'],
  ['"John\\ Doe"@example.com', '"john doe"@example.com'],
  ['a@MÜNCHEN.de', 'a@xn--mnchen-3ya.de'],
  ['a@xn--mnchen-3ya.de', 'a@xn--mnchen-3ya.de'],
  ['JÖRG@example.com', 'jörg@example.com'],
  ['JO\u0308RG@example.com', 'jörg@example.com'],
  ['ИВАН@example.com', 'иван@example.com'],
  ['ΣΟΦΟΣ@example.com', 'σοφος@example.com'],
  ['a@[192.0.2.1]', 'a@[192.0.2.1]'],
  ['A@[ipv6:2001:DB8:0:0::1]', 'a@[IPv6:2001:db8::1]'],
])('dedupeKey of %j is %j', (text, key) => {
  expect(dedupeKey(text)).toBe(key)
})

test.each([
  ['not an address', ' not an address'],
  [' Not An Address ', ' not an address'],
  ['', ' '],
  ['   ', ' '],
  ['JÖRG', ' jörg'],
  ['JO\u0308RG', ' jörg'],
  ['A@B', ' a@b'],
  [`${'x'.repeat(1_024)}@example.com`, ` ${'x'.repeat(1_024)}@example.com`],
])('dedupeKey of %j, which is not an address, is %j', (text, key) => {
  expect(dedupeKey(text)).toBe(key)
})

test('dedupeKey never returns the same key for an address and another text', () => {
  // Too long as written, but an address in lower case: ẞ has three octets, ß two.
  const tooLong = `${'ẞ'.repeat(30)}@example.com`
  const address = `${'ß'.repeat(30)}@example.com`
  expect(dedupeKey(address)).toBe(address)
  expect(dedupeKey(tooLong)).not.toBe(address)
})

test.each([
  'John@Example.com',
  'not an address',
  ' ',
  `${'ẞ'.repeat(30)}@example.com`,
  // In lower case these have more octets than a local part may have.
  `${'Ⱥ'.repeat(32)}@example.com`,
  `${'İ'.repeat(30)}@example.com`,
  'İstanbul@example.com',
  `${' '.repeat(2000)}a@b.example`,
  'X'.repeat(2000),
  'İ'.repeat(1024),
])('dedupeKey of a key is the key itself: %j', (text) => {
  const key = dedupeKey(text)
  expect(dedupeKey(key)).toBe(key)
})

test('dedupeKey keeps differences whose meaning only the domain owner knows', () => {
  const keys = [
    'john@example.com',
    'jo.hn@example.com',
    'john+a@example.com',
    'john@example.org',
    'john@mail.example.com',
  ]
  expect(new Set(keys.map(dedupeKey)).size).toBe(keys.length)
})
