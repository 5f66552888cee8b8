import { expect } from 'vitest'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import type { ProviderLimits } from '../providers/limits.ts'
import type { Lease, ProviderRateLimiter, Target, Throttle } from './rate-limiter.ts'
import type { Step } from './test-rate-limiter-steps.ts'

/** The rate limiter under test, and a function that advances its time. */
export type RateLimiterClock = { pace: ProviderRateLimiter; pass(ms: number): void | Promise<void> }

const DESTINATION_LIMITS = {
  connectionsPerEgress: 2,
  connectionsPerMinute: 60_000,
  errorsPerConnection: 4,
  errorsPerHour: null,
}

export async function followSteps(
  { pace, pass }: RateLimiterClock,
  limits: Partial<ProviderLimits>,
  steps: Step[],
): Promise<void> {
  const leases = new Map<string, Lease>()
  let target = { egress: 'egress', site: 'site', limits: { ...PROVIDER_LIMITS[''], errorsByFamily: {}, ...limits } }
  let destination: Target | undefined

  for (const [n, step] of steps.entries()) {
    const place = `step ${n + 1}, ${step.join(' ')}`
    switch (step[0]) {
      case 'lease': {
        const lease = await pace.lease(target, destination)
        expect(lease, place).toMatchObject({ kind: 'lease', ...(step[2] !== undefined && { errorsMax: step[2] }) })
        leases.set(step[1], lease as Lease)
        break
      }
      case 'throttle': {
        const held = await pace.lease(target, destination)
        const of = step[4] === undefined ? {} : { of: step[4] }
        expect(held, place).toMatchObject({ kind: 'throttle', why: step[1], retryAfterMs: expect.any(Number), ...of })
        expect((held as Throttle).retryAfterMs, place).toBeGreaterThanOrEqual(step[2])
        expect((held as Throttle).retryAfterMs, place).toBeLessThanOrEqual(step[3])
        break
      }
      case 'release':
        await leases.get(step[1])?.release({ refused: step[2] })
        await leases.get(step[1])?.destination?.release({ refused: step[2] })
        break
      case 'connections':
        await pass(1_000)
        expect(await countConnections(pace, target), place).toBe(step[1])
        break
      case 'slow_down':
        await pace.slowDown(target)
        break
      case 'suspend':
        await pace.suspend(target, 'ip_blocked', step[1])
        break
      case 'pass':
        await pass(step[1])
        break
      case 'to':
        destination = { egress: '', site: step[1], limits: DESTINATION_LIMITS }
        break
      case 'at':
        target = { ...target, egress: step[1], site: step[2] }
        break
    }
  }
}

async function countConnections(pace: ProviderRateLimiter, target: Target): Promise<number> {
  const leases: Lease[] = []
  for (let tries = 0; tries < 100; tries += 1) {
    const lease = await pace.lease(target)
    if (lease.kind === 'throttle') break
    leases.push(lease)
  }
  for (const lease of leases) await lease.release({ refused: 0 })
  return leases.length
}
