import { BadSettings } from '@probity/settings/bad-settings'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const NEEDED = { DATABASE_URL: 'postgres://db/probity', REDIS_URL: 'redis://redis:6379' }
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  PUBLIC_URL: 'https://probity.example/',
}

test('payments are off until they are set up', () => {
  expect(readConfig(NEEDED).payments).toBeUndefined()
  expect(readConfig({ ...NEEDED, PUBLIC_URL: STRIPE.PUBLIC_URL }).payments).toBeUndefined()
  expect(readConfig({ ...NEEDED, ...STRIPE }).payments).toEqual({
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    publicUrl: 'https://probity.example',
  })
})

test.each(Object.keys(STRIPE))('payments that lack %s are refused at the start, since somebody might pay', (name) => {
  expect(() => readConfig({ ...NEEDED, ...STRIPE, [name]: '' })).toThrow(BadSettings)
})

test('a publishable key in the place of the secret one is refused, and not repeated', () => {
  const env = { ...NEEDED, ...STRIPE, STRIPE_SECRET_KEY: 'pk_live_1' }
  expect(() => readConfig(env)).toThrow(/STRIPE_SECRET_KEY is not valid/)
  expect(() => readConfig(env)).not.toThrow(/pk_live_1/)
})

test('TRUST_PROXY is rejected when an entry is no address and no range', () => {
  const withProxies = (TRUST_PROXY: string) => readConfig({ ...NEEDED, TRUST_PROXY }).trustedProxies
  expect(withProxies('192.0.2.1, 2001:db8::/32')).toEqual(['192.0.2.1', '2001:db8::/32'])
  expect(() => withProxies('192.0.2.1, proxy.example')).toThrow('TRUST_PROXY must hold addresses or CIDR ranges')
})
