import { expect, test } from 'vitest'
import { modelSentence } from './model-sentence.ts'
import { CATCH_ALL, testResult } from './test-result.ts'

const USED = { used: true, method: 'probity-local-1' }

test('it is said by name when the model took part', () => {
  const read = testResult({ ...CATCH_ALL, ai_enhancement: USED }, [['address_text', 'machine_like', -1]])
  expect(modelSentence(read)).toMatch(/^The model probity-local-1 took part\. It knows the text/)
  const built = testResult({ ...CATCH_ALL, ai_enhancement: USED }, [
    ['address_text', 'abstained', 0],
    ['address_pattern', 'positive', 0.4],
  ])
  expect(modelSentence(built)).toMatch(/^The model probity-local-1 took part\. It kept silent on the text/)
})

test.each([
  ['kept silent', 'address_text', 'abstained', /^No model took part\. It kept silent/],
  ['found little', 'address_text', 'neutral', /found little to say\.$/],
  ['has been wrong too often', 'model', 'fallback', /^The model has no say here/],
  ['was not asked', 'catch_all', 'detected', /^No model took part\.$/],
])('it is said when the model %s', (_, check, outcome, words) => {
  expect(modelSentence(testResult(CATCH_ALL, [[check, outcome]]))).toMatch(words)
})

test('where the checks decided, no model is given the credit', () => {
  expect(modelSentence(testResult({}))).toBe('No model took part: the checks decided.')
  expect(modelSentence(testResult({ status: 'invalid' }, [['address_text', 'machine_like']]))).toMatch(
    /the checks decided/,
  )
})
