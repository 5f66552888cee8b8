import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { asOwner } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { connectAuth } from './auth-connection.ts'

const { db, url } = await createTestDatabase()
await openTestAccount(db, 5)

function open(connectionsMax = 1) {
  const people = connectAuth(url, connectionsMax)
  onTestFinished(() => people.destroy())
  return people
}

const PERMISSION_DENIED = expect.objectContaining({ code: '42501' })

test('the role of the sign-in library can access tables of users and no customer data', async () => {
  const people = open()
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and (has_table_privilege('probity_users', c.oid, 'select, insert, update, delete, truncate')
        or has_any_column_privilege('probity_users', c.oid, 'select, insert, update'))
    order by c.relname`.execute(people)
  expect(rows.map(({ name }) => name)).toEqual([
    'account_profiles',
    'credentials',
    'invitations',
    'members',
    'sessions',
    'two_factors',
    'users',
    'verifications',
  ])
  for (const table of ['accounts', 'api_keys', 'ledger', 'secrets', 'jobs', 'setup_tokens']) {
    await expect(sql`select 1 from ${sql.table(table)}`.execute(people)).rejects.toEqual(PERMISSION_DENIED)
  }
})

test('the role of the sign-in library can neither appoint operators nor change accounts', async () => {
  const people = open()
  const email = `${randomUUID()}@example.com`
  await sql`insert into users (name, email) values ('Ann', ${email})`.execute(people)
  for (const attempt of [
    sql`update users set is_operator = true`,
    sql`insert into users (name, email, is_operator) values ('Eve', ${`${randomUUID()}@example.com`}, true)`,
    sql`update account_profiles set name = 'mine'`,
    sql`select create_account(gen_random_uuid(), 'x', 'payg', null, null)`,
    sql`select claim_setup('', '', '', '', '')`,
  ]) {
    await expect(attempt.execute(people)).rejects.toEqual(PERMISSION_DENIED)
  }
})

test('a connection keeps no role after a statement or transaction, and is usable after a failure', async () => {
  const people = open()
  const look = async () => (await sql<{ role: string }>`select current_user as role`.execute(people)).rows[0]?.role
  expect(await look()).toBe('probity_users')
  await expect(sql`select 1 / 0`.execute(people)).rejects.toThrow('division by zero')
  expect(await look()).toBe('probity_users')
  const inside = people.transaction().execute(async (trx) => {
    expect((await sql<{ role: string }>`select current_user as role`.execute(trx)).rows[0]?.role).toBe('probity_users')
    await sql`insert into users (name, email) values ('Ann', 'gone@example.com')`.execute(trx)
    throw new Error('undone')
  })
  await expect(inside).rejects.toThrow('undone')
  const { rows } = await sql`select from users where email = 'gone@example.com'`.execute(people)
  expect(rows).toEqual([])
})

test('an account always keeps an owner while it has members', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const add = (role: string) =>
    asOwner(db, async (trx) => {
      const person = await sql<{ id: string }>`
        insert into users (name, email) values ('Ann', ${`${randomUUID()}@example.com`}) returning id`.execute(trx)
      await sql`insert into members (account_id, user_id, role) values (${accountId}, ${person.rows[0]?.id}, ${role})`.execute(
        trx,
      )
    })
  await add('owner')
  await add('viewer')
  const people = open()
  const whose = sql`where account_id = ${accountId} and role = 'owner'`
  for (const attempt of [sql`delete from members ${whose}`, sql`update members set role = 'admin' ${whose}`]) {
    await expect(attempt.execute(people)).rejects.toEqual(expect.objectContaining({ code: 'PB001' }))
  }
  await asOwner(db, (trx) => sql`delete from accounts where id = ${accountId}`.execute(trx))
})
