import { Redis, type RedisOptions } from 'ioredis'

/** Longer than a healthy Redis takes, and short enough that the client of a request does not notice. */
const COMMAND_TIMEOUT_MS = 250

const RECONNECT = {
  connectTimeout: 2_000,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 1_000),
}

/**
 * A connection that fails fast: no command is queued while Redis is unavailable. For everything that a request waits for. Commands in
 * `sentAtOnce` are grouped by their caller and are not delayed for pipelining.
 */
export function connectRedis(url: string, { sentAtOnce = [] }: { sentAtOnce?: string[] } = {}): Redis {
  return ignoreErrors(
    new Redis(url, {
      ...RECONNECT,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MS,
      enableAutoPipelining: true, // commands of one turn of the event loop are sent in one write
      autoPipeliningIgnoredCommands: sentAtOnce,
    }),
  )
}

/** A connection that waits for Redis without a limit. For workers and subscribers. */
export function connectWithRetries(url: string, options: Pick<RedisOptions, 'autoResubscribe'> = {}): Redis {
  return ignoreErrors(new Redis(url, { ...RECONNECT, ...options, maxRetriesPerRequest: null }))
}

// Each command rejects with the error; without a listener it would also end the process.
function ignoreErrors(redis: Redis): Redis {
  return redis.on('error', () => {})
}
