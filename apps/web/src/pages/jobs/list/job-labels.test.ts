import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import { expect, test } from 'vitest'
import { outcomeOf, stageOf, timeLeft, whyWaiting } from './job-labels.ts'

const NOW = Date.parse('2026-11-02T12:00:00.000Z')
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

test('outcomeOf lists the verdicts and unknown results that were not charged', () => {
  const job = { ...JOB_EXAMPLE, status_counts: { valid: 8214, risky: 1140, invalid: 611, unknown: 413 } }
  const refunded = { ...job, credits: { reserved: 0, used: 10378, refunded: 413, charged: 9965 } }
  expect(outcomeOf(refunded)).toBe(
    '10,378 addresses validated: 8,214 valid, 1,140 risky, 611 invalid, 413 unknown (not charged).',
  )
  expect(outcomeOf(job)).toMatch(/413 unknown\.$/)
  expect(outcomeOf({ ...refunded, livemode: false })).toMatch(/413 unknown\.$/)
  const none = { valid: 0, risky: 0, invalid: 0, unknown: 0 }
  expect(outcomeOf({ ...job, status_counts: { ...none, valid: 1 } })).toBe('1 address validated: 1 valid.')
  expect(outcomeOf({ ...job, status_counts: none })).toBe('No results yet.')
})

test('timeLeft is one line with the local time of the reader', () => {
  const waiting = { reason: 'timeout', count: 8, retry_at: after(30), last_retry_at: after(4_860) }
  expect(timeLeft({ ...JOB_EXAMPLE, deferred: [waiting] }, NOW)).toMatch(
    /^About 70 s left; 8 addresses wait for slow servers, at the latest \d\d:\d\d$/,
  )
  expect(timeLeft({ ...JOB_EXAMPLE, finished_at: after(0) }, NOW)).toBeUndefined()
})

test('whyWaiting gives the reason and the time of the next retry', () => {
  expect(
    whyWaiting({ reason: 'greylisted', count: 312, retry_at: after(300), last_retry_at: after(4_860) }, NOW),
  ).toMatch(/^312 addresses deferred: greylisted by the mail server\. Next retry \d\d:\d\d\.$/)
  expect(whyWaiting({ reason: 'a_new_reason', count: 1, retry_at: after(-5), last_retry_at: after(-5) }, NOW)).toBe(
    '1 address deferred: a new reason. Retrying soon.',
  )
})

test.each([
  ['queued', {}, 0],
  ['planning', {}, 1],
  ['processing', { deferred: [] }, 2],
  ['processing', { done_count: 9_688 }, 2],
  ['paused', { started_at: null }, 0],
  ['a_new_state', { deferred: [] }, 2],
  ['completed', { finished_at: after(0) }, 4],
])('stageOf a list that is %s %j is %i', (status, changes, stage) => {
  expect(stageOf({ ...JOB_EXAMPLE, status, ...changes })).toBe(stage)
})
