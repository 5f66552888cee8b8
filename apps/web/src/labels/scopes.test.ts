import { expandScopes, KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { expect, test } from 'vitest'
import { describeScopes, PRESETS, SCOPE_WORDS } from './scopes.ts'

test.each(Object.values(PRESETS))('describeScopes returns $title for the stored scopes of that preset', (preset) => {
  expect(describeScopes(expandScopes(preset.scopes))).toBe(preset.title)
})

test('describeScopes omits read scopes that a write scope includes', () => {
  expect(describeScopes(['jobs:read', 'jobs:write', 'keys:read'])).toBe('Manage lists, read keys')
})

test('describeScopes returns the scope itself if it has no label', () => {
  expect(describeScopes(['account:read', 'reports:read'])).toBe('Read account, reports:read')
})

test('every scope has a label of its own', () => {
  const titles = (Object.keys(KEY_SCOPES) as KeyScope[]).map((scope) => SCOPE_WORDS[scope].title)
  expect(new Set(titles).size).toBe(titles.length)
})
