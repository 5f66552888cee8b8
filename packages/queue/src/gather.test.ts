import { expect, test } from 'vitest'
import { createBatcher } from './gather.ts'

test('the first goes at once and alone, whoever comes meanwhile goes together with the next', async () => {
  const groups: number[][] = []
  const gather = createBatcher<number, number>(10, async (_name, items) => {
    groups.push(items)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return items.map((item) => item * 2)
  })
  const results = await Promise.all([1, 2, 3, 4].map((item) => gather('a', item)))
  expect(results).toEqual([2, 4, 6, 8])
  expect(groups).toEqual([[1], [2, 3, 4]])
})

test('a group is no larger than it may be, and nobody is forgotten', async () => {
  const sizes: number[] = []
  const gather = createBatcher<number, number>(3, async (_name, items) => {
    sizes.push(items.length)
    return items
  })
  expect(await Promise.all(Array.from({ length: 8 }, (_, n) => gather('a', n)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(Math.max(...sizes)).toBe(3)
})

test('a first item waits for others, up to a full group, if the gatherer lingers', async () => {
  const groups: number[][] = []
  const work = async (_name: string, items: number[]) => {
    groups.push(items)
    return items
  }
  const gather = createBatcher<number, number>(3, work, { lingerMs: 20 })
  expect(await Promise.all([1, 2].map((item) => gather('a', item)))).toEqual([1, 2])
  expect(groups).toEqual([[1, 2]])
  const patient = createBatcher<number, number>(3, work, { lingerMs: 3_600_000 })
  expect(await Promise.all([3, 4, 5].map((item) => patient('a', item)))).toEqual([3, 4, 5])
  expect(groups).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('names do not wait for each other', async () => {
  let release = () => {}
  const gather = createBatcher<string, string>(10, async (name, items) => {
    if (name === 'slow') await new Promise<void>((resolve) => (release = resolve))
    return items
  })
  const slow = gather('slow', 'x')
  expect(await gather('quick', 'y')).toBe('y')
  release()
  expect(await slow).toBe('x')
})

test('a group that fails fails for all in it, and the next one is served', async () => {
  let fails = true
  const gather = createBatcher<number, number>(10, async (_name, items) => {
    if (fails) throw new Error('planted')
    return items
  })
  await expect(gather('a', 1)).rejects.toThrow('planted')
  fails = false
  expect(await gather('a', 2)).toBe(2)
})
