import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBatcher, createSemaphore, startInterval } from './scheduling.ts'

test('createSemaphore limits the number of running calls and starts the others in order', async () => {
  const semaphore = createSemaphore(2)
  const started: number[] = []
  const ends: (() => void)[] = []
  const calls = [0, 1, 2, 3].map((n) =>
    semaphore(() => {
      started.push(n)
      return new Promise<number>((resolve) => ends.push(() => resolve(n)))
    }),
  )
  expect(started).toEqual([0, 1])
  ends[1]?.()
  await calls[1]
  await expect.poll(() => started).toEqual([0, 1, 2])
  ends[0]?.()
  await expect.poll(() => started).toEqual([0, 1, 2, 3])
  ends[2]?.()
  ends[3]?.()
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3])
})

test('createSemaphore frees the slot of a call that fails', async () => {
  const semaphore = createSemaphore(1)
  await expect(semaphore(() => Promise.reject(new Error('planted')))).rejects.toThrow('planted')
  expect(await semaphore(async () => 'next')).toBe('next')
})

test('createBatcher processes the first item alone and items that arrive meanwhile together', async () => {
  const batches: number[][] = []
  const batcher = createBatcher<number, number>(10, async (_name, items) => {
    batches.push(items)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return items.map((item) => item * 2)
  })
  const results = await Promise.all([1, 2, 3, 4].map((item) => batcher('a', item)))
  expect(results).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2, 3, 4]])
})

test('createBatcher limits the batch size and processes every item', async () => {
  const sizes: number[] = []
  const batcher = createBatcher<number, number>(3, async (_name, items) => {
    sizes.push(items.length)
    return items
  })
  expect(await Promise.all(Array.from({ length: 8 }, (_, n) => batcher('a', n)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(Math.max(...sizes)).toBe(3)
})

test('createBatcher with lingerMs waits for further items until the batch is full', async () => {
  const batches: number[][] = []
  const work = async (_name: string, items: number[]) => {
    batches.push(items)
    return items
  }
  const batcher = createBatcher<number, number>(3, work, { lingerMs: 20 })
  expect(await Promise.all([1, 2].map((item) => batcher('a', item)))).toEqual([1, 2])
  expect(batches).toEqual([[1, 2]])
  const patient = createBatcher<number, number>(3, work, { lingerMs: 3_600_000 })
  expect(await Promise.all([3, 4, 5].map((item) => patient('a', item)))).toEqual([3, 4, 5])
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('createBatcher processes names independently', async () => {
  let release = () => {}
  const batcher = createBatcher<string, string>(10, async (name, items) => {
    if (name === 'slow') await new Promise<void>((resolve) => (release = resolve))
    return items
  })
  const slow = batcher('slow', 'x')
  expect(await batcher('quick', 'y')).toBe('y')
  release()
  expect(await slow).toBe('x')
})

test('createBatcher rejects all items of a failed batch and processes the next one', async () => {
  let fails = true
  const batcher = createBatcher<number, number>(10, async (_name, items) => {
    if (fails) throw new Error('planted')
    return items
  })
  await expect(batcher('a', 1)).rejects.toThrow('planted')
  fails = false
  expect(await batcher('a', 2)).toBe(2)
})

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
