import { createHmac, randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { hashSessionToken } from '@probity/database/users/sessions'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callApp } from '../../testing/test-api.ts'
import {
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'
import { startClaiming } from '../../testing/test-plain-worker.ts'

const api = await startUsersApi()

/** Opens a second session of the same user. */
async function signInElsewhere({ email }: SignedIn, password = PASSWORD) {
  const browser = openBrowser(api.app)
  expect((await browser.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  return browser
}

const ENDED = { status: 401, body: { code: 'unauthenticated' } }

test('a session ends at sign-out, and its cookie is then rejected', async () => {
  const ada = await signUp(api)
  const stolen = new Map(ada.cookies)
  expect((await ada.post('/auth/sign-out')).status).toBe(200)
  expect([...ada.cookies.keys()]).not.toContain('probity.session_token')

  for (const [name, value] of stolen) ada.cookies.set(name, value)
  expect(await ada.get('/session')).toMatchObject(ENDED)
  expect((await ada.get('/auth/organization/list-user-invitations')).status).toBe(401)
})

test('a password change ends every other session and invalidates the old password', async () => {
  const ada = await signUp(api)
  const elsewhere = await signInElsewhere(ada)
  const before = new Map(ada.cookies)
  const newPassword = 'a rather different password'
  const changed = await ada.post('/auth/change-password', { currentPassword: PASSWORD, newPassword })
  expect(changed.status).toBe(200)

  expect((await ada.get('/session')).status).toBe(200)
  expect(await elsewhere.get('/session')).toMatchObject(ENDED)
  expect([...ada.cookies]).not.toEqual([...before])
  const old = await openBrowser(api.app).post('/auth/sign-in/email', { email: ada.email, password: PASSWORD })
  expect(old.status).toBe(401)
  await signInElsewhere(ada, newPassword)
})

test.each([
  ['half a day without use', "last_seen_at = clock_timestamp() - interval '12 hours 1 second'"],
  ['a week, however it was used', "expires_at = clock_timestamp() - interval '1 second'"],
])('a session ends after %s, for our routes and for the sign-in library', async (_when, change) => {
  const ada = await signUp(api)
  await asOwner(api.db, (trx) =>
    sql`update sessions set ${sql.raw(change)} where user_id = ${ada.personId}`.execute(trx),
  )
  expect(await ada.get('/session')).toMatchObject(ENDED)
  expect((await ada.get('/auth/organization/list-user-invitations')).status).toBe(401)
})

test('a session ends after a week, however much it is used', async () => {
  const ada = await signUp(api)
  await ada.get('/session')
  await ada.get('/auth/organization/list-user-invitations')
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ days: number }>`
      select extract(epoch from expires_at - created_at)::float8 / 86400 as days from sessions
      where user_id = ${ada.personId}`.execute(trx),
  )
  expect(rows[0]?.days).toBeCloseTo(7, 3)
})

test('the database contains the hash of a session token and not the token', async () => {
  const ada = await signUp(api)
  const [, value = ''] = [...ada.cookies].find(([name]) => name.endsWith('session_token')) ?? []
  const [token = ''] = decodeURIComponent(value).split('.')
  expect(token).toMatch(/^\w{32}$/)
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ row: string }>`select to_jsonb(s)::text as row from sessions s where user_id = ${ada.personId}`.execute(trx),
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]?.row).toContain(hashSessionToken(token))
  expect(rows[0]?.row).not.toContain(token)

  // The stored hash is not accepted as a token, not even with a valid signature.
  const hash = hashSessionToken(token)
  const signature = createHmac('sha256', await api.services.people.secret())
    .update(hash)
    .digest('base64')
  const cookie = `probity.session_token=${encodeURIComponent(`${hash}.${signature}`)}`
  expect(await openBrowser(api.app).get('/session', { cookie })).toMatchObject(ENDED)
  expect((await openBrowser(api.app).get('/auth/organization/list-user-invitations', { cookie })).status).toBe(401)
})

test('a cookie with an invalid signature is rejected, whatever token it contains', async () => {
  const ada = await signUp(api)
  const [name = '', value = ''] = [...ada.cookies].find(([one]) => one.endsWith('session_token')) ?? []
  const [token = '', signature = ''] = decodeURIComponent(value).split('.')
  const forged = [
    token,
    `${token}.`,
    `${token}.${signature.replace(/^./, (one) => (one === 'A' ? 'B' : 'A'))}`,
    '%',
    'x.y',
  ]
  for (const cookie of forged) {
    const answer = await ada.get('/session', { cookie: `${name}=${encodeURIComponent(cookie)}` })
    expect(answer).toMatchObject(ENDED)
  }
  expect((await ada.get('/session')).status).toBe(200)
})

test('session cookies are HttpOnly and SameSite, and limited to this host over HTTPS', async () => {
  const { email } = await signUp(api)
  const sign = (app: typeof api.app) => openBrowser(app).post('/auth/sign-in/email', { email, password: PASSWORD })
  const plain = await sign(api.app)
  expect([plain.headers['set-cookie']].flat()[0]).toMatch(
    /^probity\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/i,
  )

  const secure = await startUsersApi({ config: { publicUrl: 'https://probity.example' } })
  const ada = await signUp(secure)
  const signedIn = await openBrowser(secure.app).post('/auth/sign-in/email', { email: ada.email, password: PASSWORD })
  expect([signedIn.headers['set-cookie']].flat()[0]).toMatch(
    /^__Host-probity\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/i,
  )
})

test('an account without membership is 404, like an account that does not exist', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const theirs = await openNewAccount(ada)
  const answers = [
    await eve.get('/account', theirs),
    await eve.get('/account', { 'probity-account': randomUUID() }),
    await eve.get('/account', { 'probity-account': 'all' }),
    await eve.get('/account'),
  ]
  const bodies = answers.map(({ status, body: { request_id: _, ...body } }) => ({ status, body }))
  expect(bodies[0]).toMatchObject({ status: 404, body: { code: 'not_found' } })
  for (const body of bodies) expect(body).toEqual(bodies[0])
  expect((await ada.get('/account', theirs)).status).toBe(200)
})

test('a removed member loses access at once', async () => {
  const ada = await signUp(api)
  const theirs = await openNewAccount(ada)
  const eve = await signUp(api)
  await asOwner(api.db, (trx) =>
    sql`insert into members (account_id, user_id, role)
        values (${theirs['probity-account']}, ${eve.personId}, 'viewer')`.execute(trx),
  )
  expect((await eve.get('/account', theirs)).status).toBe(200)
  const removed = await ada.post('/auth/organization/remove-member', {
    organizationId: theirs['probity-account'],
    memberIdOrEmail: eve.email,
  })
  expect(removed.status).toBe(200)
  expect((await eve.get('/account', theirs)).status).toBe(404)
})

test('keys work for /api/v1 only, and sessions for /app/api only', async () => {
  const { key, accountId } = await api.openCaller()
  const headers = { 'x-api-key': key, 'probity-account': accountId }
  const withKey = await callApp(api.app, { method: 'GET', url: '/app/api/account', headers })
  expect(withKey).toMatchObject(ENDED)

  const ada = await signUp(api)
  const theirs = await openNewAccount(ada)
  const withCookie = await ada.call({ method: 'GET', url: '/api/v1/account', headers: theirs })
  expect([withCookie.status, withCookie.body['code']]).toEqual([401, 'missing_api_key'])
})

test('users switch between test and live mode and see the keys and lists of that mode', async () => {
  const ada = await signUp(api)
  const theirs = await openNewAccount(ada)
  const test = { ...theirs, 'probity-mode': 'test' }
  expect((await ada.get('/account', theirs)).body['livemode']).toBe(true)
  expect((await ada.get('/account', test)).body['livemode']).toBe(false)
  const made = await ada.post('/keys', { name: 'for tests' }, test)
  expect([made.status, made.body['livemode']]).toEqual([201, false])
  const wrong = await ada.get('/account', { ...theirs, 'probity-mode': 'both' })
  expect([wrong.status, wrong.body['code']]).toEqual([400, 'invalid_request'])
})

test('credits that a user spends are recorded without a key', async () => {
  const ada = await signUp(api)
  const theirs = await openNewAccount(ada)
  const worker = startClaiming(api.db)
  const asked = await ada.post('/validation/single', { email: 'nobody@example.com', timeout: 2 }, theirs)
  await worker.stop()
  expect(asked.status).toBe(200)
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select key_id, credits_used::int from usage_days where account_id = ${theirs['probity-account']}`.execute(trx),
  )
  expect(rows).toEqual([{ keyId: '00000000-0000-0000-0000-000000000000', creditsUsed: 1 }])
})

test('a plan without API access does not limit the web application', async () => {
  const free = await startUsersApi({ config: { opening: { plan: 'free', credits: 10 } } })
  const ada = await signUp(free)
  const theirs = await openNewAccount(ada)
  const { status, body } = await ada.get('/account', theirs)
  expect([status, body['plan'], body['credits']]).toMatchObject([200, { api_access: false }, { available: 10 }])
})
