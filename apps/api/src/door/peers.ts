import { randomUUID } from 'node:crypto'
import { startInterval } from '@probity/concurrency/interval'
import type { Redis } from 'ioredis'

const SAY_EVERY_MS = 2_000
const GONE_AFTER_MS = 10_000
const ROLL = 'api-processes'

/** Says "here" in Redis every two seconds and learns how many others do: among so many the limits are shared without it. */
export function joinPeers(redis: Redis, learn: (count: number) => void): { stop(): void } {
  const name = randomUUID()

  async function say(): Promise<void> {
    const now = Date.now()
    const turn = redis
      .multi()
      .zadd(ROLL, now, name)
      .zremrangebyscore(ROLL, 0, now - GONE_AFTER_MS)
      .zcard(ROLL)
    const count = (await turn.exec())?.[2]?.[1]
    if (typeof count === 'number') learn(count)
  }

  // While Redis is unavailable, the last count applies.
  const interval = startInterval(SAY_EVERY_MS, say, { onError: () => {}, unref: true })
  return { stop: () => void interval.stop() }
}
