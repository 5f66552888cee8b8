import { expect, test } from 'vitest'
import { refreshMs } from './queries.ts'

const NOW = Date.parse('2026-11-02T12:00:00Z')
const pending = (retry_at: string | null) => ({ status: 'pending', retry_at })

test('deliveries are looked at again while something is to come of them, the sooner the oftener', () => {
  const soon = Number(refreshMs([pending('2026-11-02T12:00:05Z')], NOW))
  const late = Number(refreshMs([pending('2026-11-02T14:00:00Z')], NOW))
  expect(soon).toBeGreaterThan(0)
  expect(late).toBeGreaterThan(soon)
  expect(refreshMs([pending('2026-11-02T14:00:00Z'), pending(null)], NOW)).toBe(soon)
})

test('what has ended is not asked for again', () => {
  expect(refreshMs([{ status: 'delivered', retry_at: null }], NOW)).toBe(false)
  expect(refreshMs([], NOW)).toBe(false)
})
