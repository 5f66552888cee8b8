import { expect, test } from 'vitest'
import { PROVIDERS } from '../../domain/data/providers.ts'
import { PROVIDER_LIMITS } from './data/limits.ts'
import { errorLimitFor, limitsFor, type ProviderLimits, type ProviderLimitsTable } from './limits.ts'

const ROWS: [string, ProviderLimits][] = Object.entries(PROVIDER_LIMITS)

test('PROVIDER_LIMITS has one row per known provider and the default row', () => {
  expect(Object.keys(PROVIDER_LIMITS).toSorted()).toEqual(['', ...PROVIDERS.map(({ id }) => id)].toSorted())
})

test.each(PROVIDERS)('the probe value of $id equals that of the table of providers', ({ id, probe }) => {
  expect(limitsFor(id, PROVIDER_LIMITS).probe).toBe(probe)
})

test.each(ROWS)('the limits of “%s” are consistent', (_, limits) => {
  const whole = [
    limits.recipientsPerTransaction,
    limits.recipientsPerConnection,
    limits.connectionsPerEgress,
    limits.connectionsPerMinute,
    limits.errorsPerConnection,
    limits.errorsPerHour ?? 1,
    ...limits.retryDelaysS,
    ...Object.values(limits.suspendS),
  ]
  for (const number of whole) expect(number).toSatisfy((n: number) => Number.isInteger(n) && n > 0)
  expect(limits.recipientsPerTransaction).toBeLessThanOrEqual(limits.recipientsPerConnection)
  expect(limits.connectionsPerEgress).toBeLessThanOrEqual(5)
  expect(limits.errorsPerConnection).toBeLessThanOrEqual(Math.min(4, limits.errorsPerHour ?? 4))
  expect(limits.retryDelaysS).toEqual(limits.retryDelaysS.toSorted((a, b) => a - b))
  expect(limits.retryDelaysS.length).toBeLessThanOrEqual(4)
  expect(Math.max(...Object.values(limits.suspendS))).toBeLessThanOrEqual(86_400)
})

test('every row has a suspension for blocks, rate limits and too many errors', () => {
  for (const [, { suspendS }] of ROWS) {
    expect(suspendS).toMatchObject({
      ip_blocked: expect.any(Number),
      rate_limited: expect.any(Number),
      too_many_errors: expect.any(Number),
    })
  }
})

test.each([
  ['microsoft', { recipientsPerTransaction: 1 }],
  ['microsoft365', { recipientsPerTransaction: 1 }],
  ['gmx', { errorsPerConnection: 1 }],
  ['ukr_net', { errorsPerConnection: 1 }],
  ['godaddy', { errorsPerHour: 10 }],
  ['google', { tls: 'offered', truthfulDomains: ['gmail.com', 'googlemail.com'] }],
])('the limits of %s match its known rules', (id, expected) => {
  expect(limitsFor(id, PROVIDER_LIMITS)).toMatchObject(expected)
})

test.each(['nobody', 'constructor', '__proto__', 'toString', ''])('“%s” has the default limits', (id) => {
  expect(limitsFor(id, PROVIDER_LIMITS)).toBe(PROVIDER_LIMITS[''])
})

test('errorLimitFor of an unknown provider is nine for Postfix, three for Exim and four for other families', () => {
  expect(errorLimitFor(PROVIDER_LIMITS[''], 'postfix')).toBe(9)
  expect(errorLimitFor(PROVIDER_LIMITS[''], 'exim')).toBe(3)
  for (const family of ['exchange', 'opensmtpd', 'haraka', 'unknown'] as const) {
    expect(errorLimitFor(PROVIDER_LIMITS[''], family)).toBe(4)
  }
})

test('errorLimitFor of a known provider ignores the server family', () => {
  const table: ProviderLimitsTable = PROVIDER_LIMITS
  for (const { id } of PROVIDERS) {
    const limits = limitsFor(id, table)
    expect(errorLimitFor(limits, 'postfix')).toBe(limits.errorsPerConnection)
  }
})
