import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REFERENCE_FILE, writeReference } from './reference.ts'

test('docs/sdk-reference.md is current: otherwise run `pnpm --filter @probity/sdk generate`', () => {
  expect(readFileSync(REFERENCE_FILE, 'utf8')).toBe(writeReference())
})
