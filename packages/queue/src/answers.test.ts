import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { type Answer, publishAnswers, subscribeToAnswers } from './answers.ts'
import { connectRedis } from './redis.ts'

/** Their connections are known by it: those of other tests are left alone. What is published is heard in all of them. */
const NUMBER = 7
const redisUrl = `${inject('redisUrl')}/${NUMBER}`
const redis = connectRedis(inject('redisUrl'))
afterAll(() => redis.disconnect())
await new Promise((resolve) => redis.once('ready', resolve))

/** How many hear what is said there. */
async function countHearers(replyTo: string): Promise<number> {
  const [, count] = (await redis.pubsub('NUMSUB', `answers:${replyTo}`)) as [string, number]
  return count
}

/** Cuts the connections of those who listen here, as a network does. */
async function cutOff(): Promise<void> {
  const list = String(await redis.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n')
  const ids = list
    .filter((line) => line.includes(` db=${NUMBER} `))
    .flatMap((line) => /^id=(\d+)/.exec(line)?.[1] ?? [])
  expect(ids).not.toEqual([])
  await Promise.all(ids.map((id) => redis.call('CLIENT', 'KILL', 'ID', id)))
}

test('whoever listens hears again after the connection was lost', async () => {
  const replyTo = randomUUID()
  const heard: Answer[] = []
  const subscription = subscribeToAnswers(redisUrl, replyTo, (answer) => heard.push(answer))
  onTestFinished(() => subscription.stop())
  await vi.waitFor(async () => expect(await countHearers(replyTo)).toBe(1), 5_000)
  await cutOff()
  await vi.waitFor(async () => expect(await countHearers(replyTo)).toBe(1), 5_000)
  await publishAnswers(redis, replyTo, [{ id: 'one', result: null, retryAt: null, refunded: false }])
  await vi.waitFor(() => expect(heard).toEqual([{ id: 'one', result: null, retryAt: null, refunded: false }]), 5_000)
})

test('a process may stop at any moment while it reconnects', async () => {
  const rejected = vi.fn()
  process.on('unhandledRejection', rejected)
  onTestFinished(() => void process.off('unhandledRejection', rejected))
  const subscriptions = Array.from({ length: 100 }, () => ({ replyTo: randomUUID() })).map(({ replyTo }) => ({
    replyTo,
    ...subscribeToAnswers(redisUrl, replyTo, () => {}),
  }))
  await vi.waitFor(async () => {
    for (const { replyTo } of subscriptions) expect(await countHearers(replyTo)).toBe(1)
  }, 10_000)
  await cutOff()
  await sleep(45) // they come back after 50
  for (const { stop } of subscriptions) {
    stop()
    await sleep(0.2)
  }
  await sleep(100)
  expect(rejected).not.toHaveBeenCalled()
})
