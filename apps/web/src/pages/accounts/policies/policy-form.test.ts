import { BUILT_IN_POLICIES } from '@probity/contract/constants/data/policies'
import { decideByPolicy, findBuiltInPolicy, type PolicyInput } from '@probity/contract/constants/policies'
import type { Policy } from '@probity/sdk'
import { expect, test } from 'vitest'
import { EMPTY_RULE, freeName, isEmptyWhen, readDeliverability, readRules, valuesOf } from './policy-form.ts'

test.each(Object.keys(BUILT_IN_POLICIES))('readRules reverses valuesOf for the policy %s', (name) => {
  const policy = { name, is_built_in: true, ...findBuiltInPolicy(name) } as Policy
  const { rules, default: otherwise } = policy
  expect(readRules(valuesOf(policy, 'copy'))).toEqual({ rules, default: otherwise })
})

test.each([
  ['', undefined],
  ['0', 0],
  ['100', 1],
  ['.5', 0.005],
  ['97,5', 0.975],
  [' 57 ', 0.57],
  ['100.0', 1],
  ['0.0001', 0.000001],
  ['100.5', undefined],
  ['-1', undefined],
  ['0.12345', undefined],
  ['half', undefined],
])('readDeliverability(%j) returns %s', (typed, deliverability) => {
  expect(readDeliverability(typed)).toBe(deliverability)
})

test('isEmptyWhen is true only for a rule without conditions', () => {
  expect(isEmptyWhen(EMPTY_RULE)).toBe(true)
  expect(isEmptyWhen({ ...EMPTY_RULE, deliverability_below: '0' })).toBe(false)
  expect(isEmptyWhen({ ...EMPTY_RULE, safe_to_send: 'false' })).toBe(false)
})

test('readRules returns rules that decide like the saved policy', () => {
  const values = { rules: [{ ...EMPTY_RULE, status: ['risky'], reason: ' Wait. ' }], default: ALLOW }
  const result = { status: 'risky', deliverability: 0.5 } as PolicyInput
  expect(decideByPolicy({ name: 'x', ...readRules(values) }, result)).toEqual({
    name: 'x',
    decision: 'review',
    reason: 'Wait.',
    rule: 1,
  })
})

const ALLOW = { decision: 'allow' as const, reason: 'Fine.' }

test('freeName returns an unused name for a copy', () => {
  expect(freeName('signup', [])).toBe('signup-copy')
  expect(freeName('signup', [{ name: 'signup-copy' }])).toBe('signup-copy-2')
  expect(freeName('signup', [{ name: 'signup-copy' }, { name: 'signup-copy-2' }])).toBe('signup-copy-3')
  expect(freeName('a'.repeat(50), [])).toHaveLength(45)
})
