import { expect, test } from 'vitest'
import { openWaitingRoom } from './waiting-room.ts'

const LONG_MS = 60_000

test('one call brings in one, and who came first is called first', async () => {
  const room = openWaitingRoom()
  const called: string[] = []
  const waits = ['first', 'second'].map((name) => room.wait('a', LONG_MS).then(() => called.push(name)))
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
    room.wait('a', 30).then(() => 'time is over'),
    room.wait('b', LONG_MS).then(() => 'called for another'),
  ])
  expect(outcome).toBe('time is over')
  room.call('b')
})

test('who has left is not called', async () => {
  const room = openWaitingRoom()
  await room.wait('a', 1)
  const other = room.wait('a', LONG_MS).then(() => 'called')
  room.call('a')
  expect(await other).toBe('called')
})
