import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatKey, formatKeyHint, isWellFormedKey, KEY_ALPHABET, KEY_PATTERN } from './keys.ts'

const secret = fc.string({ unit: fc.constantFrom(...KEY_ALPHABET), minLength: 32, maxLength: 32 })
const key = fc.tuple(fc.constantFrom('live', 'test', 'pub'), secret).map(([prefix, text]) => formatKey(prefix, text))

test('a key ends with the CRC-32 of the text before it, as zlib computes it', () => {
  fc.assert(
    fc.property(key, (text) => {
      const digits = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + KEY_ALPHABET.indexOf(digit), 0)
      expect(digits).toBe(crc32(text.slice(0, -6)))
      expect(isWellFormedKey(text)).toBe(true)
    }),
  )
})

test('a million mistyped keys are rejected by their checksum alone', () => {
  const original = formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')
  const typed = [...original]
  let seed = 1
  const below = (bound: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff // the same million in every run
    return seed % bound
  }
  let accepted = 0
  for (let tried = 0; tried < 1_000_000; tried++) {
    const at = [8 + below(38), 8 + below(38)]
    for (const place of at) typed[place] = KEY_ALPHABET.charAt(below(62))
    const text = typed.join('')
    if (text !== original && isWellFormedKey(text)) accepted++
    for (const place of at) typed[place] = original.charAt(place)
  }
  expect(accepted).toBe(0)
})

test('a text that is not a key is rejected', () => {
  const whole = formatKey('test', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')
  for (const text of [
    '',
    'pb_live_',
    whole.slice(1),
    `${whole}0`,
    whole.replace('test', 'live'),
    whole.toUpperCase(),
  ]) {
    expect(isWellFormedKey(text)).toBe(false)
  }
})

test('a key is found in running text, and its hint reveals four characters', () => {
  for (const prefix of ['live', 'test', 'pub'] as const) {
    const whole = formatKey(prefix, 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')
    expect(`{"x":"${whole}"}`.match(KEY_PATTERN)).toEqual([whole])
    expect(formatKeyHint(whole)).toBe(`pb_${prefix}_…${whole.slice(-4)}`)
  }
})
