import { expect, test, vi } from 'vitest'
import { createConnectionWaiters, type ThrottleInfo } from './waiters.ts'

const LONG_MS = 60_000

/** A throttle response with the given retry delay. */
function throttledFor(ms: number): ThrottleInfo {
  return {
    throttle: { kind: 'throttle', why: 'connections', retryAfterMs: ms, of: 'site' },
    retryAt: performance.now() + ms,
  }
}

test('call wakes one waiter at a time, in order of arrival', async () => {
  const room = createConnectionWaiters()
  const called: string[] = []
  const waits = ['first', 'second'].map((name) =>
    room.wait('a', throttledFor(LONG_MS), LONG_MS).then(() => called.push(name)),
  )
  room.wakeNext('a')
  await waits[0]
  expect(called).toEqual(['first'])
  room.wakeNext('a')
  await Promise.all(waits)
  expect(called).toEqual(['first', 'second'])
})

test('call does not wake waiters of other sites and is not stored without waiters', async () => {
  const room = createConnectionWaiters()
  room.wakeNext('a')
  const outcome = await Promise.race([
    room.wait('a', throttledFor(LONG_MS), 30).then(() => 'time is over'),
    room.wait('b', throttledFor(LONG_MS), LONG_MS).then(() => 'called for another'),
  ])
  expect(outcome).toBe('time is over')
  room.wakeNext('b')
})

test('call skips waiters that have timed out', async () => {
  const room = createConnectionWaiters()
  await room.wait('a', throttledFor(LONG_MS), 1)
  const other = room.wait('a', throttledFor(LONG_MS), LONG_MS).then(() => 'called')
  room.wakeNext('a')
  expect(await other).toBe('called')
})

test('the first waiter is woken at its retry time, and the others keep waiting', async () => {
  const room = createConnectionWaiters()
  const called: string[] = []
  const soon = throttledFor(20)
  const waits = ['first', 'second', 'third'].map((name) => room.wait('a', soon, LONG_MS).then(() => called.push(name)))
  await waits[0]
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(called).toEqual(['first'])

  await room.wait('a', throttledFor(20), 10) // a new throttle response replaces the earlier retry time
  await waits[1]
  expect(called).toEqual(['first', 'second'])
  room.wakeNext('a')
  await waits[2]
})

test('throttle info is shared by all waiters of a site until it expires', async () => {
  const room = createConnectionWaiters()
  expect(room.findThrottle('a')).toBeUndefined()
  const [soon, later] = [throttledFor(1), throttledFor(LONG_MS)]
  const waits = [room.wait('a', later, LONG_MS), room.wait('a', later, LONG_MS)]
  expect([room.findThrottle('a'), room.findThrottle('b')]).toEqual([later, undefined])
  waits.push(room.wait('a', soon, LONG_MS))
  await waits[0]
  expect(room.findThrottle('a')).toBeUndefined()
  room.wakeNext('a')
  room.wakeNext('a')
  await Promise.all(waits)
})

test('findThrottle returns nothing once the timer has fired, even if the clock is behind it', async () => {
  const room = createConnectionWaiters()
  const waits = [room.wait('a', throttledFor(5), LONG_MS), room.wait('a', throttledFor(5), LONG_MS)]
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    await waits[0]
    expect(room.findThrottle('a')).toBeUndefined()
  } finally {
    clock.mockRestore()
  }
  room.wakeNext('a')
  await waits[1]
})
