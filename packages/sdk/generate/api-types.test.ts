import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { API_TYPES_FILE, writeApiTypes } from './api-types.ts'

/** The generator starts three programs, beside other tests. */
const GENERATED_WITHIN_MS = 120_000

test('the types match the OpenAPI document: otherwise run `pnpm --filter @probity/sdk generate`', {
  timeout: GENERATED_WITHIN_MS,
}, async () => {
  expect(readFileSync(API_TYPES_FILE, 'utf8')).toBe(await writeApiTypes())
})
