import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { connectWithRetries } from '@probity/redis/connection'
import { inject } from 'vitest'

let claimed: Promise<string> | undefined

/** A database of the run's Redis for this file alone: a worker takes every task that it finds, whoever it was meant for. */
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

/** A server for one product alone, of several in a file or with work that outlives its product. */
export async function startOwnRedis(): Promise<string> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  return redis.url
}
