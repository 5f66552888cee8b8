import type { Redis } from 'ioredis'

export const QUEUES = ['interactive', 'batches', 'webhooks'] as const
export type QueueDepth = { name: (typeof QUEUES)[number]; waiting: number; active: number }

/** How many tasks stand in Redis, by queue. They are copies of rows: what is lost here is found again in PostgreSQL. */
export function readDepths(redis: Redis, prefix: string): Promise<QueueDepth[]> {
  return Promise.all(
    QUEUES.map(async (name) => {
      const [waiting, active] = await Promise.all([
        redis.llen(`${prefix}:${name}:wait`),
        redis.llen(`${prefix}:${name}:active`),
      ])
      return { name, waiting, active }
    }),
  )
}
