import { expect, test } from 'vitest'
import { chanceSentence, leaningOf } from './chance-words.ts'

test.each([
  [0.8, 'Of 100 such messages, about 80 would not bounce.'],
  [0.95, 'Of 100 such messages, about 95 would not bounce.'],
  [0.05, 'Of 100 such messages, about 5 would not bounce.'],
  [0.985, 'Of 1,000 such messages, about 985 would not bounce.'],
  [0.9984, 'Of 1,000 such messages, about 998 would not bounce.'],
  [0.01, 'Of 1,000 such messages, about 10 would not bounce.'],
])('a chance of %f: %s', (p, sentence) => {
  expect(chanceSentence(p)).toBe(sentence)
})

test('not even the surest chance is told as if it were certain', () => {
  expect(chanceSentence(0.999)).toBe(
    'Of 1,000 such messages, about 999 would not bounce. More than that nobody can promise.',
  )
  expect(chanceSentence(0.001)).toBe('Of 1,000 such messages, hardly one would not bounce.')
})

test.each([
  [2, 'for', 'Speaks strongly for the address.'],
  [0.6, 'for', 'Speaks somewhat for the address.'],
  [0.06, 'for', 'Speaks slightly for the address.'],
  [-0.06, 'against', 'Speaks slightly against the address.'],
  [-4.6, 'against', 'Speaks strongly against the address.'],
  [-0.04, 'neither', 'Says little either way.'],
])('%f log-odds speak %s', (logOdds, side, words) => {
  expect(leaningOf(logOdds)).toEqual({ side, words })
})
