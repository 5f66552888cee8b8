import { createTestDatabase } from '@probity/database/connection/test-database'
import { claimSetup, isSetupToken } from '@probity/database/users/users'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url, db } = await createTestDatabase()
const tokenOf = ({ link }: { link: string }) => new URL(link).hash.slice('#token='.length)

test('setup-link prints a working link that replaces the last one, until a user exists', async () => {
  const first = resultOf<{ link: string }>(await runAdmin(url, 'setup-link'))
  expect(first.link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/app\/setup#token=[\w-]{32}$/)
  expect(await isSetupToken(db, tokenOf(first))).toBe(true)

  const second = resultOf<{ link: string }>(await runAdmin(url, 'setup-link'))
  expect(await isSetupToken(db, tokenOf(first))).toBe(false)
  expect(await isSetupToken(db, tokenOf(second))).toBe(true)

  const ada = { name: 'Ada', email: 'ada@example.com', passwordHash: 'x', organisation: 'Engines' }
  expect(await claimSetup(db, tokenOf(second), ada)).toBe(true)
  expect(await isSetupToken(db, tokenOf(second))).toBe(false)
  expect(refusalOf(await runAdmin(url, 'setup-link'))).toBe('The installation has already been set up: a user exists.')
})
