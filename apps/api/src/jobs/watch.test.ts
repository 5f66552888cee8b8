import type { Db } from '@probity/database/connection/connect'
import { expect, test, vi } from 'vitest'
import { openStreamSlots } from '../http/event-stream.ts'
import { startTestApi } from '../testing/test-api.ts'
import { startJob } from '../testing/test-jobs.ts'
import { openJobWatch } from './events.ts'

const api = await startTestApi()
const { log } = api.services
const caller = await api.openCaller({ credits: 10 })
const jobId = await startJob(caller, 1)
const view = { accountId: caller.accountId, mode: 'live' as const }

/** The database with a query counter; the first queries can be made to fail. */
function counted(failures = 0) {
  const asked = { times: 0 }
  const db: Db = {
    transaction() {
      asked.times++
      if (asked.times <= failures) throw new Error('away')
      return api.db.transaction()
    },
    startTransaction: () => api.db.startTransaction(),
    destroy: () => api.db.destroy(),
    programRole: api.db.programRole,
  }
  return { db, asked }
}

const SOON = { timeout: 15_000, interval: 20 }

test('all watchers of a job share one query, and there are no queries after they have left', async () => {
  const { db, asked } = counted()
  const watch = openJobWatch(db, log)
  const heard = Array.from({ length: 20 }, () => 0)
  const leave = heard.map((_, n) =>
    watch.listen(view, jobId, () => {
      heard[n] = (heard[n] ?? 0) + 1
    }),
  )
  await vi.waitFor(() => expect(Math.min(...heard)).toBeGreaterThanOrEqual(3), SOON)
  expect(new Set(heard).size).toBe(1)
  for (const stop of leave) stop()
  const [timesHeard, timesAsked] = [heard[0] ?? 0, asked.times]
  expect(timesAsked - timesHeard).toBeLessThanOrEqual(1)

  const other = openJobWatch(api.db, log)
  let ticks = 0
  const stop = other.listen(view, jobId, () => ticks++)
  await vi.waitFor(() => expect(ticks).toBeGreaterThanOrEqual(3), SOON)
  stop()
  expect(asked.times).toBe(timesAsked)
})

test('a watcher that joins after the last one left gets events', async () => {
  const watch = openJobWatch(api.db, log)
  for (let round = 0; round < 2; round++) {
    const job = await new Promise((resolve) => {
      const stop = watch.listen(view, jobId, (seen) => {
        stop()
        resolve(seen)
      })
    })
    expect(job).toMatchObject({ id: jobId, status: 'queued' })
  }
})

test('the watch retries after the database was unavailable', async () => {
  const { db } = counted(2)
  const listener = vi.fn()
  const stop = openJobWatch(db, log).listen(view, jobId, listener)
  await vi.waitFor(() => expect(listener).toHaveBeenCalled(), SOON)
  stop()
})

test('a job of another account is not found', async () => {
  const other = await api.openCaller()
  const listener = vi.fn()
  const stop = openJobWatch(api.db, log).listen({ ...view, accountId: other.accountId }, jobId, listener)
  await vi.waitFor(() => expect(listener).toHaveBeenCalledWith(undefined), SOON)
  stop()
})

test('streams are limited per account and per process, and a closed stream frees its slot once', () => {
  const places = openStreamSlots({ perProcess: 6, perAccount: 2, perNetwork: 100 })
  const take = (accountId: string) => places.take(accountId, '192.0.2.1')
  const leave = take('a')
  take('a')
  expect(() => take('a')).toThrow(expect.objectContaining({ code: 'too_many_streams' }))
  leave()
  leave()
  take('a')
  const others = ['b', 'c', 'd', 'e'].map(take)
  expect(() => take('f')).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterS: 15 }))
  others[0]?.()
  take('f')
})

test('the second stream of an account needs a slot in the first half', () => {
  const places = openStreamSlots({ perProcess: 6, perAccount: 3, perNetwork: 100 })
  const take = (accountId: string) => places.take(accountId, '192.0.2.1')
  const leave = take('a')
  take('a')
  take('b')
  for (const accountId of ['a', 'b']) {
    expect(() => take(accountId)).toThrow(expect.objectContaining({ code: 'overloaded' }))
  }
  for (const accountId of ['c', 'd', 'e']) take(accountId)
  leave()
  expect(() => take('b')).toThrow(expect.objectContaining({ code: 'overloaded' }))
})

test('streams are limited per network', () => {
  const places = openStreamSlots({ perProcess: 100, perAccount: 10, perNetwork: 2 })
  const leave = places.take('a', '2001:db8::1')
  places.take('b', '2001:db8::2')
  expect(() => places.take('c', '2001:db8::3')).toThrow(expect.objectContaining({ code: 'too_many_streams' }))
  places.take('c', '2001:db8:0:1::3')
  leave()
  places.take('c', '2001:db8::3')
})
