import { expect, test, vi } from 'vitest'
import { RequestFailed } from '../../../session/client.ts'
import { followJob } from './follow.ts'

function failing(status: number) {
  const lose = vi.fn<() => void>()
  const stop = new AbortController()
  let opened = 0
  const ways = {
    // biome-ignore lint/correctness/useYield: the stream fails before its first event
    async *events() {
      opened++
      throw new RequestFailed({ status, code: 'any', message: 'any' })
    },
    look: () => Promise.reject(new Error('not reached')),
    show: () => {},
    tell: () => {},
    lose,
  }
  return { lose, stop, ended: followJob(ways, stop.signal), opened: () => opened }
}

test.each([401, 403, 404])('followJob ends when the stream responds with %d', async (status) => {
  const { lose, ended } = failing(status)
  await ended
  expect(lose).toHaveBeenCalledOnce()
})

test.each([0, 400, 429, 500, 503])('followJob opens the stream again when it responds with %d', async (status) => {
  vi.useFakeTimers()
  try {
    const { lose, stop, ended, opened } = failing(status)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(opened()).toBe(2)
    stop.abort()
    await ended
    expect(lose).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
