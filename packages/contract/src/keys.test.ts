import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { hintOf, isWellFormedKey, KEY_PATTERN } from './key-format.ts'
import { ApiKey, CreatedKey, CreateKey, DEFAULT_SCOPES, KEY_SCOPES, KeyPage, UpdateKey } from './keys.ts'

test('a new key needs a name and nothing else', () => {
  expect(Value.Check(CreateKey, { name: 'Sign-up form' })).toBe(true)
  expect(Value.Default(CreateKey, { name: 'Sign-up form' })).toEqual({
    name: 'Sign-up form',
    mode: 'live',
    type: 'secret',
    scopes: ['validation', 'bulk', 'account'],
  })
})

test('a new key has no power over other keys, nor over where answers are sent, unless asked for', () => {
  expect(Object.keys(KEY_SCOPES)).toEqual([...DEFAULT_SCOPES, 'keys', 'webhooks', 'settings'])
})

test.each([
  ['no name', { name: '' }],
  ['a name of 101 characters', { name: 'n'.repeat(101) }],
  ['an unknown mode', { name: 'n', mode: 'staging' }],
  ['an unknown scope', { name: 'n', scopes: ['everything'] }],
  ['no scope at all', { name: 'n', scopes: [] }],
  ['a scope named twice', { name: 'n', scopes: ['bulk', 'bulk'] }],
  ['a day instead of a time', { name: 'n', expires_at: '2027-11-02' }],
  ['51 allowed addresses', { name: 'n', ip_allow_list: Array(51).fill('192.0.2.1') }],
  ['a cap below zero', { name: 'n', monthly_cap: -1 }],
  ['a setting that does not exist', { name: 'n', colour: 'red' }],
])('a new key with %s is refused', (_, body) => {
  expect(Value.Check(CreateKey, body)).toBe(false)
})

test('a change names at least one setting and resets none of the others', () => {
  expect(Value.Check(UpdateKey, {})).toBe(false)
  expect(Value.Check(UpdateKey, { mode: 'test' })).toBe(false)
  expect(Value.Check(UpdateKey, { expires_at: null, monthly_cap: null })).toBe(true)
  expect(Value.Default(UpdateKey, { paused: true })).toEqual({ paused: true })
})

test('a page longer than allowed is not refused', () => {
  expect(Value.Check(KeyPage, { limit: 5000 })).toBe(true)
  expect(Value.Check(KeyPage, { limit: 0 })).toBe(false)
  expect(Value.Check(KeyPage, { skip: -1 })).toBe(false)
})

test('only the answer to a creation has room for the secret', () => {
  expect(ApiKey.properties).not.toHaveProperty('key')
  expect(Object.keys(CreatedKey.properties)).toEqual([...Object.keys(ApiKey.properties), 'key'])
})

test('the example secret looks like a key, fits its hint and can never be a real one', () => {
  const [example] = (CreatedKey as unknown as { examples: { key: string; hint: string }[] }).examples
  expect(example?.key.match(KEY_PATTERN)).toEqual([example?.key])
  expect(example?.hint).toBe(hintOf(example?.key ?? ''))
  expect(isWellFormedKey(example?.key ?? '')).toBe(false)
})
