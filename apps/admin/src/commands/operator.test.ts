import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'operator', ...args)

test('operator add and remove change operator access and write to the audit log', async () => {
  await asOwner(db, (trx) =>
    sql`insert into users (name, email, two_factor_enabled) values ('Grace', 'grace@example.com', true)`.execute(trx),
  )
  expect(resultOf(await run('list'))).toEqual([])
  const grace = { id: expect.any(String), name: 'Grace', email: 'grace@example.com' }
  expect(resultOf(await run('add', 'Grace@Example.com'))).toEqual(grace)
  expect(resultOf(await run('list'))).toEqual([grace])
  expect(resultOf(await run('remove', 'grace@example.com'))).toEqual(grace)
  expect(resultOf(await run('list'))).toEqual([])

  const { rows } = await asOwner(db, (trx) =>
    sql`select actor, action from audit_entries where subject_name = 'Grace' order by id`.execute(trx),
  )
  expect(rows).toEqual([
    { actor: 'command', action: 'person.made_operator' },
    { actor: 'command', action: 'person.unmade_operator' },
  ])
})

test('operator add rejects a user without 2FA, and operator remove does not', async () => {
  await asOwner(db, (trx) =>
    sql`insert into users (name, email, is_operator) values ('Ann', 'ann@example.com', false), ('Bob', 'bob@example.com', true)`.execute(
      trx,
    ),
  )
  expect(refusalOf(await run('add', 'ann@example.com'))).toContain('must set up two-factor authentication first')
  expect(resultOf(await run('remove', 'bob@example.com'))).toMatchObject({ name: 'Bob' })
  expect(resultOf(await run('list'))).toEqual([])
})

test('operator add rejects an unknown email address with a one-line error', async () => {
  expect(refusalOf(await run('add', 'nobody@example.com'))).toBe('No user has this email address.')
})
