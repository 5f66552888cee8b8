import { expect, test } from 'vitest'
import { refreshMs } from './queries.ts'

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
