import { expect, test } from 'vitest'
import { PROVIDERS } from './data/providers.ts'
import { providerOf } from './mail-hosts.ts'

function hosts(...names: string[]) {
  return names.map((name, preference) => ({ name, preference }))
}

test.each(PROVIDERS.map(({ id, seen }) => [seen, id]))('%s is %s', (seen, id) => {
  expect(providerOf(hosts(seen))).toBe(id)
})

test.each(PROVIDERS.flatMap(({ id, suffixes }) => suffixes.map((suffix) => [suffix, id])))(
  'only names below %s belong to %s',
  (suffix, id) => {
    expect(providerOf(hosts(suffix))).toBe(id)
    expect(providerOf(hosts(`mx7.some.${suffix}`))).toBe(id)
    expect(providerOf(hosts(`evil${suffix}`))).not.toBe(id)
    expect(providerOf(hosts(`${suffix}.evil.example`))).toBe('')
  },
)

test('the longest suffix wins', () => {
  expect(providerOf(hosts('x.olc.protection.outlook.com'))).toBe('microsoft')
  expect(providerOf(hosts('x.mail.protection.outlook.com'))).toBe('microsoft365')
  expect(providerOf(hosts('x.protection.outlook.com'))).toBe('')
})

test.each([
  'evilgoogle.com',
  'google.com.evil.example',
  'com',
  'outlook.com',
  'ec2-1.compute-1.amazonaws.com',
  'mx.example',
])('%s has no known provider', (name) => {
  expect(providerOf(hosts(name))).toBe('')
})

test('providerOf returns no provider for a domain without hosts', () => {
  expect(providerOf([])).toBe('')
})

test('providerOf returns the provider when all hosts are its own, under different suffixes too', () => {
  expect(providerOf(hosts('aspmx.l.google.com', 'alt1.aspmx.l.google.com', 'aspmx2.googlemail.com'))).toBe('google')
})

test.each([
  ['mx.self.example', 'aspmx.l.google.com'],
  ['aspmx.l.google.com', 'mx.self.example'],
  ['mx1.us1.ppe-hosted.com', 'aspmx.l.google.com'],
])('providerOf returns no provider for %s with %s, whichever is preferred', (first, second) => {
  expect(providerOf(hosts(first, second))).toBe('')
  expect(providerOf([first, second].map((name) => ({ name, preference: 5 })))).toBe('')
})

test('the table has no id and no suffix twice', () => {
  const ids = PROVIDERS.map(({ id }) => id)
  const suffixes = PROVIDERS.flatMap((provider) => provider.suffixes)
  expect(ids.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(suffixes).size).toBe(suffixes.length)
  expect(ids.filter((id) => !/^[a-z][a-z0-9_]*$/.test(id))).toEqual([])
})
