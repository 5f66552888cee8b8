import { randomBytes } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { isSetupToken, replaceSetupToken } from '@probity/database/users/users'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openBrowser, PASSWORD, startUsersApi } from '../../testing/test-browser.ts'

const api = await startUsersApi({ config: { signUp: 'invitation' } })

async function makeToken(): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  expect(await asOwner(api.db, (trx) => replaceSetupToken(trx, token))).toBe(true)
  return token
}

const claim = (token: string, changes: object = {}) => ({
  token,
  name: 'Ada',
  email: 'Ada@Example.com',
  password: PASSWORD,
  organisation: 'Engines',
  ...changes,
})

test('an installation without users reports that it needs setup', async () => {
  const { status, body } = await openBrowser(api.app).get('/welcome')
  expect([status, body]).toEqual([
    200,
    {
      sign_up: 'invitation',
      setup_needed: true,
      public_url: 'http://localhost:80',
      sandbox_key: expect.stringMatching(/^pb_test_/),
      mail: false,
    },
  ])
})

test('a wrong or replaced token is 404, and a weak password is rejected without using up the token', async () => {
  const earlier = await makeToken()
  const token = await makeToken()
  for (const wrong of ['x', earlier]) {
    const answer = await openBrowser(api.app).post('/setup', claim(wrong))
    expect([answer.status, answer.body['code']]).toEqual([404, 'not_found'])
  }
  const weak = await openBrowser(api.app).post('/setup', claim(token, { password: 'password1234' }))
  expect([weak.status, weak.body['code']]).toEqual([422, 'weak_password'])
})

test('a token expires after an hour', async () => {
  const token = await makeToken()
  await asOwner(api.db, (trx) =>
    sql`update setup_tokens set made_at = clock_timestamp() - interval '61 minutes'`.execute(trx),
  )
  expect((await openBrowser(api.app).post('/setup', claim(token))).status).toBe(404)
  await asOwner(api.db, (trx) =>
    sql`update setup_tokens set made_at = clock_timestamp() - interval '59 minutes'`.execute(trx),
  )
  expect(await isSetupToken(api.db, token)).toBe(true)
})

test('of twenty concurrent setups one creates the operator, signed in, with an account of their own', async () => {
  const token = await makeToken()
  const browsers = Array.from({ length: 20 }, () => openBrowser(api.app))
  const answers = await Promise.all(
    browsers.map((browser, n) => browser.post('/setup', claim(token, { email: `ada${n}@example.com` }))),
  )
  const winners = browsers.filter((_, n) => answers[n]?.status === 201)
  expect(winners).toHaveLength(1)
  // 503 is returned while too many passwords are being hashed.
  for (const { status } of answers) expect([201, 404, 503]).toContain(status)

  const { body } = (await winners[0]?.get('/session')) ?? { body: {} }
  expect(body).toMatchObject({
    person: { name: 'Ada', email_verified: true, is_operator: true },
    memberships: [{ slug: 'engines', name: 'Engines', role: 'owner' }],
  })
  const counted = await asOwner(api.db, (trx) =>
    sql`select (select count(*)::int from users) as people, (select count(*)::int from accounts) as accounts,
               (select bool_and(unlimited) from accounts) as unlimited`.execute(trx),
  )
  expect(counted.rows).toEqual([{ people: 1, accounts: 1, unlimited: true }])
})

test('once a user exists, setup tokens are deleted and cannot be created', async () => {
  expect(await asOwner(api.db, (trx) => replaceSetupToken(trx, 'another'))).toBe(false)
  const late = await openBrowser(api.app).post('/setup', claim('another'))
  expect(late.status).toBe(404)
  expect((await openBrowser(api.app).get('/welcome')).body['setup_needed']).toBe(false)
})
