/** Pseudorandom numbers that are the same for the same seed on every machine. */
export type Random = {
  /** At least 0 and less than 1. */
  next(): number
  /** An integer from 0 to below `limit`. */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  shuffle<T>(list: T[]): void
}

/** Mulberry32: 32 bits of state, fast, and uniform enough for a population. It is not used for secrets. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    shuffle: (list) => {
      for (let last = list.length - 1; last > 0; last -= 1) {
        const other = below(last + 1)
        const moved = list[last] as (typeof list)[number]
        list[last] = list[other] as (typeof list)[number]
        list[other] = moved
      }
    },
  }
}

/** FNV-1a, for values that depend on a name only: the IP address of a host, the greylisting delay of a triplet. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
