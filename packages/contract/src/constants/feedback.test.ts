import { expect, test } from 'vitest'
import { BOUNCE_CODES } from './data/bounce-codes.ts'
import { isMailboxBounce } from './feedback.ts'

test.each(BOUNCE_CODES)('$code counts: $counts, in its example line and alone', ({ code, counts, seen }) => {
  expect(isMailboxBounce(seen)).toBe(counts)
  expect(isMailboxBounce(code.replaceAll('x', '0'))).toBe(counts)
})

test.each(BOUNCE_CODES)('no row before $code matches its example line', ({ code, seen }) => {
  const digits = code.replaceAll('x', '\\d+').replaceAll('.', '\\.')
  expect(seen).toMatch(new RegExp(code.includes('.') ? `\\b${digits}\\b` : `^${code.replaceAll('x', '\\d')}`))
})

test.each([
  ['5.1.1', true],
  ['550-5.1.1 The email account that you tried to reach does not exist.', true],
  ['smtp; 550 #5.1.0 Address rejected.', false],
  ['smtp; 550 5.1.1 <x>: Recipient address rejected', true],
  ['5.1.10', true],
  ['5.1.100', false],
  ['5.1.1.2', false],
  ['550 Blocked, see 192.5.1.1', false],
  ['551 5.7.1 Relaying denied', false],
  ['450 5.1.1 User unknown', false],
  ['450 4.1.1 Recipient address rejected: unverified address', false],
  ['550 mailbox unavailable', false],
  ['550', false],
  ['551', true],
  ['5511', false],
  ['55', false],
  ['user unknown', false],
  ['', false],
  [undefined, false],
])('%j counts: %j', (text, counts) => {
  expect(isMailboxBounce(text)).toBe(counts)
})
