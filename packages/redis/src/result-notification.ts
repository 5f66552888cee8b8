import type { Redis } from 'ioredis'
import { connectWithRetries } from './connection.ts'
import { resultChannel } from './keys.ts'

/**
 * The result of a validation for the API process whose client waits for it. `retryAt` (Unix time in seconds) is set while the
 * validation is deferred; `refunded` is the stored outcome of the refund rule. A result of null is the echo of a health check.
 * Sent through Redis and not stored there.
 */
export type ResultNotification = { id: string; result: unknown; retryAt: number | null; refunded: boolean }

export async function publishResults(redis: Redis, replyTo: string, results: ResultNotification[]): Promise<void> {
  await redis.publish(resultChannel(replyTo), JSON.stringify(results))
}

/** Calls back with every result sent to this process. */
export function subscribeToResults(redisUrl: string, replyTo: string, onResult: (result: ResultNotification) => void) {
  const redis = connectWithRetries(redisUrl, { autoResubscribe: false })
  redis.on('message', (_channel, text) => {
    for (const result of JSON.parse(text) as ResultNotification[]) onResult(result)
  })
  // After each connection. The client's own resubscription rejects without a handler if it is disconnected meanwhile.
  redis.on('ready', () => void redis.subscribe(resultChannel(replyTo)).catch(() => {}))
  return { stop: () => redis.disconnect() }
}
