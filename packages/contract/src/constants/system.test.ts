import { expect, test } from 'vitest'
import { healthMessage } from './system.ts'

const trouble = (name: string) => ({
  provider: 'x',
  name,
  reason: 'rate_limited',
  retry_at: '2026-11-09T15:00:00.000Z',
})
const say = (...names: string[]) =>
  healthMessage({ status: 'limited', providers: names.map(trouble) }, (retryAt) => retryAt.slice(11, 16))

test('healthMessage names the limiting providers and the earliest time', () => {
  expect(say('Yahoo')).toBe('Yahoo limits probes: expect more unknown results until about 15:00.')
  expect(say('Yahoo', 'GMX')).toBe('Yahoo and GMX limit probes: expect more unknown results until about 15:00.')
  expect(say('Yahoo', 'GMX', 'Orange')).toContain('Yahoo, GMX and one other provider limit probes')
  expect(say('Yahoo', 'GMX', 'Orange', 'Free')).toContain('Yahoo, GMX and 2 other providers limit probes')
})

test('healthMessage has a text for the normal and the unknown state', () => {
  const none = (status: string) => healthMessage({ status, providers: [] }, String)
  expect(none('normal')).toBe('No mailbox provider limits probes at the moment.')
  expect(none('unknown')).toContain('is not known')
  expect(none('a status of another time')).toContain('is not known')
})
