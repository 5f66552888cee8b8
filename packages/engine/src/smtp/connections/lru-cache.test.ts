import { expect, test } from 'vitest'
import { createLruCache } from './lru-cache.ts'

test('keeps what is in use through a flood of new names, and drops what is not', () => {
  let made = 0
  const recall = createLruCache(100, () => {
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

test('holds no more names than it may', () => {
  const recall = createLruCache(100, () => ({}))
  const first = Array.from({ length: 101 }, (_, n) => recall(`${n}`))
  const again = first.map((_, n) => recall(`${100 - n}`)).toReversed()
  expect(first.filter((value, n) => again[n] === value).length).toBe(91)
})
