import { expect, test } from 'vitest'
import { healthSentence } from './provider-health.ts'

const trouble = (name: string) => ({ provider: 'x', name, reason: 'rate_limited', until: '2026-11-09T15:00:00.000Z' })
const say = (...names: string[]) =>
  healthSentence({ status: 'limited', providers: names.map(trouble) }, (until) => until.slice(11, 16))

test('names those who put us off, and the first time', () => {
  expect(say('Yahoo')).toBe('Yahoo puts us off: expect more unknown results until about 15:00.')
  expect(say('Yahoo', 'GMX')).toBe('Yahoo and GMX put us off: expect more unknown results until about 15:00.')
  expect(say('Yahoo', 'GMX', 'Orange')).toContain('Yahoo, GMX and one other provider put us off')
  expect(say('Yahoo', 'GMX', 'Orange', 'Free')).toContain('Yahoo, GMX and 2 other providers put us off')
})

test('says so where there is nothing to say, and where nothing is known', () => {
  const none = (status: string) => healthSentence({ status, providers: [] }, String)
  expect(none('normal')).toBe('No mail provider keeps us away at the moment.')
  expect(none('unknown')).toContain('is not known')
  expect(none('a status of another time')).toContain('is not known')
})
