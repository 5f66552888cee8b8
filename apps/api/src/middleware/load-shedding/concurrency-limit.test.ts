import { expect, test } from 'vitest'
import { LATE_MS, openSlots } from './in-flight-tracker.ts'

const noteOften = (places: ReturnType<typeof openSlots>, times: number, ms: number, underWay: () => number) => {
  for (let n = 0; n < times; n++) places.note(ms, underWay())
}

test('half of the places are there until more are wanted, and again when they are not any more', () => {
  const places = openSlots(512)
  expect(places.count()).toBe(256)
  noteOften(places, 100, LATE_MS, () => 3)
  expect(places.count()).toBe(256)
  noteOften(places, 100, LATE_MS, places.count)
  expect(places.count()).toBe(512)
  noteOften(places, 100, LATE_MS, () => 150)
  expect(places.count()).toBe(512)
  noteOften(places, 10, LATE_MS, () => 3)
  expect(places.count()).toBeGreaterThan(400)
  noteOften(places, 100, LATE_MS, () => 3)
  expect(places.count()).toBe(256)
})

test('a late echo leaves fewer places than were taken, and a very late one half of them', () => {
  const late = openSlots(512)
  late.note(LATE_MS + 1, 200)
  expect(late.count()).toBe(180)

  const veryLate = openSlots(512)
  veryLate.note(LATE_MS * 50, 200)
  expect(veryLate.count()).toBe(100)
})

test('some places are left however late echoes are', () => {
  const places = openSlots(512)
  noteOften(places, 100, 10_000, places.count)
  expect(places.count()).toBe(32)

  const few = openSlots(3)
  noteOften(few, 100, 10_000, few.count)
  expect(few.count()).toBe(3)
})

test('places come back while they are wanted, and not before', () => {
  const places = openSlots(512)
  noteOften(places, 100, 10_000, places.count)
  noteOften(places, 100, 5, () => 3)
  expect(places.count()).toBe(32)

  noteOften(places, 10, 5, places.count)
  expect(places.count()).toBeGreaterThan(70)
  places.note(5, 3, 1)
  expect(places.count()).toBeGreaterThan(76)
  noteOften(places, 100, 5, places.count)
  expect(places.count()).toBe(512)
})

/** A service that can answer so many in a second, to which twice as many come: everybody waits as long as those before them take. */
test('what is let in finds a balance in which nobody waits long', () => {
  const capacity = 500
  const places = openSlots(512)
  const waits: number[] = []
  for (let tick = 0; tick < 300; tick++) {
    const underWay = places.count()
    const echoMs = (underWay / capacity) * 1_000
    if (tick > 50) waits.push(echoMs)
    places.note(echoMs, underWay)
  }
  expect(Math.max(...waits)).toBeLessThan(LATE_MS * 1.2)
  expect(Math.min(...waits)).toBeGreaterThan(LATE_MS * 0.7)
})
