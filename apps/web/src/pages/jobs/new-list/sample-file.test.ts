import { findSandboxCase } from '@probity/contract/constants/sandbox'
import { expect, test } from 'vitest'
import { makeSampleFile } from './sample-file.ts'

test('the sample has 120 rows of sandbox addresses, two duplicates and one empty', async () => {
  const [header, ...rows] = (await makeSampleFile().text()).trimEnd().split('\r\n')
  expect(header).toBe('customer,email,plan')
  const emails = rows.map((row) => row.split(',')[1] ?? '')
  const filled = emails.filter((email) => email !== '')
  expect([emails.length, filled.length, new Set(filled).size]).toEqual([120, 119, 117])
  expect(filled.filter((email) => findSandboxCase(email) === undefined)).toEqual([])
})
