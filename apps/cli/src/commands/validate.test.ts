import { expect, test } from 'vitest'
import { mapInOrder } from './validate.ts'

test('mapInOrder keeps the order and the concurrency limit', async () => {
  let running = 0
  let max = 0
  const items = Array.from({ length: 30 }, (_, n) => n)
  const results: number[] = []
  for await (const result of mapInOrder(items, 4, async (n) => {
    max = Math.max(max, ++running)
    for (let turn = 0; turn <= (n * 7) % 5; turn++) await Promise.resolve()
    running--
    return n
  }))
    results.push(result)
  expect(results).toEqual(items)
  expect(max).toBe(4)
})

test('mapInOrder throws a failure after the results before it', async () => {
  const results: number[] = []
  const all = mapInOrder([1, 2, 3, 4], 4, async (n) => {
    if (n === 3) throw new Error('three')
    return n
  })
  await expect(
    (async () => {
      for await (const result of all) results.push(result)
    })(),
  ).rejects.toThrow('three')
  expect(results).toEqual([1, 2])
})
