import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openEventFrames } from './event-feed.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const take = ({ stream }: ReturnType<typeof openEventFrames>) => String(stream.read() ?? '')

test('a stream starts with the reconnect delay and padding, then sends each event with its id', () => {
  const frames = openEventFrames()
  expect(take(frames)).toMatch(/^retry: 3000\n\n: {8192}\n\n$/)
  frames.send({ id: 'evt_1', body: '{"a":1}' })
  expect(take(frames)).toBe('id: evt_1\ndata: {"a":1}\n\n')
})

test('a body with a line break stays one event', () => {
  const frames = openEventFrames()
  take(frames)
  frames.send({ id: 'evt_1', body: '{\n"a":1}' })
  expect(take(frames)).toBe('id: evt_1\ndata: {\ndata: "a":1}\n\n')
})

test('a heartbeat comment is sent every 15 seconds', () => {
  const frames = openEventFrames()
  take(frames)
  vi.advanceTimersByTime(30_000)
  expect(take(frames)).toBe(': heartbeat\n\n: heartbeat\n\n')
})

test('a stream ends after an hour', async () => {
  const frames = openEventFrames()
  let isOver = false
  frames.stream.once('end', () => (isOver = true)).resume()
  await vi.advanceTimersByTimeAsync(60 * 60 * 1000)
  expect(isOver).toBe(true)
})

test('a client that reads too slowly is disconnected instead of missing an event', async () => {
  const frames = openEventFrames()
  for (let n = 0; n < 200; n += 1) frames.send({ id: `evt_${n}`, body: 'x'.repeat(10_000) })
  expect(frames.stream.readableLength).toBeLessThan(1_100_000)
  const closed = new Promise((resolve) => frames.stream.once('close', resolve))
  const ids = [...take(frames).matchAll(/^id: evt_(\d+)$/gm)].map(([, id]) => Number(id))
  frames.stream.resume()
  await closed
  expect(ids).toEqual(ids.map((_, n) => n))
})

test('a closed stream leaves no timer behind', async () => {
  const frames = openEventFrames()
  frames.stream.destroy()
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
  frames.send({ id: 'evt_1', body: '{}' })
  frames.close()
})
