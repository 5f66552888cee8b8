/** A number from 0 up to, but not including, 1. */
export type Random = () => number

/** The same numbers for the same seed on every machine: a counter in integer steps, mixed with two odd multipliers. */
export function seedRandom(seed: number): Random {
  let counter = seed >>> 0
  return () => {
    counter = (counter + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** An integer from 0 up to, but not including, `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

export function pick<T>(random: Random, list: ArrayLike<T>): T {
  const item = list[below(random, list.length)]
  if (item === undefined) throw new Error('There is nothing to pick from an empty list.')
  return item
}

/** A string of `length` characters from `characters`. */
export function draw(random: Random, characters: string, length: number): string {
  let text = ''
  for (let at = 0; at < length; at += 1) text += pick(random, characters)
  return text
}

/** The list in an order that depends on the seed alone. */
export function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const order = [...list]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = below(random, last + 1)
    const kept = order[last] as T
    order[last] = order[other] as T
    order[other] = kept
  }
  return order
}
