import type { KeptResult } from '@probity/database/jobs/results/results'
import { expect, test } from 'vitest'
import { resultOf } from '../../testing/test-results.ts'
import { openPageSize } from './export.ts'

function resultWith(detail: string): KeptResult {
  const result = resultOf('vera@example.com')
  const evidence = result.evidence.map((one) => ({ ...one, detail }))
  return { rowNo: 2, email: 'vera@example.com', status: 'valid', subStatus: '', result: { ...result, evidence } }
}

test('openPageSize makes pages smaller when results are large, and larger again', () => {
  const size = openPageSize()
  expect(size.rows()).toBe(50)
  size.note([resultWith('short')])
  expect(size.rows()).toBe(500)
  size.note([resultWith('short'), resultWith('x'.repeat(64 * 1024))])
  expect(size.rows()).toBe(7)
  size.note([resultWith('x'.repeat(10_000_000))])
  expect(size.rows()).toBe(1)
  size.note([])
  expect(size.rows()).toBe(500)
})
