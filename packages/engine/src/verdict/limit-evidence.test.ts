import type { Evidence } from '@probity/contract/constants/validations'
import { expect, test } from 'vitest'
import { EVIDENCE_BYTES_MAX, limitEvidence } from './present.ts'

const itemOf = (check: string, detail: string): Evidence => {
  const checked_at = '2026-11-02T12:00:00.127Z'
  return { check, outcome: 'accepted', detail, source: 'live', checked_at, duration_ms: 318.4, log_odds: 2.4 }
}

test('limitEvidence leaves evidence within the limit unchanged', () => {
  const evidence = [itemOf('syntax', 'The text is a well-formed address.'), itemOf('recipient', 'a'.repeat(1_500))]
  expect(limitEvidence(evidence)).toEqual(evidence)
})

test.each([
  ['two-byte characters', 'é'.repeat(3_000)],
  ['characters of two code units', '😀'.repeat(3_000)],
  ['quotation marks, which JSON escapes', '"'.repeat(6_000)],
  ['control characters, which JSON writes as six bytes', '\u0001'.repeat(700)],
  ['64 KiB', 'a'.repeat(65_536)],
])('limitEvidence limits the bytes of details with %s, keeps every item and marks what is shortened', (_, long) => {
  const checks = ['syntax', 'mx', 'spf', 'dmarc', 'domain_class', 'recipient', 'catch_all', 'domain_history']
  const evidence = checks.map((check, n) => itemOf(check, n < 5 ? 'The domain publishes an SPF record.' : long))
  const limited = limitEvidence(evidence)
  expect(Buffer.byteLength(JSON.stringify(limited))).toBeLessThanOrEqual(EVIDENCE_BYTES_MAX)
  expect(limited.slice(0, 5)).toEqual(evidence.slice(0, 5))
  for (const [n, item] of limited.slice(5).entries()) {
    expect({ ...item, detail: '' }).toEqual({ ...evidence[n + 5], detail: '' })
    expect(item.detail).toMatch(/^.+ \[shortened\]$/u)
    expect(item.detail.isWellFormed()).toBe(true)
  }
})
