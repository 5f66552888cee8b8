import { expect, test } from 'vitest'
import { refreshMs, successRate } from './webhooks.ts'

const NOW = Date.parse('2026-11-02T12:00:00Z')
const pending = (retry_at: string | null) => ({ status: 'pending', retry_at })

test('refreshMs is shorter while an attempt is due and longer while it is hours away', () => {
  const soon = Number(refreshMs([pending('2026-11-02T12:00:05Z')], NOW))
  const late = Number(refreshMs([pending('2026-11-02T14:00:00Z')], NOW))
  expect(soon).toBeGreaterThan(0)
  expect(late).toBeGreaterThan(soon)
  expect(refreshMs([pending('2026-11-02T14:00:00Z'), pending(null)], NOW)).toBe(soon)
})

test('refreshMs is false without pending deliveries', () => {
  expect(refreshMs([{ status: 'delivered', retry_at: null }], NOW)).toBe(false)
  expect(refreshMs([], NOW)).toBe(false)
})

const RATE_NOW = Date.parse('2026-11-15T12:00:00Z')

test('successRate counts only deliveries completed within a day', () => {
  const deliveries = [
    { status: 'delivered', finished_at: '2026-11-15T11:00:00Z' },
    { status: 'failed', finished_at: '2026-11-14T12:00:00Z' },
    { status: 'delivered', finished_at: '2026-11-14T11:59:59Z' },
    { status: 'pending', finished_at: null },
  ] as const
  expect(successRate(deliveries, RATE_NOW)).toEqual({ delivered: 1, ended: 2 })
  expect(successRate([], RATE_NOW)).toEqual({ delivered: 0, ended: 0 })
})
