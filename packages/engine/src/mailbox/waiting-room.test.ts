import { expect, test, vi } from 'vitest'
import { openWaitingRoom, type Told } from './waiting-room.ts'

const LONG_MS = 60_000

/** Of somebody who may ask again after so long. */
function told(ms: number): Told {
  return {
    hold: { kind: 'hold', why: 'connections', retryAfterMs: ms, of: 'site' },
    askAgainAt: performance.now() + ms,
  }
}

test('one call brings in one, and who came first is called first', async () => {
  const room = openWaitingRoom()
  const called: string[] = []
  const waits = ['first', 'second'].map((name) => room.wait('a', told(LONG_MS), LONG_MS).then(() => called.push(name)))
  room.call('a')
  await waits[0]
  expect(called).toEqual(['first'])
  room.call('a')
  await Promise.all(waits)
  expect(called).toEqual(['first', 'second'])
})

test('who waits for another site hears nothing, and a call to an empty room is lost', async () => {
  const room = openWaitingRoom()
  room.call('a')
  const outcome = await Promise.race([
    room.wait('a', told(LONG_MS), 30).then(() => 'time is over'),
    room.wait('b', told(LONG_MS), LONG_MS).then(() => 'called for another'),
  ])
  expect(outcome).toBe('time is over')
  room.call('b')
})

test('who has left is not called', async () => {
  const room = openWaitingRoom()
  await room.wait('a', told(LONG_MS), 1)
  const other = room.wait('a', told(LONG_MS), LONG_MS).then(() => 'called')
  room.call('a')
  expect(await other).toBe('called')
})

test('the first is called when there is a point in asking again, and the others go on waiting', async () => {
  const room = openWaitingRoom()
  const called: string[] = []
  const soon = told(20)
  const waits = ['first', 'second', 'third'].map((name) => room.wait('a', soon, LONG_MS).then(() => called.push(name)))
  await waits[0]
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(called).toEqual(['first'])

  await room.wait('a', told(20), 10) // who was told no once more: from now on that counts
  await waits[1]
  expect(called).toEqual(['first', 'second'])
  room.call('a')
  await waits[2]
})

test('what those who wait were told is known to all until it is over', async () => {
  const room = openWaitingRoom()
  expect(room.told('a')).toBeUndefined()
  const [soon, later] = [told(1), told(LONG_MS)]
  const waits = [room.wait('a', later, LONG_MS), room.wait('a', later, LONG_MS)]
  expect([room.told('a'), room.told('b')]).toEqual([later, undefined])
  waits.push(room.wait('a', soon, LONG_MS))
  await waits[0]
  expect(room.told('a')).toBeUndefined()
  room.call('a')
  room.call('a')
  await Promise.all(waits)
})

test('told returns nothing once the timer has fired, even if the clock is behind it', async () => {
  const room = openWaitingRoom()
  const waits = [room.wait('a', told(5), LONG_MS), room.wait('a', told(5), LONG_MS)]
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    await waits[0]
    expect(room.told('a')).toBeUndefined()
  } finally {
    clock.mockRestore()
  }
  room.call('a')
  await waits[1]
})
