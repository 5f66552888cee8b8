import { expect, test } from 'vitest'
import { CATCH_ALL, testResult } from './test-result.ts'
import { weighedParts } from './weighed-parts.ts'

const FOUR_TO_ONE = Math.log(4)

test('weighedParts returns findings in order with the deliverability after each', () => {
  const result = testResult({ ...CATCH_ALL, deliverability: 0.5 }, [
    ['syntax', 'passed'],
    ['catch_all', 'detected', FOUR_TO_ONE],
    ['domain_history', 'positive', FOUR_TO_ONE],
    ['address_text', 'machine_like', -2 * FOUR_TO_ONE],
  ])
  const parts = weighedParts(result)
  expect(parts.map(({ check }) => check)).toEqual(['catch_all', 'domain_history', 'address_text'])
  expect(parts.map(({ chance }) => chance)).toEqual([0.8, 16 / 17, 0.5].map((chance) => expect.closeTo(chance, 9)))
})

test('weighedParts is empty when the log-odds do not add up to the deliverability', () => {
  const findings: Parameters<typeof testResult>[1] = [['catch_all', 'detected', FOUR_TO_ONE]]
  expect(weighedParts(testResult({ ...CATCH_ALL, deliverability: 0.8 }, findings))).toHaveLength(1)
  expect(weighedParts(testResult({ ...CATCH_ALL, deliverability: 0.81 }, findings))).toEqual([])
})

test('weighedParts is empty without log-odds: in test mode and in old results', () => {
  expect(weighedParts(testResult({}, [['sandbox', 'mapped']]))).toEqual([])
  expect(weighedParts(testResult({ deliverability: undefined as never }, [['recipient', 'accepted']]))).toEqual([])
})
