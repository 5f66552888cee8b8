import { hash } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { claimSetup, replaceSetupToken } from '@probity/database/users/users'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url, db } = await createTestDatabase()

test('reset-link prints a link whose token the sign-in library finds, and writes to the audit log', async () => {
  await asOwner(db, (trx) => replaceSetupToken(trx, 'token'))
  const ada = { name: 'Ada', email: 'ada@example.com', passwordHash: 'x', organisation: 'Engines' }
  expect(await claimSetup(db, 'token', ada)).toBe(true)

  const settings = { PUBLIC_URL: 'https://probity.example/' }
  const { link, expires_at } = resultOf<{ link: string; expires_at: string }>(
    await runAdmin(url, 'reset-link', 'ADA@example.com', settings),
  )
  expect(link).toMatch(/^https:\/\/probity\.example\/app\/reset-password#token=[\w-]{32}$/)
  const identifier = hash('sha256', `reset-password:${new URL(link).hash.slice('#token='.length)}`, 'base64url')
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string; expiresAt: Date }>`
      select p.name, v.expires_at from verifications v join users p on p.id::text = v.value
      where v.identifier = ${identifier}`.execute(trx),
  )
  expect(rows).toEqual([{ name: 'Ada', expiresAt: new Date(expires_at) }])
  const noted = await asOwner(db, (trx) =>
    sql<{ accountId: string | null; actor: string }>`
      select account_id, actor from audit_entries where action = 'person.reset_link_created'
      order by account_id nulls first`.execute(trx),
  )
  expect(noted.rows).toEqual([
    { accountId: null, actor: 'command' },
    { accountId: expect.any(String), actor: 'command' },
  ])
})

test('reset-link rejects an unknown email address with a one-line error', async () => {
  expect(refusalOf(await runAdmin(url, 'reset-link', 'unknown@example.com'))).toBe('No user has this email address.')
})
