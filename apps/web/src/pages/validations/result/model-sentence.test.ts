import { expect, test } from 'vitest'
import { modelSentence } from './model-sentence.ts'
import { CATCH_ALL, testResult } from './test-result.ts'

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
