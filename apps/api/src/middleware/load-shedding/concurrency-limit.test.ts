import { expect, test } from 'vitest'
import { LATE_MS, openSlots } from './in-flight-tracker.ts'

const noteOften = (places: ReturnType<typeof openSlots>, times: number, ms: number, underWay: () => number) => {
  for (let n = 0; n < times; n++) places.note(ms, underWay())
}

test('the limit starts at half of the maximum, grows with demand and returns when the demand ends', () => {
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

test('a late echo reduces the limit below the slots in use, and a very late echo halves it', () => {
  const late = openSlots(512)
  late.note(LATE_MS + 1, 200)
  expect(late.count()).toBe(180)

  const veryLate = openSlots(512)
  veryLate.note(LATE_MS * 50, 200)
  expect(veryLate.count()).toBe(100)
})

test('the limit never falls below its minimum, however late echoes are', () => {
  const places = openSlots(512)
  noteOften(places, 100, 10_000, places.count)
  expect(places.count()).toBe(32)

  const few = openSlots(3)
  noteOften(few, 100, 10_000, few.count)
  expect(few.count()).toBe(3)
})

test('the limit grows again only while slots are in demand', () => {
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

/** A service with a fixed capacity under twice its load: the latency grows with the number of accepted requests. */
test('the limit converges on a latency near LATE_MS under overload', () => {
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
