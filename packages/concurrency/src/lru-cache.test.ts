import { expect, test } from 'vitest'
import { createLruCache, createLruLookup } from './lru-cache.ts'

test('createLruLookup keeps entries in use and drops idle ones when many new names arrive', () => {
  let made = 0
  const recall = createLruLookup(100, () => {
    made += 1
    return made
  })
  const idle = recall('idle')
  const used = recall('used')
  for (let n = 0; n < 1_000; n += 1) {
    recall(`flood ${n}`)
    expect(recall('used')).toBe(used)
  }
  expect(made).toBe(1_002)
  expect(recall('idle')).not.toBe(idle)
})

test('createLruLookup holds at most the given number of entries', () => {
  const recall = createLruLookup(100, () => ({}))
  const first = Array.from({ length: 101 }, (_, n) => recall(`${n}`))
  const again = first.map((_, n) => recall(`${100 - n}`)).toReversed()
  expect(first.filter((value, n) => again[n] === value).length).toBe(91)
})

test('createLruCache removes the least recently used entry when full', () => {
  const cache = createLruCache<number, string>(3)
  for (const n of [1, 2, 3]) cache.set(n, `${n}`)
  cache.get(1)
  cache.set(4, '4')
  expect([...cache.entries()]).toEqual([
    [3, '3'],
    [1, '1'],
    [4, '4'],
  ])
  cache.delete(3)
  expect(cache.get(3)).toBeUndefined()
  cache.clear()
  expect([...cache.entries()]).toEqual([])
})
