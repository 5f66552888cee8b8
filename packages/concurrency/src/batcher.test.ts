import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

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
