import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { connectRedis } from './connection.ts'
import { publishResults, type ResultNotification, subscribeToResults } from './result-notification.ts'

/** A database of its own identifies the connections of this file. Channels are common to all databases. */
const NUMBER = 7
const redisUrl = `${inject('redisUrl')}/${NUMBER}`
const redis = connectRedis(inject('redisUrl'))
afterAll(() => redis.disconnect())
await new Promise((resolve) => redis.once('ready', resolve))

/** The number of subscribers of a process. */
async function countSubscribers(replyTo: string): Promise<number> {
  const [, count] = (await redis.pubsub('NUMSUB', `answers:${replyTo}`)) as [string, number]
  return count
}

/** Closes the connections of the subscribers of this file, as a network failure does. */
async function closeConnections(): Promise<void> {
  const list = String(await redis.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n')
  const ids = list
    .filter((line) => line.includes(` db=${NUMBER} `))
    .flatMap((line) => /^id=(\d+)/.exec(line)?.[1] ?? [])
  expect(ids).not.toEqual([])
  await Promise.all(ids.map((id) => redis.call('CLIENT', 'KILL', 'ID', id)))
}

test('subscribeToResults receives results again after a lost connection', async () => {
  const replyTo = randomUUID()
  const heard: ResultNotification[] = []
  const subscription = subscribeToResults(redisUrl, replyTo, (answer) => heard.push(answer))
  onTestFinished(() => subscription.stop())
  await vi.waitFor(async () => expect(await countSubscribers(replyTo)).toBe(1), 5_000)
  await closeConnections()
  await vi.waitFor(async () => expect(await countSubscribers(replyTo)).toBe(1), 5_000)
  await publishResults(redis, replyTo, [{ id: 'one', result: null, retryAt: null, refunded: false }])
  await vi.waitFor(() => expect(heard).toEqual([{ id: 'one', result: null, retryAt: null, refunded: false }]), 5_000)
})

test('subscribeToResults can be stopped at any moment of a reconnection', async () => {
  const rejected = vi.fn()
  process.on('unhandledRejection', rejected)
  onTestFinished(() => void process.off('unhandledRejection', rejected))
  const subscriptions = Array.from({ length: 100 }, () => ({ replyTo: randomUUID() })).map(({ replyTo }) => ({
    replyTo,
    ...subscribeToResults(redisUrl, replyTo, () => {}),
  }))
  await vi.waitFor(async () => {
    for (const { replyTo } of subscriptions) expect(await countSubscribers(replyTo)).toBe(1)
  }, 10_000)
  await closeConnections()
  await sleep(45) // they reconnect after 50 ms
  for (const { stop } of subscriptions) {
    stop()
    await sleep(0.2)
  }
  await sleep(100)
  expect(rejected).not.toHaveBeenCalled()
})
