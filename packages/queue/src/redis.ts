import { Redis, type RedisOptions } from 'ioredis'

/** Longer than a healthy Redis ever takes, shorter than a caller notices. */
const ANSWERS_WITHIN_MS = 250

const RECONNECT = {
  connectTimeout: 2_000,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 1_000),
}

/**
 * A connection that fails fast: nothing waits in line for a Redis that is away. For everything a caller waits for. `sentAtOnce` are commands
 * that are grouped already and are not held back to be sent with others.
 */
export function connectRedis(url: string, { sentAtOnce = [] }: { sentAtOnce?: string[] } = {}): Redis {
  return quiet(
    new Redis(url, {
      ...RECONNECT,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: ANSWERS_WITHIN_MS,
      enableAutoPipelining: true, // what a busy process asks within one turn of its loop goes out in one write
      autoPipeliningIgnoredCommands: sentAtOnce,
    }),
  )
}

/** A connection that waits for Redis for as long as it takes. For workers and subscribers, which have nothing better to do. */
export function connectPatiently(url: string, options: Pick<RedisOptions, 'autoResubscribe'> = {}): Redis {
  return quiet(new Redis(url, { ...RECONNECT, ...options, maxRetriesPerRequest: null }))
}

// Every command meets the error by itself; the listener keeps it from ending the process.
function quiet(redis: Redis): Redis {
  return redis.on('error', () => {})
}
