import { claimSetup, isSetupToken } from '@probity/database/people'
import { createTestDatabase } from '@probity/database/test-database'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url, db } = await createTestDatabase()
const tokenOf = ({ link }: { link: string }) => new URL(link).hash.slice('#token='.length)

test('prints a link whose token works, in the place of the last one, until there is somebody', async () => {
  const first = resultOf<{ link: string }>(await runAdmin(url, 'setup-link'))
  expect(first.link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/app\/setup#token=[\w-]{32}$/)
  expect(await isSetupToken(db, tokenOf(first))).toBe(true)

  const second = resultOf<{ link: string }>(await runAdmin(url, 'setup-link'))
  expect(await isSetupToken(db, tokenOf(first))).toBe(false)
  expect(await isSetupToken(db, tokenOf(second))).toBe(true)

  const ada = { name: 'Ada', email: 'ada@example.com', passwordHash: 'x', organisation: 'Engines' }
  expect(await claimSetup(db, tokenOf(second), ada)).toBe(true)
  expect(await isSetupToken(db, tokenOf(second))).toBe(false)
  expect(refusalOf(await runAdmin(url, 'setup-link'))).toBe(
    'The installation has been set up: there is somebody who can sign in.',
  )
})
