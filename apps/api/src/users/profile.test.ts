import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import {
  addMember,
  listLinks,
  nextToken,
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../testing/test-browser.ts'
import { startSink } from './email/test-sink.ts'

const api = await startUsersApi()

const newAddress = () => `new-${randomUUID()}@example.com`
const signIn = (email: string) => openBrowser(api.app).post('/auth/sign-in/email', { email, password: PASSWORD })

/** Requests an address change and returns the token of its link. */
async function askForChange(user: SignedIn, email: string): Promise<string> {
  const before = listLinks(api, 'email_change').length
  expect((await user.post('/email', { email, password: PASSWORD })).status).toBe(202)
  return nextToken(api, 'email_change', before)
}

test('a user changes the email address with the password and the link to the new address', async () => {
  const ada = await signUp(api)
  const account = await openNewAccount(ada)
  const email = newAddress()
  const token = await askForChange(ada, email.toUpperCase())
  expect((await ada.get('/session')).body).toMatchObject({ person: { email: ada.email } })

  const elsewhere = openBrowser(api.app)
  expect((await elsewhere.post('/email/confirm', { token, password: 'not the right password' })).status).toBe(400)
  expect((await elsewhere.post('/email/confirm', { token, password: PASSWORD })).status).toBe(204)
  expect((await ada.get('/session')).body).toMatchObject({ person: { email, email_verified: true } })
  expect((await signIn(email)).status).toBe(200)
  expect((await signIn(ada.email)).status).toBe(401)
  expect((await elsewhere.post('/email/confirm', { token, password: PASSWORD })).status).toBe(404)
  const log = await ada.get('/audit-log?action=person.email_changed', account)
  expect(log.body['entries']).toHaveLength(1)
  expect(log.text).not.toContain(email)
})

test('the password is required, and the response does not reveal whether another user has the address', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const wrong = await eve.post('/email', { email: newAddress(), password: 'not the right password' })
  expect(wrong.status).toBe(400)
  expect((await eve.post('/email', { email: eve.email, password: PASSWORD })).status).toBe(400)
  expect((await openBrowser(api.app).post('/email', { email: newAddress(), password: PASSWORD })).status).toBe(401)

  const before = listLinks(api, 'email_change').length
  const taken = await eve.post('/email', { email: ada.email, password: PASSWORD })
  const free = await eve.post('/email', { email: newAddress(), password: PASSWORD })
  expect([taken.status, taken.text]).toEqual([free.status, free.text])
  await nextToken(api, 'email_change', before)
  expect(listLinks(api, 'email_change')).toHaveLength(before + 1)
})

test('a link is rejected once another user has the address, as is a link of another kind', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const email = newAddress()
  const tokens = [await askForChange(ada, email), await askForChange(eve, email)]
  const confirm = (token: unknown) => openBrowser(api.app).post('/email/confirm', { token, password: PASSWORD })
  expect((await confirm(tokens[0])).status).toBe(204)
  expect((await confirm(tokens[1])).status).toBe(404)
  expect((await confirm('x')).status).toBe(404)
  const before = listLinks(api, 'verification').length
  await openBrowser(api.app).post('/auth/sign-up/email', { name: 'M', email: newAddress(), password: PASSWORD })
  const verification = await nextToken(api, 'verification', before)
  expect((await confirm(verification)).status).toBe(404)
  const change = await askForChange(eve, newAddress())
  expect((await openBrowser(api.app).post('/verify-email', { token: change, password: PASSWORD })).status).toBe(404)
})

test('the old address gets an email about the change', async () => {
  const { url, received } = await startSink()
  const ada = await signUp(api)
  const token = await askForChange(ada, newAddress())
  const withMail = await startUsersApi({
    config: { databaseUrl: api.url, mail: { url, from: 'post@probity.example' } },
  })
  expect((await openBrowser(withMail.app).post('/email/confirm', { token, password: PASSWORD })).status).toBe(204)
  await vi.waitFor(() => expect(received.map(({ to }) => to)).toEqual([[ada.email]]), 10_000)
  expect(received[0]?.text).toContain('Subject: Your email address was changed')
})

const remove = (user: SignedIn, more: object = {}) =>
  user.post('/profile/deletion', { email: user.email, password: PASSWORD, ...more })

test('a user deletes the profile; the account stays, and its audit log records it', async () => {
  const [owner, ada] = [await signUp(api), await signUp(api)]
  const account = await openNewAccount(owner)
  await addMember(api, account['probity-account'], ada, 'admin')
  expect((await remove(ada, { password: 'not the right password' })).status).toBe(400)
  expect((await remove(ada, { email: owner.email })).status).toBe(400)
  expect((await remove(ada)).status).toBe(204)

  expect((await ada.get('/session')).status).toBe(401)
  expect((await signIn(ada.email)).status).toBe(401)
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ left: number }>`
      select (select count(*) from users where id = ${ada.personId})::int + (select count(*) from members where user_id = ${ada.personId})::int
        + (select count(*) from credentials where user_id = ${ada.personId})::int
        + (select count(*) from sessions where user_id = ${ada.personId})::int as left`.execute(trx),
  )
  expect(rows).toEqual([{ left: 0 }])
  const log = await owner.get('/audit-log?action=person.deleted', account)
  expect(log.body['entries']).toMatchObject([{ action: 'person.deleted', actor_name: 'Ada', ip: ada.ip }])
  // The address can be used again.
  expect((await signUp(api, ada.email)).personId).not.toBe(ada.personId)
})

test('the only owner of an account and an operator cannot delete their profile', async () => {
  const ada = await signUp(api)
  await openNewAccount(ada)
  const lastOwner = await remove(ada)
  expect([lastOwner.status, lastOwner.body['code']]).toEqual([409, 'last_owner'])
  expect((await ada.get('/session')).status).toBe(200)

  const operator = await signUp(api)
  await asOwner(api.db, (trx) => sql`update users set is_operator = true where id = ${operator.personId}`.execute(trx))
  expect((await remove(operator)).status).toBe(400)
  expect((await operator.get('/session')).status).toBe(200)
})
