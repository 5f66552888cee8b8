import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import { createLocalRateLimiter } from './local-rate-limiter.ts'
import { followSteps } from './test-rate-limiter.ts'
import { RATE_LIMITER_STEPS } from './test-rate-limiter-steps.ts'

test.each(RATE_LIMITER_STEPS)('$promise', async ({ limits, steps }) => {
  let time = 0
  const pass = (ms: number) => {
    time += ms
  }
  await followSteps({ pace: createLocalRateLimiter({ now: () => time }), pass }, limits, steps)
})

test('lease grants a first connection immediately at any fraction of a millisecond', async () => {
  for (let n = 0; n < 1_000; n += 1) {
    const rateLimiter = createLocalRateLimiter({ now: () => 12_345 + n * Math.PI })
    const target = { egress: 'egress', site: 'site', limits: { ...PROVIDER_LIMITS[''], connectionsPerEgress: 1 } }
    expect(await rateLimiter.lease(target)).toMatchObject({ kind: 'lease' })
  }
})

test('rejections never exceed the hourly budget in any window of one hour', async () => {
  const limits = { ...PROVIDER_LIMITS[''], connectionsPerEgress: 3, connectionsPerMinute: 60, errorsPerHour: 20 }
  let time = 0
  const rateLimiter = createLocalRateLimiter({ now: () => time })
  const refusedAt: number[] = []
  let seed = 1
  const random = (max: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % max
  }

  for (let n = 0; n < 5_000; n += 1) {
    time += random(random(10) === 0 ? 600_000 : 20_000)
    const lease = await rateLimiter.lease({ egress: 'egress', site: 'site', limits })
    if (lease.kind === 'throttle') continue
    time += random(80_000)
    for (let refused = 0; refused < lease.errorsMax; refused += 1) refusedAt.push(time)
    time += random(5_000)
    await lease.release({ refused: lease.errorsMax })
  }
  expect(refusedAt.length).toBeGreaterThan(1_000)
  const crowded = refusedAt.filter((at, n) => (refusedAt[n + 20] ?? Number.POSITIVE_INFINITY) - at < 3_600_000)
  expect(crowded).toEqual([])
})
