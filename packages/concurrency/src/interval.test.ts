import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startInterval } from './interval.ts'

test('startInterval skips a run that is not due, and runNow runs it', async () => {
  let isWanted = false
  let runs = 0
  const run = async () => {
    runs += 1
  }
  const loop = startInterval(10, run, { isDue: async () => isWanted })
  onTestFinished(() => loop.stop())
  await sleep(100)
  expect(runs).toBe(0)
  loop.runNow()
  await vi.waitFor(() => expect(runs).toBe(1))
  isWanted = true
  await vi.waitFor(() => expect(runs).toBeGreaterThan(3))
})

test('startInterval calls isDue before a run that was missed during another, and not after runNow', async () => {
  let runs = 0
  let checks = 0
  const run = async () => {
    runs += 1
    await sleep(50)
  }
  const isDue = async () => {
    checks += 1
    return false
  }
  const loop = startInterval(20, run, { isDue })
  onTestFinished(() => loop.stop())
  loop.runNow()
  await vi.waitFor(() => expect(runs).toBe(1)) // the timer fires during the run
  const before = checks
  await vi.waitFor(() => expect(checks).toBeGreaterThan(before))
  expect(runs).toBe(1)
  loop.runNow()
  await vi.waitFor(() => expect(runs).toBe(2))
})

test('startInterval passes the error of a failed run to onError and runs again', async () => {
  const errors: unknown[] = []
  let runs = 0
  const run = async () => {
    runs += 1
    if (runs === 1) throw new Error('planted')
  }
  const loop = startInterval(10, run, { onError: (error) => errors.push(error) })
  onTestFinished(() => loop.stop())
  await vi.waitFor(() => expect(runs).toBeGreaterThan(1))
  expect(errors).toEqual([new Error('planted')])
})

test('startInterval with delayFirst and runOnStop runs only when it is stopped within the first interval', async () => {
  let runs = 0
  const run = async () => {
    runs += 1
  }
  const loop = startInterval(3_600_000, run, { delayFirst: true, runOnStop: true })
  await sleep(20)
  expect(runs).toBe(0)
  await loop.stop()
  expect(runs).toBe(1)
})
