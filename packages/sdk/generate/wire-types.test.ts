import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { WIRE_TYPES_FILE, writeWireTypes } from './wire-types.ts'

test('the types are those of the api as it is now: otherwise run `pnpm --filter @probity/sdk generate`', async () => {
  expect(readFileSync(WIRE_TYPES_FILE, 'utf8')).toBe(await writeWireTypes())
})
