import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

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
