import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { API_TYPES_FILE, writeApiTypes } from './api-types.ts'

test('the types match the OpenAPI document: otherwise run `pnpm --filter @probity/sdk generate`', async () => {
  expect(readFileSync(API_TYPES_FILE, 'utf8')).toBe(await writeApiTypes())
})
