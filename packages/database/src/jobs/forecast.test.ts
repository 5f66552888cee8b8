import { expect, test } from 'vitest'
import { forecast, rateOf } from './present-job.ts'

const now = new Date('2026-11-02T12:00:00.000Z')
const minutes = (n: number) => new Date(now.getTime() + n * 60_000)

/** A job that has run for ten minutes and finished 600 of its 1,000 addresses in the last one. */
const BUSY = {
  mode: 'live' as const,
  state: 'processing' as const,
  pausedAt: null,
  startedAt: minutes(-10),
  uniqueCount: 1_000,
  doneCount: 700,
  recentCount: 600,
  waiting: [],
  slowUntil: null,
  now,
}

test.each([
  ['over the last minute', BUSY, 10],
  ['since the start, if that was less than a minute ago', { ...BUSY, startedAt: minutes(-0.5) }, 20],
  ['over a second at least', { ...BUSY, doneCount: 30, startedAt: now }, 30],
  ['finished addresses only, if batches ended with deferred ones', { ...BUSY, doneCount: 120 }, 2],
  ['nothing before the start', { ...BUSY, startedAt: null }, 0],
  ['nothing while the job is planned', { ...BUSY, state: 'planning' as const }, 0],
  ['nothing after the end', { ...BUSY, state: 'completed' as const }, 0],
])('the rate counts %s', (_, job, rate) => {
  expect(rateOf(job)).toBe(rate)
})

const waiting = (count: number, from: number, until: number, last = 81) => [
  { reason: 'greylisted', count, from: minutes(from), until: minutes(until), lastAt: minutes(last) },
]

test.each([
  ['the rest takes the current rate, or half of it', BUSY, [0.5, 1]],
  [
    'deferred addresses end with their next retry, or with their last attempt',
    { ...BUSY, waiting: waiting(60, 5, 9) },
    [9, 81],
  ],
  ['deferred addresses alone need no rate', { ...BUSY, recentCount: 0, waiting: waiting(300, 5, 9) }, [9, 81]],
  ['a slow mail server may take longer than the others', { ...BUSY, slowUntil: minutes(2) }, [0.5, 2]],
  ['an address that was slow and has a result is not waited for', { ...BUSY, slowUntil: minutes(-2) }, [0.5, 1]],
  [
    'throttled addresses are part of the rest',
    { ...BUSY, waiting: waiting(60, 0.1, 0.2, 0.2).map((one) => ({ ...one, reason: 'throttled' })) },
    [0.5, 1],
  ],
  [
    'addresses that are being retried end now, or with their last attempt',
    { ...BUSY, recentCount: 0, waiting: waiting(300, -2, -1) },
    [0, 81],
  ],
  ['addresses without another attempt end with this one', { ...BUSY, waiting: waiting(60, 5, 90, 90) }, [90, 90]],
  [
    'in test mode nothing takes longer than a minute',
    { ...BUSY, mode: 'test' as const, waiting: waiting(60, 5, 9) },
    [1, 1],
  ],
  [
    'many addresses take longer than the last attempt',
    { ...BUSY, uniqueCount: 72_760, waiting: waiting(60, 5, 9) },
    [120, 240],
  ],
])('%s', (_, job, [earliest, latest]) => {
  expect(forecast(job)).toEqual({
    earliest_at: minutes(earliest ?? 0).toISOString(),
    latest_at: minutes(latest ?? 0).toISOString(),
  })
})

test.each([
  ['there was no result in the last minute', { ...BUSY, recentCount: 0 }],
  ['it is queued', { ...BUSY, state: 'queued' as const }],
  ['it is paused', { ...BUSY, pausedAt: now }],
  ['it has ended', { ...BUSY, state: 'canceled' as const }],
])('there is no forecast when %s', (_, job) => {
  expect(forecast(job)).toBeNull()
})
