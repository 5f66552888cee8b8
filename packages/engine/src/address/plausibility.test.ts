import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STRING_MODEL_DATA } from './data/string-model.ts'
import { looksMachineGenerated, plausibilityOf, STRING_MODEL } from './plausibility.ts'

test.each([
  ['josé.garcía', 'not_ascii'],
  ['иван', 'not_ascii'],
  ['12345678', 'all_digits'],
  ['138.0013.8000', 'all_digits'],
  ['7', 'all_digits'],
  ['', 'too_short'],
  ['...', 'too_short'],
  ['info', 'too_short'],
  ['j.d.k', 'too_short'],
  ['ab12', 'too_short'],
  ['b00123456', 'id_like'],
  ['abcd123', 'id_like'],
  ['12345678x', 'id_like'],
  ['21bce1234', 'id_like'],
  ['s1234567ab', 'id_like'],
])('plausibilityOf abstains on %j because of %s', (local, why) => {
  expect(plausibilityOf(local)).toEqual({ kind: 'abstained', why })
})

test.each(['maria', 'abcde123', 'abcd12', '123abc', '12345678abc', '4f2a91bc'])('plausibilityOf scores %j', (local) => {
  expect(plausibilityOf(local).kind).toBe('scored')
})

test.each([
  'john.smith',
  'm.kowalczyk',
  'krzysztof.szczepanski',
  'nguyenvanminh',
  'takahashi.yuki',
  'oluwaseun.adeyemi',
  'zhangwei88',
  'abdulrahman.alqahtani',
  'schmidt_1984',
  'customer.service',
])('plausibilityOf scores %j as chosen by a person', (local) => {
  expect(logitOf(local)).toBeGreaterThan(1)
})

test.each(['xkqjzvwpfh', 'k3j9x2m4vq8z', 'sdfkjhsdfkjh', '01hgw2bbg0vzkqxj4t8m', '9f86d081884c7d65', 'wqpzxnbvktrf'])(
  'looksMachineGenerated is true for %j',
  (local) => {
    expect(looksMachineGenerated(plausibilityOf(local))).toBe(true)
  },
)

test('looksMachineGenerated is false when the model abstains', () => {
  expect(looksMachineGenerated({ kind: 'abstained', why: 'id_like' })).toBe(false)
})

test('plausibilityOf never throws and stays within its bounds for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.stringMatching(/^[a-z0-9._+"-]{0,80}$/)),
      (text) => {
        const plausibility = plausibilityOf(text)
        if (plausibility.kind === 'scored') expect(Math.abs(plausibility.logit)).toBeLessThanOrEqual(6)
      },
    ),
    { numRuns: 500 },
  )
})

test('plausibilityOf ignores case, tag and quotes', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9._-]{1,60}$/), fc.string({ maxLength: 20 }), (local, tag) => {
      const plain = plausibilityOf(local)
      expect(plausibilityOf(local.toUpperCase())).toEqual(plain)
      expect(plausibilityOf(`${local}+${tag}`)).toEqual(plain)
      expect(plausibilityOf(`"${local}"`)).toEqual(plain)
    }),
  )
})

test('plausibilityOf does not depend on earlier strings', () => {
  const first = plausibilityOf('maria.lopez')
  plausibilityOf('xkqjzvwpfhxkqjzvwpfhxkqjzvwpfhxkqjzvwpfhxkqjzvwpfh')
  expect(plausibilityOf('maria.lopez')).toEqual(first)
})

test('the model has the hash of its weights', () => {
  const { gramScale, shapeScale, intercept, threshold, weights } = STRING_MODEL_DATA
  const numbers = JSON.stringify({ gramScale, shapeScale, intercept, threshold })
  expect(STRING_MODEL.hash).toBe(createHash('sha256').update(`${numbers}\n${weights}`).digest('hex'))
})

test.each(STRING_MODEL_DATA.examples)('plausibilityOf scores $text like the trainer', ({ text, logit }) => {
  expect(logitOf(text)).toBeCloseTo(Math.max(-6, Math.min(6, logit)), 5)
})

test('plausibilityOf takes less than 50 microseconds on a busy machine', {
  tags: ['timed'],
}, () => {
  const texts = Array.from({ length: 2000 }, (_, index) => `some.person${index}`)
  const rounds = Array.from({ length: 5 }, () => {
    const start = performance.now()
    for (const text of texts) plausibilityOf(text)
    return ((performance.now() - start) * 1000) / texts.length
  })
  expect(Math.min(...rounds)).toBeLessThan(50)
})

function logitOf(local: string): number {
  const plausibility = plausibilityOf(local)
  return plausibility.kind === 'scored' ? plausibility.logit : Number.NaN
}
