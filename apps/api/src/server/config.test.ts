import { BadSettings } from '@probity/settings/parse'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const NEEDED = { DATABASE_URL: 'postgres://db/probity', REDIS_URL: 'redis://redis:6379' }
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  PUBLIC_URL: 'https://probity.example/',
}
const PAID = { ...NEEDED, ...STRIPE, NEW_ACCOUNT_CREDITS: '0' }

test('payments are disabled without settings', () => {
  expect(readConfig(NEEDED).payments).toBeUndefined()
  expect(readConfig({ ...NEEDED, PUBLIC_URL: STRIPE.PUBLIC_URL }).payments).toBeUndefined()
  expect(readConfig(PAID).payments).toEqual({
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    publicUrl: 'https://probity.example',
    suspendsOnDispute: true,
  })
  expect(readConfig({ ...PAID, SUSPEND_ON_DISPUTE: 'false' }).payments).toMatchObject({ suspendsOnDispute: false })
})

test.each(Object.keys(STRIPE))('readConfig rejects payments without %s', (name) => {
  expect(() => readConfig({ ...PAID, [name]: '' })).toThrow(BadSettings)
})

test('readConfig rejects payments together with unlimited opening credits', () => {
  const unlimited = /PROBITY_NEW_ACCOUNT_CREDITS must be a number if payments are enabled/
  expect(() => readConfig({ ...NEEDED, ...STRIPE, NEW_ACCOUNT_CREDITS: 'unlimited' })).toThrow(unlimited)
  expect(() => readConfig({ ...NEEDED, ...STRIPE })).toThrow(unlimited)
  const open = { ...NEEDED, ...STRIPE, SIGN_UP: 'open' }
  expect(() => readConfig({ ...open, NEW_ACCOUNT_CREDITS: 'unlimited' })).toThrow(unlimited)
  expect(readConfig({ ...NEEDED, ...STRIPE, NEW_ACCOUNT_CREDITS: '100' }).opening.credits).toBe(100)
  expect(readConfig(open).opening.credits).toBe(0)
})

test.each([
  [{}, 'operators', null],
  [{ SIGN_UP: 'open' }, 'users', 0],
  [{ ACCOUNT_CREATION: 'users' }, 'users', null],
  [{ SIGN_UP: 'open', ACCOUNT_CREATION: 'operators', NEW_ACCOUNT_CREDITS: 'unlimited' }, 'operators', null],
])('with %j, %s create accounts, with %s credits', (env, accountCreation, credits) => {
  expect(readConfig({ ...NEEDED, ...env })).toMatchObject({ accountCreation, opening: { credits } })
})

test('readConfig rejects a publishable Stripe key without printing it', () => {
  const env = { ...PAID, STRIPE_SECRET_KEY: 'pk_live_1' }
  expect(() => readConfig(env)).toThrow(/STRIPE_SECRET_KEY is not valid/)
  expect(() => readConfig(env)).not.toThrow(/pk_live_1/)
})

test('readConfig rejects TRUST_PROXY with an invalid entry', () => {
  const withProxies = (TRUST_PROXY: string) => readConfig({ ...NEEDED, TRUST_PROXY }).trustedProxies
  expect(withProxies('192.0.2.1, 2001:db8::/32')).toEqual(['192.0.2.1', '2001:db8::/32'])
  expect(() => withProxies('192.0.2.1, proxy.example')).toThrow('TRUST_PROXY must contain IP addresses or CIDR ranges')
})

test.each([
  [{ HOST: '127.0.0.1' }],
  [{ PUBLIC_URL: 'http://localhost:3000' }],
  [{ PUBLIC_URL: 'http://127.0.0.2:3000', HOST: '0.0.0.0' }],
  [{ PUBLIC_URL: 'http://[::1]:3000' }],
])('OPERATOR_2FA can be optional on loopback: %j', (env) => {
  expect(readConfig({ ...NEEDED, ...env }).operators.requiresTwoFactor).toBe(true)
  expect(readConfig({ ...NEEDED, ...env, OPERATOR_2FA: 'optional' }).operators.requiresTwoFactor).toBe(false)
})

test.each([
  [{ HOST: '0.0.0.0' }],
  [{ PUBLIC_URL: 'https://probity.example' }],
  [{ PUBLIC_URL: 'http://192.168.1.10:3000', HOST: '127.0.0.1' }],
  [{ PUBLIC_URL: 'https://localhost.example' }],
  [{ PUBLIC_URL: 'https://127.0.0.1.example' }],
])('OPERATOR_2FA cannot be optional elsewhere: %j', (env) => {
  expect(() => readConfig({ ...NEEDED, ...env, OPERATOR_2FA: 'optional' })).toThrow(
    'PROBITY_OPERATOR_2FA can be optional only',
  )
})

test('readConfig rejects OPERATOR_NETWORKS with an invalid entry', () => {
  const withNetworks = (OPERATOR_NETWORKS: string) => readConfig({ ...NEEDED, OPERATOR_NETWORKS }).operators.networks
  expect(withNetworks('')).toEqual([])
  expect(withNetworks('192.0.2.1, 2001:db8::/32')).toEqual(['192.0.2.1', '2001:db8::/32'])
  expect(() => withNetworks('office')).toThrow('OPERATOR_NETWORKS must contain IP addresses or CIDR ranges')
})

test('the API rejects the secrets of workers and operator commands', () => {
  for (const [name, value] of Object.entries({
    DATABASE_OWNER_URL: 'postgres://owner@db/x',
    SMTP_EGRESS: 'a.example=b',
  }))
    expect(() => readConfig({ ...PAID, [name]: value })).toThrow(`${name} is a secret that this process does not use`)
})
