import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SHAPES, shapeOf } from './shape.ts'

test.each([
  ['ada', 'word'],
  ['Ada+news', 'word'],
  ['al', 'initial'],
  ['ada.lovelace', 'word.word'],
  ['ADA.LOVELACE+x.y', 'word.word'],
  ['a.lovelace', 'initial.word'],
  ['ada.l', 'word.initial'],
  ['ada_lovelace', 'word_word'],
  ['ada-lovelace', 'word-word'],
  ['ada.king.lovelace', 'three words'],
  ['jürgen.müller', 'word.word'],
  ['ada1815', 'word and digits'],
  ['ada.lovelace2', 'words and digits'],
  ['0041791234567', 'digits'],
  ['a.b.c.d', 'other'],
  ['"odd one"', 'other'],
  ['x7q-99-k', 'other'],
  ['', 'other'],
])('%s is built as %s', (local, shape) => {
  expect(shapeOf(local)).toBe(shape)
})

test('every text has one shape, and its case makes no difference', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(SHAPES).toContain(shapeOf(text))
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z.]{1,20}$/), (text) => {
      expect(shapeOf(text.toUpperCase())).toBe(shapeOf(text))
    }),
  )
})
