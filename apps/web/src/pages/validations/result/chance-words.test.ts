import { expect, test } from 'vitest'
import { chanceSentence, leaningOf } from './chance-words.ts'

test.each([
  [0.8, 'Estimated deliverability: 80% (about 80 of 100 messages do not bounce).'],
  [0.95, 'Estimated deliverability: 95% (about 95 of 100 messages do not bounce).'],
  [0.05, 'Estimated deliverability: 5% (about 5 of 100 messages do not bounce).'],
  [0.985, 'Estimated deliverability: 98.5% (about 985 of 1,000 messages do not bounce).'],
  [0.9984, 'Estimated deliverability: 99.8% (about 998 of 1,000 messages do not bounce).'],
  [0.01, 'Estimated deliverability: 1% (about 10 of 1,000 messages do not bounce).'],
])('chanceSentence(%f) returns %s', (p, sentence) => {
  expect(chanceSentence(p)).toBe(sentence)
})

test('chanceSentence never claims certainty at the bounds', () => {
  expect(chanceSentence(0.999)).toBe(
    'Estimated deliverability: 99.9% (about 999 of 1,000 messages do not bounce). This is the highest value that is reported.',
  )
  expect(chanceSentence(0.001)).toBe('Estimated deliverability: 0.1% or less.')
})

test.each([
  [2, 'for', 'Strong positive signal.'],
  [0.6, 'for', 'Moderate positive signal.'],
  [0.06, 'for', 'Slight positive signal.'],
  [-0.06, 'against', 'Slight negative signal.'],
  [-4.6, 'against', 'Strong negative signal.'],
  [-0.04, 'neither', 'Neutral.'],
])('leaningOf(%f) returns side %s', (logOdds, side, words) => {
  expect(leaningOf(logOdds)).toEqual({ side, words })
})
