import { expect, test } from 'vitest'
import { readAbuseLimits } from './connection-settings.ts'

const read = (ABUSE_LIMITS: 'auto' | 'true' | 'false', SIGN_UP: 'open' | 'invitation') =>
  readAbuseLimits({ ABUSE_LIMITS, SIGN_UP, ABUSE_DOMAIN_ADDRESSES: 200 })

test('abuse limits are on by default where sign-up is open, and off for a private installation', () => {
  expect(read('auto', 'open')).toEqual({ domainAddresses: 200 })
  expect(read('auto', 'invitation')).toBeUndefined()
})

test('the setting overrides the default', () => {
  expect(read('false', 'open')).toBeUndefined()
  expect(read('true', 'invitation')).toEqual({ domainAddresses: 200 })
})
