import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import type { BulkJob } from '@probity/sdk'
import { expect, test } from 'vitest'
import { outcomeOf, stageOf, stagesOf, timeLeft, waitingTail, whyWaiting } from './job-labels.ts'

const NOW = Date.parse('2026-11-02T12:00:00.000Z')
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

test('outcomeOf lists the verdicts and unknown results that were not charged', () => {
  const job = { ...JOB_EXAMPLE, status_counts: { valid: 8214, risky: 1140, invalid: 611, unknown: 413 } }
  const refunded = { ...job, credits: { reserved: 0, used: 10378, refunded: 413 } }
  expect(outcomeOf(refunded)).toBe(
    '10,378 addresses validated: 8,214 valid, 1,140 risky, 611 invalid, 413 unknown (not charged).',
  )
  expect(outcomeOf(job)).toMatch(/413 unknown\.$/)
  expect(outcomeOf({ ...refunded, livemode: false })).toMatch(/413 unknown\.$/)
  const none = { valid: 0, risky: 0, invalid: 0, unknown: 0 }
  expect(outcomeOf({ ...job, status_counts: { ...none, valid: 1 } })).toBe('1 address validated: 1 valid.')
  expect(outcomeOf({ ...job, status_counts: none })).toBe('No results yet.')
})

/** 10,000 addresses, of which some have a result and some are deferred. */
const running = (changes: Partial<BulkJob>): BulkJob => ({ ...JOB_EXAMPLE, deferred: [], ...changes })
const deferred = (count: number, seconds: number) => [
  { reason: 'greylisted', count, retry_at: after(30), last_retry_at: after(seconds) },
]

test.each([
  [9_970, 10, 'A few seconds'],
  [9_800, 10, 'About 20 s'],
  [9_180, 10, 'About 85 s'],
  [4_000, 10, 'About 10 minutes'],
  [0, 1, 'About 3 hours'],
  [0, 0.03, 'About 4 days'],
])('timeLeft with %i results at %f per second is %s', (done, rate, words) => {
  expect(timeLeft(running({ done_count: done, rate_per_s: rate }))).toBe(words)
})

test('timeLeft does not count deferred addresses', () => {
  const job = running({ done_count: 9_773, rate_per_s: 10, deferred: deferred(27, 4_860) })
  expect(timeLeft(job)).toBe('About 20 s')
  expect(timeLeft({ ...job, done_count: 9_973 })).toBeUndefined()
})

test('timeLeft is undefined without a rate, and never more than a minute in test mode', () => {
  expect(timeLeft(running({ rate_per_s: 0 }))).toBeUndefined()
  expect(timeLeft(running({ livemode: false, done_count: 10, rate_per_s: 5 }))).toBe('Less than a minute')
})

test('waitingTail names the deferred addresses and their last attempt', () => {
  expect(waitingTail(running({ deferred: deferred(27, 4_860) }), NOW)).toMatch(
    /^27 addresses wait for their servers; the last attempt is at \d\d:\d\d\.$/,
  )
  expect(waitingTail(running({ deferred: deferred(1, 90_000) }), NOW)).toMatch(
    /^1 address waits for its server; the last attempt is on 3 Nov 2026, \d\d:\d\d\.$/,
  )
  expect(waitingTail(running({}), NOW)).toBeUndefined()
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

test('stagesOf counts the retried addresses while only these remain', () => {
  expect(stagesOf({ ...JOB_EXAMPLE, done_count: 9_688 })).toEqual([
    'Queued',
    'Planning',
    'Validating · 312 retrying',
    'Completed',
  ])
  expect(stagesOf({ ...JOB_EXAMPLE, done_count: 9_690, deferred: [] })[2]).toBe('Validating')
})
