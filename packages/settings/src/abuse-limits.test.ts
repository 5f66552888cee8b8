import { expect, test } from 'vitest'
import { readAbuseLimits } from './abuse-limits.ts'

const read = (ABUSE_LIMITS: 'auto' | 'on' | 'off', SIGN_UP: 'open' | 'invitation') =>
  readAbuseLimits({ ABUSE_LIMITS, SIGN_UP, ABUSE_DOMAIN_ADDRESSES: 200 })

test('abuse limits are on by default where sign-up is open, and off for a private installation', () => {
  expect(read('auto', 'open')).toEqual({ domainAddresses: 200 })
  expect(read('auto', 'invitation')).toBeUndefined()
})

test('the setting overrides the default', () => {
  expect(read('off', 'open')).toBeUndefined()
  expect(read('on', 'invitation')).toEqual({ domainAddresses: 200 })
})
