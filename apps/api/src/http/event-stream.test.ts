import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openEventStream } from './event-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RUNNING: Job = JOB_EXAMPLE
const ENDED: Job = { ...RUNNING, status: 'completed', finished_at: '2026-11-02T12:10:00.000Z' }

/** Returns the events available to the reader now. */
function take(events: ReturnType<typeof openEventStream>): string {
  return String(events.stream.read() ?? '')
}

const namesIn = (text: string) => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)

test('the first event is sent at once, after the retry interval and before the padding', () => {
  const text = take(openEventStream(RUNNING))
  expect(text).toMatch(/^retry: 3000\n\nevent: progress\nid: processing\/6400\ndata: \{.*\}\n\n:/)
  expect(text.length).toBeGreaterThan(8 * 1024)
  expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')).toEqual(RUNNING)
})

test('only changes are sent, and a new estimate alone is not a change', () => {
  const events = openEventStream(RUNNING)
  take(events)
  events.show(RUNNING)
  events.show({ ...RUNNING, eta: null })
  expect(take(events)).toBe('')
  events.show({ ...RUNNING, done_count: 6_401 })
  expect(namesIn(take(events))).toEqual(['progress'])
})

test('the end event follows the last progress and closes the stream', async () => {
  const events = openEventStream(RUNNING)
  take(events)
  events.show(ENDED)
  const text = take(events)
  expect(namesIn(text)).toEqual(['progress', 'end'])
  expect(text).toContain('event: end\nid: end\n')
  const closed = new Promise((resolve) => events.stream.once('close', resolve))
  events.stream.resume()
  await closed
  events.show(RUNNING)
  expect(events.stream.readableEnded).toBe(true)
})

test('a job that has ended is sent, and the stream is closed', () => {
  const events = openEventStream(ENDED)
  expect(namesIn(take(events))).toEqual(['progress', 'end'])
})

test('a comment every 15 seconds keeps the stream alive', () => {
  const events = openEventStream(RUNNING)
  take(events)
  vi.advanceTimersByTime(14_999)
  expect(take(events)).toBe('')
  vi.advanceTimersByTime(1)
  expect(take(events)).toBe(': heartbeat\n\n')
  vi.advanceTimersByTime(30_000)
  expect(take(events)).toBe(': heartbeat\n\n: heartbeat\n\n')
})

test('a stream ends after an hour', async () => {
  const events = openEventStream(RUNNING)
  let isOver = false
  events.stream.once('end', () => (isOver = true)).resume()
  await vi.advanceTimersByTimeAsync(60 * 60 * 1000 - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver).toBe(true)
})

test('a client that does not read uses little memory and receives the latest state and the end when it reads', () => {
  const events = openEventStream(RUNNING)
  for (let n = 0; n < 1_000; n++) events.show({ ...RUNNING, done_count: n })
  expect(events.stream.readableLength).toBeLessThan(70 * 1024)
  events.show(ENDED)
  take(events)
  events.show(ENDED)
  expect(namesIn(take(events))).toEqual(['progress', 'end'])
})

test('closing a stream clears its timers', async () => {
  const others = vi.getTimerCount()
  const events = openEventStream(RUNNING)
  expect(vi.getTimerCount()).toBe(others + 2)
  const closed = new Promise((resolve) => events.stream.once('close', resolve))
  events.stream.destroy()
  await closed
  expect(vi.getTimerCount()).toBe(others)
  events.show({ ...RUNNING, done_count: 1 })
  events.close()
})
