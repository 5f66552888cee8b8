import { expect, test } from 'vitest'
import { formatCharge } from './format.ts'

test('formatCharge shows the credits of live requests and none for test mode', () => {
  expect(formatCharge(1, true)).toBe('1 credit')
  expect(formatCharge(0, true)).toBe('0 credits')
  expect(formatCharge(0, false)).toBe('Free in test mode')
})
