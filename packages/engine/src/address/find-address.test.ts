import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAddress as find } from './find-address.ts'
import { openAddressMatcher } from './match-address.ts'
import { parseAddress } from './parse.ts'
import { makeInputs } from './test-inputs.ts'

const findAddress = (text: string) => find(text)?.email

test.each([
  ['Anna Schmidt <a@b.example>', 'a@b.example'],
  ['"Müller, Jürgen" <a@b.example>', 'a@b.example'],
  ['Müller, Jürgen <a@b.example>', 'a@b.example'],
  ['"Giant; \\"Big\\" Box" <a@b.example>', 'a@b.example'],
  ['Anna<a@b.example>', 'a@b.example'],
  ['<a@b.example>', 'a@b.example'],
  ['<<a@b.example>>', 'a@b.example'],
  ['< a@b.example >', 'a@b.example'],
  ['<a@b.example', 'a@b.example'],
  ['a@b.example>', 'a@b.example'],
  ['<a@b.example>;', 'a@b.example'],
  ['old@b.example <a@b.example>', 'a@b.example'],
  ['"old@b.example" <a@b.example>', 'a@b.example'],
  ['a@b.example;', 'a@b.example'],
  ['a@b.example,', 'a@b.example'],
  ['a@b.example.', 'a@b.example'],
  ['a@b.example ;,. ', 'a@b.example'],
  ['"a@b.example"', 'a@b.example'],
  ["'a@b.example'", 'a@b.example'],
  ['(a@b.example)', 'a@b.example'],
  ['a@b.example (Anna Schmidt)', 'a@b.example'],
  ['Anna Schmidt (a@b.example)', 'a@b.example'],
  ['Anna Schmidt [mailto:a@b.example]', 'a@b.example'],
  ['Anna Schmidt [mailto:a@b.example].', 'a@b.example'],
  ['mailto:a@b.example', 'a@b.example'],
  ['MAILTO:a@b.example', 'a@b.example'],
  ['<mailto:a@b.example>', 'a@b.example'],
  ['Anna <mailto:a@b.example?subject=x>', 'a@b.example'],
  ['mailto:a@b.example?subject=x', 'a@b.example'],
  ['mailto:a@b.example?cc=c@d.example,e@f.example&body=hello, world', 'a@b.example'],
  ['mailto:a%2Bnews%40b.example', 'a+news@b.example'],
  ['mailto:%22a%20b%22@b.example', '"a b"@b.example'],
  ['mailto:50%off@b.example', '50%off@b.example'],
  ['smtp:a@b.example', 'a@b.example'],
  ['E-Mail: a@b.example', 'a@b.example'],
  ['a@b.example, c@d.example', 'a@b.example'],
  ['a@b.example;c@d.example', 'a@b.example'],
  ['Anna <a@[192.0.2.1]>', 'a@[192.0.2.1]'],
  ['Anna <"a b"@b.example>', '"a b"@b.example'],
  ['Jürgen <jürgen@bücher.example>', 'jürgen@bücher.example'],
])('findAddress reads %j as %j', (text, address) => {
  expect(findAddress(text)).toBe(address)
})

test.each([
  '"a b"@b.example',
  '"a@x.example"@b.example',
  '"<a@x.example>"@b.example',
  '"mailto:a"@b.example',
  '"a, b"@b.example',
  "'a@b.example",
  '{a}@b.example',
  'a@[IPv6:2001:db8::1]',
])('findAddress leaves the address %j as it is', (address) => {
  expect(findAddress(address)).toBe(address)
  expect(findAddress(` ${address}\t`)).toBe(address)
})

test.each([
  '',
  'n/a',
  '@handle',
  'a@',
  'a @ b.example',
  'a@b,example',
  'a b@c.example', // may be the address of another person
  'a,b@c.example',
  'a;b@c.example',
  'write to a@b.example',
  'https://social.example/@a',
  '<>',
  'mailto:',
  'mailto:?subject=a@b.example',
  `Anna <${'a'.repeat(2_000)}@b.example>`,
])('findAddress finds no address in %j', (text) => {
  expect(findAddress(text)).toBeUndefined()
})

const inputs = makeInputs(7)
const INPUTS = Array.from({ length: 5_000 }, () => inputs.next().value)
const ADDRESSES = INPUTS.filter((text) => parseAddress(text).kind === 'address')
const WORDS = fc.stringMatching(/^[\p{L}\p{N} .'&-]{0,30}$/u)
const wrappable = fc.constantFrom(...ADDRESSES.map((text) => text.trim()).filter((text) => !/[<>]/.test(text)))

test('findAddress returns every address unchanged', () => {
  expect(ADDRESSES.length).toBeGreaterThan(500)
  for (const address of ADDRESSES) expect(findAddress(address)).toBe(address.trim())
})

test('findAddress returns the address behind any display name', () => {
  fc.assert(
    fc.property(wrappable, WORDS, fc.constantFrom('', ';', ',', '.', ' ;'), (address, name, end) => {
      expect(findAddress(`${name} <${address}>${end}`)).toBe(address)
      expect(findAddress(`"${name}, ${name}; x" <${address}>${end}`)).toBe(address)
    }),
    { numRuns: 2_000 },
  )
})

test('findAddress returns the address of any mailto URI', () => {
  fc.assert(
    fc.property(wrappable, fc.constantFrom('', '?subject=x', '?cc=c@d.example', '?a=b, c'), (address, fields) => {
      expect(findAddress(`mailto:${encodeURIComponent(address)}${fields}`)).toBe(address)
    }),
    { numRuns: 2_000 },
  )
})

test('findAddress returns nothing but texts that the parser accepts', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...INPUTS)), (text) => {
      const found = findAddress(text)
      if (found !== undefined) expect(parseAddress(found).kind).toBe('address')
      // The result of a result is itself, so that a job and its export agree on it.
      if (found !== undefined) expect(findAddress(found)).toBe(found)
    }),
    { numRuns: 2_000 },
  )
})

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
