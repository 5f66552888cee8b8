import { expect, test } from 'vitest'
import { JOB_EXAMPLE } from '../data/examples.ts'
import { describeCharge, describeLines, describeTimeLeft, type JobTime, readTimeLeft } from './jobs.ts'

const NOW = Date.parse('2026-11-02T12:00:00.000Z')
const READER = { now: NOW, timeZone: 'UTC' }
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

/** 10,000 addresses at 10 per second, of which some have a result. */
const running = (changes: Partial<JobTime> = {}): JobTime => ({
  ...JOB_EXAMPLE,
  rate_per_s: 10,
  eta: { earliest_at: after(60), latest_at: after(120) },
  deferred: [],
  ...changes,
})
const deferred = (count: number, lastS: number, reason = 'greylisted') => ({
  reason,
  count,
  retry_at: after(30),
  last_retry_at: after(lastS),
})
const within = (earliestS: number, latestS: number) =>
  running({ eta: { earliest_at: after(earliestS), latest_at: after(latestS) } })

test.each([
  [{ charged: 85, refunded: 120 }, '85 credits charged, 120 refunded for unknown results'],
  [{ charged: 1, refunded: 0 }, '1 credit charged'],
  [{ charged: 0, refunded: 1_200 }, '0 credits charged, 1,200 refunded for unknown results'],
])('describeCharge names one number for %j', (credits, text) => {
  expect(describeCharge(credits)).toBe(text)
})

const NO_LINES = {
  ...{ line_count: 0, extra_address_count: 0, blank_count: 0, empty_count: 0, not_address_count: 0 },
  ...{ left_out_count: 0, duplicate_count: 0, unique_count: 0 },
}
const MESSY = {
  ...{ line_count: 2_000, extra_address_count: 0, blank_count: 40, empty_count: 50, not_address_count: 7 },
  ...{ left_out_count: 12, duplicate_count: 247, unique_count: 1_644 },
}
const SECOND = { line_count: 1, extra_address_count: 1, left_out_count: 1, unique_count: 1 }

test.each([
  [
    { ...MESSY, several_addresses: 'all' as const },
    '2,000 lines: 40 blank, 57 without an address, 12 malformed, 247 duplicates, 1,644 validated',
  ],
  [MESSY, '2,000 lines: 40 blank, 57 without an address, 12 left out, 247 duplicates, 1,644 validated'],
  [
    { ...MESSY, extra_address_count: 18, unique_count: 1_662 },
    '2,000 lines and 18 second addresses: 40 blank, 57 without an address, 12 left out, 247 duplicates, 1,662 validated',
  ],
  [{ ...SECOND, several_addresses: 'first' as const }, '1 line and 1 second address: 1 left out, 1 validated'],
  [{ line_count: 2, duplicate_count: 1, unique_count: 1 }, '2 lines: 1 duplicate, 1 validated'],
  [{ line_count: 1, blank_count: 1 }, '1 line: 1 blank, 0 validated'],
  [{ line_count: 5, blank_count: 1, unique_count: 4, done_count: 0 }, '5 lines: 1 blank, 4 to validate'],
  [{ line_count: 4, unique_count: 4, done_count: 3 }, '4 lines: 3 validated, 1 to validate'],
  [{ line_count: 4, unique_count: 4, done_count: 3, finished_at: after(0) }, '4 lines: 3 validated, 1 not validated'],
])('describeLines names every part that is not zero of %j', (counts, text) => {
  expect(describeLines({ ...NO_LINES, ...counts })).toBe(text)
})

test.each([
  [0, 0, 'about 5 s left'],
  [3, 6, 'about 5 s left'],
  [11, 22, 'about 15 s left'],
  [82, 164, 'about 85 s left'],
  [89, 178, 'about 1 minute left'],
  [600, 1_200, 'about 10 minutes left'],
  [5_400, 10_800, 'about 90 minutes left'],
  [10_000, 20_000, 'about 3 hours left'],
  [333_000, 666_000, 'about 4 days left'],
  [0.4, 35, 'up to 35 s left'],
  [0, 58, 'up to 60 s left'],
  [-20, -5, 'about 5 s left'],
])('the time left is taken from an eta of %f to %f seconds: %s', (earliest, latest, text) => {
  expect(describeTimeLeft(within(earliest, latest), READER)).toBe(text)
})

test('the first seconds of test mode are less than a minute', () => {
  expect(describeTimeLeft({ ...within(60, 60), livemode: false }, READER)).toBe('less than a minute left')
  expect(describeTimeLeft({ ...within(10, 20), livemode: false }, READER)).toBe('about 10 s left')
})

test('a job without an eta says so', () => {
  expect(describeTimeLeft(running({ eta: null }), READER)).toBe('time left not yet known')
})

test.each([
  [{ status: 'paused', eta: null }, 'paused'],
  [{ status: 'paused', eta: null, deferred: [deferred(8, 4_860)] }, 'paused'],
  [{ delay_reason: 'no_worker', deferred: [deferred(8, 4_860)] }, 'waiting for a worker'],
  [{ status: 'paused', delay_reason: 'under_review' }, 'waiting for a review by an operator'],
  [{ delay_reason: 'a_new_reason' }, 'waiting (a new reason)'],
])('a job without progress says why: %j', (changes, text) => {
  expect(describeTimeLeft(running(changes), READER)).toBe(text)
})

test('a job that has ended has no time left', () => {
  const ended = running({ finished_at: after(-5), deferred: [deferred(8, 4_860)] })
  expect(describeTimeLeft(ended, READER)).toBeUndefined()
})

test.each([
  ['the addresses that wait, once only these remain', 9_992, 'at the latest 13:21'],
  ['no time for work that takes a few seconds, as while addresses are retried', 9_920, 'at the latest 13:21'],
])('the line has %s', (_, done, end) => {
  const job = running({ done_count: done, deferred: [deferred(8, 4_860, 'timeout')] })
  expect(describeTimeLeft(job, READER)).toBe(`8 addresses wait for slow servers, ${end}`)
})

test('the line has the time for the work and the addresses that wait', () => {
  const job = running({ done_count: 9_880, deferred: [deferred(8, 4_860, 'timeout')] })
  expect(describeTimeLeft(job, READER)).toBe('about 15 s left; 8 addresses wait for slow servers, at the latest 13:21')
  expect(readTimeLeft(job, READER).work).toBe('about 15 s left')
})

test('addresses that wait are left out while the work takes longer', () => {
  const job = running({ done_count: 1_000, rate_per_s: 1, deferred: [deferred(8, 4_860)] })
  expect(describeTimeLeft(job, READER)).toBe('about 2 hours left')
})

test.each([
  [['greylisted'], 'greylisting servers'],
  [['timeout'], 'slow servers'],
  [['timeout', 'connection_failed'], 'slow servers'],
  [['rate_limited'], 'servers that limit our rate'],
  [['blocked'], 'servers that block us'],
  [['dns_failed'], 'DNS servers'],
  [['mailbox_full'], 'full mailboxes'],
  [['greylisted', 'timeout'], 'slow servers'],
  [['a_new_reason'], 'slow servers'],
])('addresses deferred as %j wait for %s', (reasons, cause) => {
  const groups = reasons.map((reason, n) => deferred(4, 4_860 - n, reason))
  const job = running({ done_count: 9_990, deferred: groups })
  expect(describeTimeLeft(job, READER)).toContain(` for ${cause}, at the latest 13:21`)
})

test('one address waits, not wait', () => {
  const job = running({ done_count: 9_999, deferred: [deferred(1, 30)] })
  expect(describeTimeLeft(job, READER)).toBe('1 address waits for greylisting servers, at the latest 12:01')
})

test('throttled addresses are part of the work', () => {
  const job = running({ done_count: 9_000, deferred: [deferred(340, 5, 'throttled')] })
  expect(describeTimeLeft(job, READER)).toBe('about 60 s left')
  expect(describeTimeLeft({ ...job, eta: null }, READER)).toBe('340 addresses delayed by the rate limiter')
})

test.each([
  ['UTC', '13:21'],
  ['Europe/Berlin', '14:21'],
  ['Asia/Kolkata', '18:51'],
  ['Pacific/Auckland', '02:21'], // it is 3 November there already
])('the latest time is local in %s: %s', (timeZone, clock) => {
  const job = running({ done_count: 9_992, deferred: [deferred(8, 4_860)] })
  expect(describeTimeLeft(job, { now: NOW, timeZone })).toMatch(new RegExp(`at the latest ${clock}$`))
})

test.each([
  ['UTC', '3 Nov, 01:00'],
  ['America/New_York', '20:00'],
  ['Asia/Tokyo', '3 Nov, 10:00'],
  ['Pacific/Auckland', '14:00'],
])('the latest time has the day if that is another one in %s: %s', (timeZone, time) => {
  const job = running({ done_count: 9_992, deferred: [deferred(8, 13 * 3_600)] })
  expect(describeTimeLeft(job, { now: NOW, timeZone })).toMatch(new RegExp(`at the latest ${time}$`))
})

test('the latest time is not in the past', () => {
  const job = running({ done_count: 9_992, deferred: [deferred(8, -600)] })
  expect(describeTimeLeft(job, { now: NOW + 1, timeZone: 'UTC' })).toMatch(/at the latest 12:01$/)
})
