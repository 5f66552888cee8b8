import { expect, test } from 'vitest'
import { successRate } from './success-rate.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

test('successRate counts only deliveries completed within a day', () => {
  const deliveries = [
    { status: 'delivered', finished_at: '2026-11-15T11:00:00Z' },
    { status: 'failed', finished_at: '2026-11-14T12:00:00Z' },
    { status: 'delivered', finished_at: '2026-11-14T11:59:59Z' },
    { status: 'pending', finished_at: null },
  ] as const
  expect(successRate(deliveries, NOW)).toEqual({ delivered: 1, ended: 2 })
  expect(successRate([], NOW)).toEqual({ delivered: 0, ended: 0 })
})
