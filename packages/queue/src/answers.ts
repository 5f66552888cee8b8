import type { Redis } from 'ioredis'
import { connectPatiently } from './redis.ts'

/**
 * What is known of a validation, on its way to the api process whose caller waits for it. `retryAt` is set while work on it goes
 * on, in Unix time in seconds. An answer of null is an echo, which no validation has. Passes through Redis and is not kept there.
 */
export type Answer = { id: string; result: unknown; retryAt: number | null }

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
