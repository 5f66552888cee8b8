import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import { limitsFor } from '../providers/limits.ts'
import { createLocalRateLimiter } from './local-rate-limiter.ts'
import { DEFAULT_TIMEOUTS } from './open-connection.ts'
import { RATE_LIMITER } from './rate-limiter.ts'
import { scaleDurations, scaleProviderLimits } from './time-factor.ts'

test('scaleDurations divides every timeout', () => {
  const scaled = scaleDurations(DEFAULT_TIMEOUTS, 1_000)
  expect(scaled).toEqual({
    connectMs: 8,
    greetingMs: 35,
    greetingMinMs: 10,
    commandMs: 15,
    idleMs: 2,
    connectionMs: 60,
    quitMs: 2,
    slowMs: 2,
    refusalMsMax: 12,
  })
})

test('scaleDurations keeps values that are no durations, and rounds up to whole milliseconds', () => {
  const { leaseMs, suspendMaxMs, slotsInHour, levelGain } = scaleDurations(RATE_LIMITER, 7)
  expect([leaseMs, suspendMaxMs]).toEqual([12_858, 12_342_858])
  expect([slotsInHour, levelGain]).toEqual([RATE_LIMITER.slotsInHour, RATE_LIMITER.levelGain])
})

test('scaleProviderLimits divides retry schedules and suspensions, and keeps counts', () => {
  const [before, after] = [PROVIDER_LIMITS, scaleProviderLimits(PROVIDER_LIMITS, 60)].map((table) =>
    limitsFor('microsoft365', table),
  )
  expect(after?.suspendS.ip_blocked).toBe(60)
  expect(after?.retryDelaysS).toEqual(before?.retryDelaysS.map((delayS) => delayS / 60))
  expect({ ...after, suspendS: 0, retryDelaysS: 0 }).toEqual({ ...before, suspendS: 0, retryDelaysS: 0 })
})

const LIMITS = { ...PROVIDER_LIMITS[''], connectionsPerEgress: 1, connectionsPerMinute: 1, errorsPerHour: 1 }
const TARGET = { egress: 'egress', site: 'site', limits: LIMITS }

test('a local rate limiter with a factor of 60 grants per second what it grants per minute, and per minute what it grants per hour', async () => {
  let now = 1_000_000
  const limiter = createLocalRateLimiter({ now: () => now, timeFactor: 60 })
  const first = await limiter.lease(TARGET)
  if (first.kind === 'lease') await first.release({ refused: 0 })
  expect(await limiter.lease(TARGET)).toMatchObject({ why: 'rate', retryAfterMs: 1_000 })
  now += 1_000
  const second = await limiter.lease(TARGET)
  if (second.kind === 'lease') await second.release({ refused: 1 })
  const throttle = await limiter.lease(TARGET)
  expect(throttle).toMatchObject({ kind: 'throttle', why: 'budget' })
  now += 65_000 // the hour and its last slot
  expect(await limiter.lease(TARGET)).toMatchObject({ kind: 'lease' })
})

test('a local rate limiter suspends for the given time whatever its factor', async () => {
  let now = 0
  const limiter = createLocalRateLimiter({ now: () => now, timeFactor: 60 })
  await limiter.suspend(TARGET, 'ip_blocked', 5_000)
  expect(await limiter.lease(TARGET)).toMatchObject({ why: 'suspended', retryAfterMs: 5_000 })
  now = 5_001
  expect(await limiter.lease(TARGET)).toMatchObject({ kind: 'lease' })
})
