import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { asOwner } from '@probity/database/connection/connect'
import { whenDone } from '@probity/lab/when-done'
import { slotsKey } from '@probity/redis/keys'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { start } from '../../server/start.ts'
import { startTestApi, type TestClient } from '../../testing/test-api.ts'
import { startClaiming } from '../../testing/test-plain-worker.ts'
import { createSlotQueue } from './slot-queue.ts'

const open = new AbortController().signal

test('waiting requests of an account get slots in order of arrival, and another account does not wait for them', async () => {
  const slots = createSlotQueue()
  const free: string[] = []
  const order: string[] = []
  const enter = async (accountId: string, name: string) => {
    await slots.wait(accountId, open, async () => free.shift())
    order.push(name)
  }
  const all = [enter('one', 'first'), enter('one', 'second'), enter('one', 'third'), enter('two', 'other')]
  free.push('slot')
  slots.wake('two')
  await all[3]
  for (const waiting of all.slice(0, 3)) {
    free.push('slot')
    slots.wake('one')
    await waiting
  }
  expect(order).toEqual(['other', 'first', 'second', 'third'])
})

test('at most ten requests of an account and a hundred of a process wait', async () => {
  const slots = createSlotQueue()
  const closed = new AbortController()
  const enter = (accountId: string) => slots.wait(accountId, closed.signal, async () => undefined)
  const waiting = Array.from({ length: 100 }, (_, n) => enter(`account-${Math.floor(n / 10)}`))
  let settled = 0
  for (const one of waiting) void one.then(() => settled++)
  // Without a wait: their promises are settled before the next turn of the event loop.
  expect(await Promise.race([enter('account-0'), new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe(
    undefined,
  )
  expect(await Promise.race([enter('account-10'), new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe(
    undefined,
  )
  expect(settled).toBe(0)
  closed.abort()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => undefined))
  expect(await slots.wait('account-0', open, async () => 'slot')).toBe('slot')
})

test('a request whose client has disconnected does not take a slot, and the next one does', async () => {
  const slots = createSlotQueue()
  const closed = new AbortController()
  const taken: string[] = []
  const take = (name: string) => async () => {
    taken.push(name)
    return name
  }
  const [gone, next] = [slots.wait('one', closed.signal, take('gone')), slots.wait('one', open, take('next'))]
  closed.abort()
  expect([await gone, await next, taken]).toEqual([undefined, 'next', ['next']])
})

const api = await startTestApi()
await asOwner(api.db, (trx) =>
  sql`insert into plans select 'one-at-once', api_access, ai_enhancement, catchall_detection, refund_unknown,
      6, 60, 1, emails_per_file from plans where name = 'payg'`.execute(trx),
)

function ask(caller: TestClient, timeout: number) {
  return caller.call({ method: 'POST', url: '/api/v1/validation/single', payload: { email: 'a@example.com', timeout } })
}

const takenBy = ({ accountId }: TestClient) => api.services.redis.zcard(slotsKey(accountId))

test('a request gets the slot that another process releases', async () => {
  const caller = await api.openCaller({ credits: 5, plan: 'one-at-once' })
  await api.services.redis.zadd(slotsKey(caller.accountId), (Date.now() + 60_000) * 1_000, 'elsewhere')
  const waiting = ask(caller, 1)
  const counted = () => expect(api.services.redis.keys(`*${caller.accountId}*`)).resolves.toHaveLength(2)
  await vi.waitFor(counted, 5_000)
  await api.services.redis.zrem(slotsKey(caller.accountId), 'elsewhere')
  expect((await waiting).status).toBe(200)
  await vi.waitFor(async () => expect(await takenBy(caller)).toBe(0), 5_000)
})

test('a client that disconnects stops waiting and leaves no slot taken', async () => {
  const caller = await api.openCaller({ credits: 5, plan: 'one-at-once' })
  await api.services.redis.zadd(slotsKey(caller.accountId), (Date.now() + 60_000) * 1_000, 'elsewhere')
  const worker = startClaiming(api.db)
  const body = JSON.stringify({ email: `${randomUUID()}@example.com` })
  const listening = await start(api.config, api.services.log)
  whenDone(() => listening.stop())
  const socket = connect(listening.address.port, '127.0.0.1')
  socket.write(
    `POST /api/v1/validation/single HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${caller.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const counted = () => expect(api.services.redis.keys(`*${caller.accountId}*`)).resolves.toHaveLength(2)
  await vi.waitFor(counted, 5_000)
  socket.destroy()
  const next = ask(caller, 1)
  await api.services.redis.zrem(slotsKey(caller.accountId), 'elsewhere')
  // The next in the queue, and not the disconnected one, gets the slot.
  expect((await next).status).toBe(200)
  await vi.waitFor(async () => expect(await takenBy(caller)).toBe(0), 5_000)
  await worker.stop()
})
