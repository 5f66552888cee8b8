import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openBrowser, openNewAccount, PASSWORD, type SignedIn, signUp, startUsersApi } from '../testing/test-browser.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const NEW_PASSWORD = 'a rather different password'
const create = (operator: SignedIn, email: string, password = PASSWORD) =>
  operator.post('/operator/password-resets', { email, password })
const reset = (token: unknown, newPassword = NEW_PASSWORD) =>
  openBrowser(api.app).post('/auth/reset-password', { token, newPassword })

test('an operator creates a reset link, which sets a password once and ends all sessions', async () => {
  const [operator, user] = [await signUpOperator(api), await signUp(api)] // passwords are rate-limited per operator
  const account = await openNewAccount(user)
  const created = await create(operator, user.email.toUpperCase())
  expect(created.status).toBe(201)
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ minutes: number; expiresAt: Date }>`
      select round(extract(epoch from expires_at - created_at) / 60)::int as minutes, expires_at
      from verifications where value = ${user.personId}`.execute(trx),
  )
  expect(rows).toEqual([{ minutes: 60, expiresAt: new Date(String(created.body['expires_at'])) }])

  const { token } = created.body
  expect((await reset(token, 'qwertyuiop12')).body['code']).toBe('weak_password')
  expect((await reset(token)).status).toBe(200)
  expect((await reset(token, 'yet another different password')).status).toBe(400)
  expect((await user.get('/session')).status).toBe(401)
  const signedIn = openBrowser(api.app)
  const { email } = user
  expect((await signedIn.post('/auth/sign-in/email', { email, password: NEW_PASSWORD })).status).toBe(200)

  const entry = {
    action: 'person.reset_link_created',
    actor: 'operator',
    actor_id: operator.personId,
    subject_id: user.personId,
  }
  const own = await signedIn.get('/audit-log', account)
  expect(own.body['entries']).toContainEqual(expect.objectContaining(entry))
  const all = await operator.get('/operator/audit-log?account=installation')
  expect(all.body['entries']).toContainEqual(expect.objectContaining(entry))
  expect(JSON.stringify([own.body, all.body])).not.toContain(String(token))
})

test('a reset link expires', async () => {
  const [operator, user] = [await signUpOperator(api), await signUp(api)]
  const { status, body } = await create(operator, user.email)
  expect(status).toBe(201)
  await asOwner(api.db, (trx) =>
    sql`update verifications set expires_at = clock_timestamp() where value = ${user.personId}`.execute(trx),
  )
  expect((await reset(body['token'])).status).toBe(400)
})

test('a reset link is not created for an unknown address, nor without the password of the operator', async () => {
  const [operator, user] = [await signUpOperator(api), await signUp(api)]
  const unknown = await create(operator, 'unknown@example.com')
  expect([unknown.status, unknown.body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/email' })]])
  const wrong = await create(operator, user.email, 'not the right password')
  expect([wrong.status, wrong.body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/password' })]])
  expect((await create(operator, '\0')).status).toBe(400)
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select 1 from verifications where value = ${user.personId}`.execute(trx),
  )
  expect(rows).toEqual([])
})

test('with an SMTP relay operators create no reset links', async () => {
  const operator = await signUpOperator(api)
  const mail = { url: 'smtp://127.0.0.1:1', from: 'post@probity.example' }
  const withMail = await startUsersApi({ config: { databaseUrl: api.url, mail } })
  const there = openBrowser(withMail.app)
  for (const [name, value] of operator.cookies) there.cookies.set(name, value)
  expect((await there.get('/operator/health')).status).toBe(200)
  const refused = await there.post('/operator/password-resets', { email: operator.email, password: PASSWORD })
  expect([refused.status, refused.body['code']]).toEqual([404, 'not_found'])
})
