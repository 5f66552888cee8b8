import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { BULK_EXAMPLE, DEFERRED_EXAMPLE, VALID_EXAMPLE } from '../../constants/data/examples.ts'
import type { SubStatus } from '../../constants/validations.ts'
import { SUB_STATUSES } from '../../constants/validations.ts'
import { BulkRequest } from './bulk.ts'
import { SingleQuery, SingleRequest } from './single.ts'

test.each([
  [0, true],
  [1, true],
  [1000, true],
  [1001, false],
])('a list of %i addresses is accepted: %s', (length, taken) => {
  const emails = Array.from({ length }, (_, i) => `reader${i}@example.com`)
  expect(Value.Check(BulkRequest, { emails })).toBe(taken)
})

test.each([
  ['an address', true, 'ada@example.com'],
  ['text that is no address', true, 'not an address'],
  ['an empty text', true, ''],
  ['a text of 10,000 characters', true, 'a'.repeat(10_000)],
  ['a number', false, 7],
  ['null', false, null],
])('%s is accepted: %s', (_, taken, email) => {
  expect(Value.Check(SingleRequest, { email })).toBe(taken)
  expect(Value.Check(SingleQuery, { email })).toBe(taken)
  expect(Value.Check(BulkRequest, { emails: ['ada@example.com', email] })).toBe(taken)
})

test('the email is required', () => {
  expect(Value.Check(SingleRequest, {})).toBe(false)
  expect(Value.Check(SingleQuery, {})).toBe(false)
  expect(Value.Check(BulkRequest, {})).toBe(false)
})

test.each([
  ['single', SingleRequest, { email: 'ada@example.com' }, 30, 10],
  ['bulk', BulkRequest, { emails: ['ada@example.com'] }, 55, 20],
] as const)('a %s timeout is a whole number of seconds within its limits', (_, schema, body, longest, usual) => {
  expect(Value.Default(schema, { ...body })).toMatchObject({ ...body, timeout: usual })
  for (const timeout of [1, longest]) expect(Value.Check(schema, { ...body, timeout })).toBe(true)
  for (const timeout of [0, 1.5, longest + 1]) expect(Value.Check(schema, { ...body, timeout })).toBe(false)
})

test('example verdicts are consistent', () => {
  for (const result of [VALID_EXAMPLE, DEFERRED_EXAMPLE, ...BULK_EXAMPLE.results]) {
    expect(SUB_STATUSES[result.sub_status as SubStatus].status).toBe(result.status)
    expect(result.is_valid).toBe(result.status === 'valid')
  }
})

test('the counts of the example summary add up', () => {
  const { total, valid_count, invalid_count, risky_count, unknown_count, duplicate_count, results } = BULK_EXAMPLE
  expect(valid_count + invalid_count + risky_count + unknown_count).toBe(results.length)
  expect(results.length + duplicate_count).toBe(total)
  expect(BULK_EXAMPLE.credits_used).toBe(results.length)
})
