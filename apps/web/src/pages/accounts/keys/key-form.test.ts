import { expect, test } from 'vitest'
import { NO_LIMITS, readLimits } from './key-form.ts'

test('readLimits lets a key expire at the end of the chosen day, in the time zone of the browser', () => {
  const { expiresAt } = readLimits({ ...NO_LIMITS, expiry: 'date', expires_at: '2027-01-31' }, 'secret')
  expect(expiresAt).toEqual(new Date(2027, 0, 31, 23, 59, 59))
})

test('readLimits counts 30, 90 and 365 days from now', () => {
  for (const expiry of ['30', '90', '365'] as const) {
    const before = Date.now()
    const { expiresAt } = readLimits({ ...NO_LIMITS, expiry }, 'secret')
    const days = ((expiresAt?.getTime() ?? 0) - before) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(Number(expiry))
    expect(days).toBeLessThan(Number(expiry) + 0.01)
  }
})

test('readLimits sets no expiry for none and leaves it out for keep', () => {
  expect(readLimits({ ...NO_LIMITS, expiry: 'none' }, 'secret')).toMatchObject({ expiresAt: null })
  expect(readLimits({ ...NO_LIMITS, expiry: 'keep' }, 'secret')).not.toHaveProperty('expiresAt')
})
