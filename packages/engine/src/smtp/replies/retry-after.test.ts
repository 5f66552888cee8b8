import { expect, test } from 'vitest'
import { findRetryAfterMs } from './retry-after.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

test.each([
  ['Greylisted, see http://postgrey.schweikert.ch/help/example.com.html; retry in 300 seconds', 5 * MINUTE],
  ['Please try again in 5 minutes', 5 * MINUTE],
  ['try again after 1 hour', HOUR],
  ['wait 90s', 90_000],
  ['WAIT 10 MIN', 10 * MINUTE],
  ['come back in 2 hrs', 2 * HOUR],
  ['deferred for 15 min.', 15 * MINUTE],
  ['Your server is blocked for 1 day', 24 * HOUR],
  ['you have to let 30 seconds pass before you retry', 30_000],
  ['greylisted: 4-minute delay', 4 * MINUTE],
  ['greylisting in action, try again in 04:59', 299_000],
  ['please wait 00:05:00', 5 * MINUTE],
  ['retry after 1:00:00 please', HOUR],
  ['Greylisted (300)', 5 * MINUTE],
  ['please try again later (60)', MINUTE],
  ['retry in 0 seconds', 1_000],
  ['retry in 999999 hours', 24 * HOUR],
])('findRetryAfterMs reads %s', (text, ms) => {
  expect(findRetryAfterMs(text)).toBe(ms)
})

test.each([
  'try again later',
  'User unknown (300)',
  'too many connections for 203.0.113.7',
  'try again after 12 messages',
  'try again at 12:30',
  'wait for 2001:db8:12:30::1',
  'mailbox of 5 megabytes is full',
  'see https://example.com/after/300',
  '',
])('findRetryAfterMs finds no time in %j', (text) => {
  expect(findRetryAfterMs(text)).toBe(null)
})
