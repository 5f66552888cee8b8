import { findSandboxCase } from '@probity/contract/sandbox'
import { expect, test } from 'vitest'
import { makeSampleFile } from './sample-file.ts'

test('the sample has 120 rows that the sandbox knows, two repeated and one without an address', async () => {
  const [header, ...rows] = (await makeSampleFile().text()).trimEnd().split('\r\n')
  expect(header).toBe('customer,email,plan')
  const emails = rows.map((row) => row.split(',')[1] ?? '')
  const filled = emails.filter((email) => email !== '')
  expect([emails.length, filled.length, new Set(filled).size]).toEqual([120, 119, 117])
  expect(filled.filter((email) => findSandboxCase(email) === undefined)).toEqual([])
})
