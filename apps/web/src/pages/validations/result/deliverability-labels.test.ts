import { expect, test } from 'vitest'
import { chanceSentence, modelSentence, partLabel, scoreBreakdown, signalLabel } from './deliverability-labels.ts'
import { CATCH_ALL, testResult } from './test-result.ts'

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
])('signalLabel(%f) returns side %s', (logOdds, side, words) => {
  expect(signalLabel(logOdds)).toEqual({ side, words })
})

test('partLabel is neutral for the base rate of a catch-all domain', () => {
  const detected = { check: 'catch_all', outcome: 'detected', logOdds: 1.386, chance: 0.8 }
  expect(partLabel(detected, true)).toEqual({ side: 'neither', words: 'Base rate for catch-all domains: 80%.' })
  const greylisted = { check: 'recipient', outcome: 'greylisted', logOdds: -0.5, chance: 0.4 }
  expect(partLabel(greylisted, true)).toEqual({ side: 'neither', words: 'Base rate for this kind of result: 40%.' })
})

test('partLabel returns the effect of a conclusive base rate and of later findings', () => {
  const accepted = { check: 'recipient', outcome: 'accepted', logOdds: 4, chance: 0.98 }
  expect(partLabel(accepted, true)).toEqual({
    side: 'for',
    words: 'Strong positive signal. Base rate for this kind of result.',
  })
  const history = { check: 'domain_history', outcome: 'negative', logOdds: -0.6, chance: 0.7 }
  expect(partLabel(history, false)).toEqual({ side: 'against', words: 'Moderate negative signal.' })
})

const USED = { used: true, method: 'probity-local-1' }

test('modelSentence names the model when it was used', () => {
  const read = testResult({ ...CATCH_ALL, ai_enhancement: USED }, [['address_text', 'machine_like', -1]])
  expect(modelSentence(read)).toMatch(
    /^Deliverability adjusted by the model probity-local-1\. It evaluates only the text/,
  )
  const built = testResult({ ...CATCH_ALL, ai_enhancement: USED }, [
    ['address_text', 'abstained', 0],
    ['address_pattern', 'positive', 0.4],
  ])
  expect(modelSentence(built)).toMatch(
    /^Deliverability adjusted by the model probity-local-1\. The text of this local part was not scored/,
  )
})

test.each([
  ['abstained', 'address_text', 'abstained', /^Model not used\. The text of this local part was not scored/],
  ['had no effect', 'address_text', 'neutral', /no significant effect\.$/],
  ['is disabled for the provider', 'model', 'fallback', /^Model disabled for this provider/],
  ['was not used', 'catch_all', 'detected', /^Model not used\.$/],
])('modelSentence says when the model %s', (_, check, outcome, words) => {
  expect(modelSentence(testResult(CATCH_ALL, [[check, outcome]]))).toMatch(words)
})

test('modelSentence says that the model was not used when the checks are conclusive', () => {
  expect(modelSentence(testResult({}))).toBe('Model not used: the checks are conclusive.')
  expect(modelSentence(testResult({ status: 'invalid' }, [['address_text', 'machine_like']]))).toMatch(
    /the checks are conclusive/,
  )
})

const FOUR_TO_ONE = Math.log(4)

test('scoreBreakdown returns findings in order with the deliverability after each', () => {
  const result = testResult({ ...CATCH_ALL, deliverability: 0.5 }, [
    ['syntax', 'passed'],
    ['catch_all', 'detected', FOUR_TO_ONE],
    ['domain_history', 'positive', FOUR_TO_ONE],
    ['address_text', 'machine_like', -2 * FOUR_TO_ONE],
  ])
  const parts = scoreBreakdown(result)
  expect(parts.map(({ check }) => check)).toEqual(['catch_all', 'domain_history', 'address_text'])
  expect(parts.map(({ chance }) => chance)).toEqual([0.8, 16 / 17, 0.5].map((chance) => expect.closeTo(chance, 9)))
})

test('scoreBreakdown is empty when the log-odds do not add up to the deliverability', () => {
  const findings: Parameters<typeof testResult>[1] = [['catch_all', 'detected', FOUR_TO_ONE]]
  expect(scoreBreakdown(testResult({ ...CATCH_ALL, deliverability: 0.8 }, findings))).toHaveLength(1)
  expect(scoreBreakdown(testResult({ ...CATCH_ALL, deliverability: 0.81 }, findings))).toEqual([])
})

test('scoreBreakdown is empty without log-odds: in test mode and in old results', () => {
  expect(scoreBreakdown(testResult({}, [['sandbox', 'mapped']]))).toEqual([])
  expect(scoreBreakdown(testResult({ deliverability: undefined as never }, [['recipient', 'accepted']]))).toEqual([])
})
