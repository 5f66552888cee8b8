import { readFileSync } from 'node:fs'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import {
  DEFAULT_SCOPES,
  expandScopes,
  formatKeyHint,
  isWellFormedKey,
  KEY_PATTERN,
  KEY_SCOPES,
} from '../constants/keys.ts'
import { ApiKey, CreatedKey, CreateKey, KeyPage, UpdateKey } from './keys.ts'

test('a new key requires only a name', () => {
  expect(Value.Check(CreateKey, { name: 'Sign-up form' })).toBe(true)
  expect(Value.Default(CreateKey, { name: 'Sign-up form' })).toEqual({
    name: 'Sign-up form',
    type: 'secret',
    scopes: ['validations:read', 'validations:write', 'jobs:read', 'jobs:write', 'account:read'],
  })
})

test('DEFAULT_SCOPES exclude keys, webhooks and account settings', () => {
  expect(Object.keys(KEY_SCOPES)).toEqual([
    ...DEFAULT_SCOPES,
    'account:write',
    'keys:read',
    'keys:write',
    'webhooks:read',
    'webhooks:write',
  ])
})

test('KEY_SCOPES has a read and a write scope for each subject', () => {
  const subjects = ['validations', 'jobs', 'account', 'keys', 'webhooks']
  expect(Object.keys(KEY_SCOPES)).toEqual(subjects.flatMap((subject) => [`${subject}:read`, `${subject}:write`]))
})

test('docs/authentication.md lists every scope with its description', () => {
  const page = readFileSync(new URL('../../../../docs/authentication.md', import.meta.url), 'utf8')
  const rows = page.match(/^\| `\w+:\w+` \|.*$/gm)
  expect(rows).toEqual(Object.entries(KEY_SCOPES).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`))
})

test('expandScopes adds the read scope of each write scope, in the order of the table', () => {
  expect(expandScopes(['keys:write', 'jobs:write', 'account:read'])).toEqual([
    'jobs:read',
    'jobs:write',
    'account:read',
    'keys:read',
    'keys:write',
  ])
  expect(expandScopes(['webhooks:read'])).toEqual(['webhooks:read'])
})

test('expandScopes adds no read scope to a publishable key', () => {
  expect(expandScopes(['validations:write'], 'publishable')).toEqual(['validations:write'])
})

test.each([
  ['no name', { name: '' }],
  ['a name of 101 characters', { name: 'n'.repeat(101) }],
  ['a livemode that is no boolean', { name: 'n', livemode: 'test' }],
  ['a mode instead of livemode', { name: 'n', mode: 'test' }],
  ['an unknown scope', { name: 'n', scopes: ['everything'] }],
  ['no scope at all', { name: 'n', scopes: [] }],
  ['a scope named twice', { name: 'n', scopes: ['jobs:read', 'jobs:read'] }],
  ['a day instead of a time', { name: 'n', expires_at: '2027-11-02' }],
  ['51 allowed addresses', { name: 'n', ip_allowlist: Array(51).fill('192.0.2.1') }],
  ['a cap below zero', { name: 'n', monthly_cap: -1 }],
  ['a setting that does not exist', { name: 'n', colour: 'red' }],
])('a new key with %s is rejected', (_, body) => {
  expect(Value.Check(CreateKey, body)).toBe(false)
})

test('a change names at least one setting and does not reset others', () => {
  expect(Value.Check(UpdateKey, {})).toBe(false)
  expect(Value.Check(UpdateKey, { livemode: false })).toBe(false)
  expect(Value.Check(UpdateKey, { expires_at: null, monthly_cap: null })).toBe(true)
  expect(Value.Default(UpdateKey, { paused: true })).toEqual({ paused: true })
})

test('a limit above the maximum is accepted by the schema', () => {
  expect(Value.Check(KeyPage, { limit: 5000 })).toBe(true)
  expect(Value.Check(KeyPage, { limit: 0 })).toBe(false)
  expect(Value.Check(KeyPage, { skip: -1 })).toBe(false)
})

test('only the response to a creation has a field for the secret', () => {
  expect(ApiKey.properties).not.toHaveProperty('key')
  expect(Object.keys(CreatedKey.properties)).toEqual([...Object.keys(ApiKey.properties), 'key'])
})

test('the example secret looks like a key, matches its hint and has an invalid checksum', () => {
  const [example] = (CreatedKey as unknown as { examples: { key: string; hint: string }[] }).examples
  expect(example?.key.match(KEY_PATTERN)).toEqual([example?.key])
  expect(example?.hint).toBe(formatKeyHint(example?.key ?? ''))
  expect(isWellFormedKey(example?.key ?? '')).toBe(false)
})
