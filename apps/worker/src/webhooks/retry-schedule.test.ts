import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WEBHOOK_EVENT_TYPES } from '@probity/contract/constants/webhooks'
import { expect, test } from 'vitest'
import { delayAfter, TRIES_MAX } from './processor.ts'

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
const SECONDS: Record<string, number> = { s: 1, min: 60, h: 3_600 }

/** The documented delays, in seconds. */
const promised = [...(DOCS.match(/^\| after the one before .*$/m)?.[0] ?? '').matchAll(/(\d+) (s|min|h)\b/g)].map(
  ([, amount, unit]) => Number(amount) * (SECONDS[unit ?? ''] ?? 0),
)

test('retries follow the documented schedule: exact on average, with at most 20 percent jitter', () => {
  expect(promised.length).toBe(TRIES_MAX - 1)
  for (const [n, seconds] of promised.entries()) {
    const delays = Array.from({ length: 5_000 }, () => (delayAfter(n + 1, 'live') ?? 0) / 1_000)
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(seconds * 0.8)
    expect(Math.max(...delays)).toBeLessThanOrEqual(seconds * 1.2)
    expect(Math.abs(mean / seconds - 1)).toBeLessThan(0.01)
    expect(delayAfter(n + 1, 'test')).toBeLessThanOrEqual((seconds * 1.2 * 1_000) / 20)
  }
  expect(delayAfter(TRIES_MAX, 'live')).toBeUndefined()
  expect(TRIES_MAX).toBe(10)
  const hours = promised.reduce((sum, seconds) => sum + seconds, 0) / 3_600
  expect(hours).toBeLessThan(75)
})

test('the documentation names every event', () => {
  for (const type of WEBHOOK_EVENT_TYPES) expect(DOCS).toContain(`\`${type}\``)
})
