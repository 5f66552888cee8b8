import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import type { BulkJob } from '@probity/sdk'
import { expect, test } from 'vitest'
import { stepOf } from './watch.ts'

const NOW = Date.parse('2026-11-02T12:00:00.000Z')
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

/** The last addresses of a list, of which eight are deferred. */
const JOB: BulkJob = {
  ...JOB_EXAMPLE,
  unique_count: 1_656,
  done_count: 1_420,
  rate_per_s: 19.2,
  eta: { earliest_at: after(12), latest_at: after(4_860) },
  deferred: [{ reason: 'timeout', count: 8, retry_at: after(300), last_retry_at: after(4_860) }],
  status_counts: { valid: 1_151, invalid: 241, risky: 20, unknown: 8 },
}
const lineOf = (changes: Partial<BulkJob>) => {
  const { pace, details } = stepOf({ ...JOB, ...changes }, NOW, 'UTC')
  return `${pace}; ${details}`
}
const VERDICTS = 'valid 1,151, invalid 241, risky 20, unknown 8'
const NEXT = /8 deferred \(timeout\), next attempt \d\d:\d\d$/

test('progress says how long the work takes, and until when addresses wait at the latest', () => {
  const line = lineOf({})
  expect(line).toContain(
    `, 19/s, about 15 s left; 8 addresses wait for slow servers, at the latest 13:21; ${VERDICTS}; 8 deferred`,
  )
  expect(line).toMatch(NEXT)
})

test('progress has no time for the work once only deferred addresses remain', () => {
  expect(lineOf({ done_count: 1_648, rate_per_s: 0 })).toContain(
    '; 8 addresses wait for slow servers, at the latest 13:21;',
  )
})

test.each([
  [{ deferred: [] }, ', 19/s, up to 81 minutes left'],
  [{ status: 'paused', rate_per_s: 0, eta: null, deferred: [] }, ', paused'],
  [{ status: 'queued', rate_per_s: 0, eta: null, deferred: [] }, ', time left not yet known, queued'],
  [{ rate_per_s: 0, eta: null, deferred: [], delay_reason: 'no_worker' as const }, ', waiting for a worker'],
  [{ status: 'completed', rate_per_s: 0, eta: null, deferred: [], finished_at: after(-1) }, ''],
])('progress of a job with %j is "%s"', (changes, pace) => {
  expect(lineOf(changes)).toBe(`${pace}; ${VERDICTS}`)
})
