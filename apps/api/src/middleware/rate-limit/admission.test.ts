import { asOwner } from '@probity/database/connection/connect'
import { startRedis } from '@probity/lab/services/redis'
import { connectRedis } from '@probity/redis/connection'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'

const redisServer = await startRedis()
afterAll(() => redisServer.stop())
const redis = connectRedis(redisServer.url)
afterAll(() => redis.disconnect())
await vi.waitFor(() => expect(redis.status).toBe('ready'))

const api = await startTestApi({ config: { redisUrl: redisServer.url } })
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const

await asOwner(api.db, (trx) =>
  sql`insert into plans select 'narrow', api_access, ai_enhancement, catchall_detection, refund_unknown, 20, 60,
      interactive_in_flight, emails_per_file from plans where name = 'payg'`.execute(trx),
)

test('a rate-limited response has the RateLimit headers and Retry-After', async () => {
  const { call } = await api.openCaller({ plan: 'narrow' })
  const answers = await Promise.all(Array.from({ length: 25 }, () => call(ACCOUNT)))
  const refused = answers.filter((answer) => answer.status === 429)

  expect(refused.length).toBe(5)
  expect(refused[0]?.body['code']).toBe('rate_limited')
  expect(refused[0]?.headers).toMatchObject({ 'retry-after': '3', 'ratelimit-policy': '"account";q=20;w=60' })
  expect(refused[0]?.headers['ratelimit']).toMatch(/^"account";r=0;t=(59|60)$/)
})

test('a request takes one call to Redis', async () => {
  const { call } = await api.openCaller()
  await call(ACCOUNT)
  const before = await commandCalls()
  for (let n = 0; n < 50; n++) await call(ACCOUNT)
  const after = await commandCalls()
  // The heartbeats of the process are not counted.
  expect(after.scripts - before.scripts).toBe(50)
  expect(after.others - before.others).toBe(0)
})

async function commandCalls() {
  const stats = await redis.info('commandstats')
  const calls = [...stats.matchAll(/cmdstat_([a-z|]+):calls=(\d+)/g)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  )
  // Calls inside the script (get, set, time) are counted by Redis too, but make no round trip.
  const beside = [
    'info',
    'zadd',
    'zremrangebyscore',
    'zcard',
    'multi',
    'exec',
    'get',
    'set',
    'time',
    'ping',
    'evalsha',
    'eval',
  ]
  const sum = (names: (name: string) => boolean) =>
    calls.filter(([name]) => names(name)).reduce((all, [, count]) => all + count, 0)
  return { scripts: sum((name) => name.startsWith('evalsha')), others: sum((name) => !beside.includes(name)) }
}

test('requests are admitted by local limits while Redis is unavailable, and by shared limits afterwards', {
  tags: ['timed'],
}, async () => {
  const { call } = await api.openCaller({ plan: 'narrow' })
  expect((await call(ACCOUNT)).headers['ratelimit-policy']).toBe('"account";q=20;w=60')
  api.services.admission.setProcessCount(4)
  await redisServer.halt()

  const answers = await Promise.all(Array.from({ length: 25 }, () => call(ACCOUNT)))
  expect(answers.filter((answer) => answer.status === 200).length).toBe(5)
  expect(answers.filter((answer) => answer.status === 429).length).toBe(20)
  expect(answers[0]?.headers['ratelimit-policy']).toBe('"account";q=5;w=60')
  const began = performance.now()
  await call(ACCOUNT)
  expect(performance.now() - began).toBeLessThan(100)

  await redisServer.restart()
  const shared = async () => expect((await call(ACCOUNT)).headers['ratelimit-policy']).toBe('"account";q=20;w=60')
  await vi.waitFor(shared, { timeout: 5_000, interval: 100 })
})
