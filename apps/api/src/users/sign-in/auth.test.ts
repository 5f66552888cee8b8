import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { migrate } from '@probity/database/system/migrate'
import { startPgbouncer } from '@probity/lab/services/pgbouncer'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { openBrowser, openNewAccount, PASSWORD, signUp, startUsersApi } from '../../testing/test-browser.ts'

test('sign-up, sign-in and the web application work behind a transaction-mode pooler with one connection', {
  timeout: 60_000,
}, async () => {
  const { url } = await createTestDatabase()
  const pooler = await startPgbouncer(Number(new URL(inject('postgresUrl')).port), 1)
  whenDone(() => pooler.stop())
  const pooled = new URL(url)
  pooled.port = String(pooler.port)
  const api = await startUsersApi({ config: { databaseUrl: pooled.href } })

  const people = [await signUp(api), await signUp(api)]
  const sessions = await Promise.all(
    people.map(async (person) => {
      const account = await openNewAccount(person)
      return person.get('/account', account)
    }),
  )
  expect(sessions.map(({ status }) => status)).toEqual([200, 200])
})

test('a database login without privileges that can only assume the roles is sufficient', async () => {
  const { url, db } = await createTestDatabase()
  const login = `login_${randomUUID().replaceAll('-', '')}`
  await asOwner(db, (trx) =>
    sql`create role ${sql.ref(login)} login noinherit in role probity_app, probity_users`.execute(trx),
  )
  const api = await startUsersApi({ config: { databaseUrl: url.replace('postgres@', `${login}@`) } })
  const ada = await signUp(api)
  expect((await ada.get('/account', await openNewAccount(ada))).status).toBe(200)
})

test('sign-in returns 503 without details while the database is unavailable', { timeout: 60_000 }, async () => {
  const server = await startPostgres()
  await migrate(server.url)
  const api = await startUsersApi({ config: { databaseUrl: server.url } })
  const ada = await signUp(api, 'ada@example.com')
  await server.stop()
  for (const answer of [
    await ada.get('/session'),
    await ada.get('/auth/organization/list-user-invitations'),
    await ada.post('/auth/sign-in/email', { email: 'ada@example.com', password: PASSWORD }),
    await openBrowser(api.app).get('/welcome'),
  ]) {
    expect([answer.status, answer.body['code']]).toEqual([503, 'service_unavailable'])
  }
})

test("sessions are signed with the operator's secret if it is set", async () => {
  const [one, two] = ['a'.repeat(32), 'b'.repeat(32)]
  const first = await startUsersApi({ config: { sessionSecret: one } })
  const ada = await signUp(first)
  const second = await startUsersApi({ config: { databaseUrl: first.url, sessionSecret: two } })
  const elsewhere = openBrowser(second.app)
  for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value)
  expect((await elsewhere.get('/session')).status).toBe(401)
  expect((await ada.get('/session')).status).toBe(200)
})
