import { expect, test } from 'vitest'
import { PROVIDERS } from '../../domain/data/providers.ts'
import { PROVIDER_LIMITS } from './data/limits.ts'
import { errorLimitFor, limitsFor, type ProviderLimits, type ProviderLimitsTable } from './limits.ts'

const ROWS: [string, ProviderLimits][] = Object.entries(PROVIDER_LIMITS)

test('there are limits for every provider we know and for everybody else, and for nobody besides', () => {
  expect(Object.keys(PROVIDER_LIMITS).toSorted()).toEqual(['', ...PROVIDERS.map(({ id }) => id)].toSorted())
})

test.each(PROVIDERS)('$id is worth asking as much as the table of providers says', ({ id, probe }) => {
  expect(limitsFor(id, PROVIDER_LIMITS).probe).toBe(probe)
})

test.each(ROWS)('the numbers of “%s” make sense together', (_, limits) => {
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

test('who refuses too often is turned away, so being turned away always makes us stop', () => {
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
])('what %s punishes is in its row', (id, expected) => {
  expect(limitsFor(id, PROVIDER_LIMITS)).toMatchObject(expected)
})

test.each(['nobody', 'constructor', '__proto__', 'toString', ''])('“%s” has the limits of everybody else', (id) => {
  expect(limitsFor(id, PROVIDER_LIMITS)).toBe(PROVIDER_LIMITS[''])
})

test('a Postfix that nobody we know runs bears nine refusals, an Exim three, every other server four', () => {
  expect(errorLimitFor(PROVIDER_LIMITS[''], 'postfix')).toBe(9)
  expect(errorLimitFor(PROVIDER_LIMITS[''], 'exim')).toBe(3)
  for (const family of ['exchange', 'opensmtpd', 'haraka', 'unknown'] as const) {
    expect(errorLimitFor(PROVIDER_LIMITS[''], family)).toBe(4)
  }
})

test('a provider bears what its row says, whatever its greeting shows', () => {
  const table: ProviderLimitsTable = PROVIDER_LIMITS
  for (const { id } of PROVIDERS) {
    const limits = limitsFor(id, table)
    expect(errorLimitFor(limits, 'postfix')).toBe(limits.errorsPerConnection)
  }
})
