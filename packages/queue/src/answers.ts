import type { Redis } from 'ioredis'
import { connectPatiently } from './redis.ts'

/**
 * The result of a validation for the API process whose client waits for it. `retryAt` (Unix time in seconds) is set while the
 * validation is deferred; `refunded` is the stored outcome of the refund rule. A result of null is the echo of a health check.
 * Sent through Redis and not stored there.
 */
export type Answer = { id: string; result: unknown; retryAt: number | null; refunded: boolean }

const channelOf = (replyTo: string) => `answers:${replyTo}`

export async function publishAnswers(redis: Redis, replyTo: string, answers: Answer[]): Promise<void> {
  await redis.publish(channelOf(replyTo), JSON.stringify(answers))
}

/** Calls back with every answer sent to this process. */
export function subscribeToAnswers(redisUrl: string, replyTo: string, take: (answer: Answer) => void) {
  const redis = connectPatiently(redisUrl, { autoResubscribe: false })
  redis.on('message', (_channel, text) => {
    for (const answer of JSON.parse(text) as Answer[]) take(answer)
  })
  // Whenever it reconnects. Left to do this by itself, the client rejects into the void where it is stopped meanwhile.
  redis.on('ready', () => void redis.subscribe(channelOf(replyTo)).catch(() => {}))
  return { stop: () => redis.disconnect() }
}
