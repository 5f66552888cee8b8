import { asOwner } from '@probity/database/connection/connect'
import { startRedis } from '@probity/lab/services/redis'
import { connectRedis } from '@probity/queue/redis'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { startTestApi } from '../test-api.ts'
import { openAdmission } from './admission.ts'

const redisServer = await startRedis()
afterAll(() => redisServer.stop())
const redis = connectRedis(redisServer.url)
afterAll(() => redis.disconnect())
await vi.waitFor(() => expect(redis.status).toBe('ready'))

const api = await startTestApi({ config: { redisUrl: redisServer.url } })
const POLICY = { name: 'account', quota: 20, windowS: 60 }
const ACCOUNT = { method: 'GET', url: '/api/v1/account' } as const

await asOwner(api.db, (trx) =>
  sql`insert into plans select 'narrow', api_access, ai_enhancement, catchall_detection, refund_unknown, 20, 60,
      interactive_in_flight, emails_per_file from plans where name = 'payg'`.execute(trx),
)

test('two processes share one rate to the last request', async () => {
  const processes = [openAdmission(redis), openAdmission(redis)]
  const taken = await Promise.all(Array.from({ length: 60 }, (_, n) => processes[n % 2]?.admit('shared', POLICY)))
  expect(taken.filter((one) => one?.rate.allowed).length).toBe(20)
})

test('a refused request learns when to come back, in the headers of the draft and in Retry-After', async () => {
  const { call } = await api.openCaller({ plan: 'narrow' })
  const answers = await Promise.all(Array.from({ length: 25 }, () => call(ACCOUNT)))
  const refused = answers.filter((answer) => answer.status === 429)

  expect(refused.length).toBe(5)
  expect(refused[0]?.body['code']).toBe('rate_limited')
  expect(refused[0]?.headers).toMatchObject({ 'retry-after': '3', 'ratelimit-policy': '"account";q=20;w=60' })
  expect(refused[0]?.headers['ratelimit']).toMatch(/^"account";r=0;t=(59|60)$/)
})

test('one round trip fetches a recent result with the rate, and only within the rate', async () => {
  await redis.set('recent:{one}:x', '{"ready":"string"}')
  const admission = openAdmission(redis)
  const policy = { name: 'account', quota: 1, windowS: 60 }
  const ask = (account: string) =>
    admission.admit(account, policy, {
      recentKey: `recent:{${account}}:x`,
      recentStoredForMs: 0,
      places: 1,
      placeName: 'p',
    })
  expect((await ask('one')).recent).toBe('{"ready":"string"}')
  expect(await ask('one')).toMatchObject({
    rate: { allowed: false },
    recent: undefined,
  })
  expect((await ask('two')).recent).toBeUndefined()
})

test('a recent result beyond its maximum age is not used, and the request takes a place', async () => {
  await redis.set('recent:{aged}:x', '{"ready":"string"}', 'PX', 60_000)
  const admission = openAdmission(redis)
  const ask = (recentStoredForMs: number, placeName: string) =>
    admission.admit('aged', POLICY, { recentKey: 'recent:{aged}:x', recentStoredForMs, places: 1, placeName })
  expect(await ask(30_000, 'a')).toMatchObject({ recent: '{"ready":"string"}', isFull: false })
  expect(await ask(61_000, 'b')).toMatchObject({ recent: undefined, isFull: false })
  expect(await ask(61_000, 'c')).toMatchObject({ recent: undefined, isFull: true })
})

test('an account has so many validations under way and no more, over all processes; an answered one makes room', async () => {
  const processes = [openAdmission(redis), openAdmission(redis)]
  const ask = (n: number) =>
    processes[n % 2]?.admit('busy', POLICY, {
      recentKey: undefined,
      recentStoredForMs: 0,
      places: 3,
      placeName: `place ${n}`,
    })
  const asked = await Promise.all([0, 1, 2, 3, 4].map(ask))
  expect(asked.map((one) => one?.isFull)).toEqual([false, false, false, true, true])

  processes[0]?.leave('busy', 'place 1')
  await vi.waitFor(async () => expect((await ask(5))?.isFull).toBe(false))
})

test('a request costs one call to Redis', async () => {
  const { call } = await api.openCaller()
  await call(ACCOUNT)
  const before = await commandCalls()
  for (let n = 0; n < 50; n++) await call(ACCOUNT)
  const after = await commandCalls()
  // The roll call of processes goes on beside it and does not count.
  expect(after.scripts - before.scripts).toBe(50)
  expect(after.others - before.others).toBe(0)
})

test('requests of an account that arrive together take one call to Redis and count one by one', async () => {
  await redis.set('recent:{together}:known', '{"ready":"string"}')
  const admission = openAdmission(redis)
  const policy = { name: 'account', quota: 6, windowS: 60 }
  const ask = (n: number) => {
    const recentKey = n === 0 ? 'recent:{together}:known' : undefined
    return admission.admit('together', policy, { recentKey, recentStoredForMs: 0, places: 3, placeName: `place ${n}` })
  }
  await admission.admit('before', policy) // the first call of a connection also sends the script
  const before = await commandCalls()
  const admitted = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(ask))
  const after = await commandCalls()

  expect(after.scripts - before.scripts).toBe(1)
  expect(admitted.map(({ rate }) => rate.allowed)).toEqual([true, true, true, true, true, true, false, false])
  expect(admitted.map(({ rate }) => rate.remaining)).toEqual([5, 4, 3, 2, 1, 0, 0, 0])
  expect(admitted.map(({ recent }) => recent !== undefined)).toEqual([true, ...Array(7).fill(false)])
  expect(admitted.map(({ isFull }) => isFull)).toEqual([false, false, false, false, true, true, false, false])
})

test('places that are left together are freed with one command', async () => {
  const admission = openAdmission(redis)
  const names = ['one', 'two', 'three']
  const ask = (placeName: string) =>
    admission.admit('leaving', POLICY, { recentKey: undefined, recentStoredForMs: 0, places: 3, placeName })
  await Promise.all(names.map(ask))
  expect((await ask('four')).isFull).toBe(true)

  const before = await readCalls('zrem')
  for (const name of names) admission.leave('leaving', name)
  await vi.waitFor(async () => expect(await redis.zcard('places:{leaving}')).toBe(0))
  expect((await readCalls('zrem')) - before).toBe(1)
})

async function readCalls(command: string): Promise<number> {
  const stats = await redis.info('commandstats')
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
}

async function commandCalls() {
  const stats = await redis.info('commandstats')
  const calls = [...stats.matchAll(/cmdstat_([a-z|]+):calls=(\d+)/g)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  )
  // What the script itself calls (get, set, time) is counted by Redis too, but makes no round trip.
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

test('without Redis the door stays open on careful limits of its own, and with it again they are shared again', {
  tags: ['timed'],
}, async () => {
  const { call } = await api.openCaller({ plan: 'narrow' })
  expect((await call(ACCOUNT)).headers['ratelimit-policy']).toBe('"account";q=20;w=60')
  api.services.admission.peers(4)
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
