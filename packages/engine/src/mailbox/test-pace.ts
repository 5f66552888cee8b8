import { expect } from 'vitest'
import { HABITS } from './data/habits.ts'
import type { Habits } from './habits.ts'
import type { Hold, Lease, Pace, Target } from './pace.ts'
import type { Step } from './test-pace-steps.ts'

/** Where the steps are made: a pace, and how time passes for it. */
export type PaceWorld = { pace: Pace; pass(ms: number): void | Promise<void> }

const DESTINATION_LIMITS = {
  connectionsPerEgress: 2,
  connectionsPerMinute: 60_000,
  errorsPerConnection: 4,
  errorsPerHour: null,
}

export async function followSteps({ pace, pass }: PaceWorld, habits: Partial<Habits>, steps: Step[]): Promise<void> {
  const leases = new Map<string, Lease>()
  let target = { egress: 'egress', site: 'site', habits: { ...HABITS[''], errorsByFamily: {}, ...habits } }
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
      case 'hold': {
        const held = await pace.lease(target, destination)
        const of = step[4] === undefined ? {} : { of: step[4] }
        expect(held, place).toMatchObject({ kind: 'hold', why: step[1], retryAfterMs: expect.any(Number), ...of })
        expect((held as Hold).retryAfterMs, place).toBeGreaterThanOrEqual(step[2])
        expect((held as Hold).retryAfterMs, place).toBeLessThanOrEqual(step[3])
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
        destination = { egress: '', site: step[1], habits: DESTINATION_LIMITS }
        break
      case 'at':
        target = { ...target, egress: step[1], site: step[2] }
        break
    }
  }
}

async function countConnections(pace: Pace, target: Target): Promise<number> {
  const leases: Lease[] = []
  for (let tries = 0; tries < 100; tries += 1) {
    const lease = await pace.lease(target)
    if (lease.kind === 'hold') break
    leases.push(lease)
  }
  for (const lease of leases) await lease.release({ refused: 0 })
  return leases.length
}
