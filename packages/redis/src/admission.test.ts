import { startRedis } from '@probity/lab/services/redis'
import { afterAll, expect, test, vi } from 'vitest'
import { createAdmission } from './admission.ts'
import { connectRedis } from './connection.ts'

const redisServer = await startRedis()
afterAll(() => redisServer.stop())
const redis = connectRedis(redisServer.url)
afterAll(() => redis.disconnect())
await vi.waitFor(() => expect(redis.status).toBe('ready'))

const POLICY = { name: 'account', quota: 20, windowS: 60 }

test('admit counts the requests of all processes against one rate', async () => {
  const processes = [createAdmission(redis), createAdmission(redis)]
  const taken = await Promise.all(Array.from({ length: 60 }, (_, n) => processes[n % 2]?.admit('shared', POLICY)))
  expect(taken.filter((one) => one?.rate.allowed).length).toBe(20)
})

test('admit returns a recent result only to a request within the rate', async () => {
  await redis.set('recent:{one}:x', '{"ready":"string"}')
  const admission = createAdmission(redis)
  const policy = { name: 'account', quota: 1, windowS: 60 }
  const ask = (account: string) =>
    admission.admit(account, policy, {
      recentKey: `recent:{${account}}:x`,
      recentStoredForMs: 0,
      slots: 1,
      slotName: 'p',
    })
  expect((await ask('one')).recent).toBe('{"ready":"string"}')
  expect(await ask('one')).toMatchObject({
    rate: { allowed: false },
    recent: undefined,
  })
  expect((await ask('two')).recent).toBeUndefined()
})

test('admit ignores a recent result beyond its maximum age and takes a slot', async () => {
  await redis.set('recent:{aged}:x', '{"ready":"string"}', 'PX', 60_000)
  const admission = createAdmission(redis)
  const ask = (recentStoredForMs: number, slotName: string) =>
    admission.admit('aged', POLICY, { recentKey: 'recent:{aged}:x', recentStoredForMs, slots: 1, slotName })
  expect(await ask(30_000, 'a')).toMatchObject({ recent: '{"ready":"string"}', isFull: false })
  expect(await ask(61_000, 'b')).toMatchObject({ recent: undefined, isFull: false })
  expect(await ask(61_000, 'c')).toMatchObject({ recent: undefined, isFull: true })
})

test('admit limits the slots of an account over all processes, and release frees one', async () => {
  const processes = [createAdmission(redis), createAdmission(redis)]
  const ask = (n: number) =>
    processes[n % 2]?.admit('busy', POLICY, {
      recentKey: undefined,
      recentStoredForMs: 0,
      slots: 3,
      slotName: `slot ${n}`,
    })
  const asked = await Promise.all([0, 1, 2, 3, 4].map(ask))
  expect(asked.map((one) => one?.isFull)).toEqual([false, false, false, true, true])

  processes[0]?.release('busy', 'slot 1')
  await vi.waitFor(async () => expect((await ask(5))?.isFull).toBe(false))
})

test('admit counts requests that arrive together one by one in one call to Redis', async () => {
  await redis.set('recent:{together}:known', '{"ready":"string"}')
  const admission = createAdmission(redis)
  const policy = { name: 'account', quota: 6, windowS: 60 }
  const ask = (n: number) => {
    const recentKey = n === 0 ? 'recent:{together}:known' : undefined
    return admission.admit('together', policy, { recentKey, recentStoredForMs: 0, slots: 3, slotName: `slot ${n}` })
  }
  await admission.admit('before', policy) // the first call of a connection also sends the script
  const before = await readCalls('evalsha')
  const admitted = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(ask))
  const after = await readCalls('evalsha')

  expect(after - before).toBe(1)
  expect(admitted.map(({ rate }) => rate.allowed)).toEqual([true, true, true, true, true, true, false, false])
  expect(admitted.map(({ rate }) => rate.remaining)).toEqual([5, 4, 3, 2, 1, 0, 0, 0])
  expect(admitted.map(({ recent }) => recent !== undefined)).toEqual([true, ...Array(7).fill(false)])
  expect(admitted.map(({ isFull }) => isFull)).toEqual([false, false, false, false, true, true, false, false])
})

test('release frees the slots of one turn of the event loop with one command', async () => {
  const admission = createAdmission(redis)
  const names = ['one', 'two', 'three']
  const ask = (slotName: string) =>
    admission.admit('leaving', POLICY, { recentKey: undefined, recentStoredForMs: 0, slots: 3, slotName })
  await Promise.all(names.map(ask))
  expect((await ask('four')).isFull).toBe(true)

  const before = await readCalls('zrem')
  for (const name of names) admission.release('leaving', name)
  await vi.waitFor(async () => expect(await redis.zcard('places:{leaving}')).toBe(0))
  expect((await readCalls('zrem')) - before).toBe(1)
})

async function readCalls(command: string): Promise<number> {
  const stats = await redis.info('commandstats')
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
}
