import { Problem } from './problem.ts'

export type StreamPlaces = {
  /** Takes a place for a stream, or throws. Returns how to give it back, which may be called more than once. */
  take(accountId: string): () => void
}

type Bounds = { perProcess: number; perAccount: number }

/** A stream costs little, and lasts: without bounds a few clients would have them all. */
export const STREAM_BOUNDS: Bounds = { perProcess: 200, perAccount: 10 }

const RETRY_AFTER_S = 15

export function openStreamPlaces({ perProcess, perAccount }: Bounds): StreamPlaces {
  const taken = new Map<string, number>()
  let total = 0

  function change(accountId: string, by: 1 | -1): void {
    const now = (taken.get(accountId) ?? 0) + by
    total += by
    if (now === 0) taken.delete(accountId)
    else taken.set(accountId, now)
  }

  return {
    take(accountId) {
      if ((taken.get(accountId) ?? 0) >= perAccount) {
        throw new Problem('too_many_streams', undefined, { retryAfterS: RETRY_AFTER_S })
      }
      if (total >= perProcess) throw new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
      change(accountId, 1)
      let isTaken = true
      return () => {
        if (isTaken) change(accountId, -1)
        isTaken = false
      }
    },
  }
}
