import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { connectWithRetries } from '@probity/redis/connection'
import { inject } from 'vitest'

let claimed: Promise<string> | undefined

/**
 * A separate database in the run's Redis: a worker takes every task in its database, including those of other tests.
 */
export function claimRedis(): Promise<string> {
  claimed ??= claim(inject('redisUrl'))
  return claimed
}

async function claim(url: string): Promise<string> {
  const redis = connectWithRetries(url)
  const number = await redis.incr('databases claimed')
  redis.disconnect()
  return `${url}/${number}`
}

/** A Redis server for one instance, for files with several instances or with tasks that outlive their instance. */
export async function startOwnRedis(): Promise<string> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  return redis.url
}
