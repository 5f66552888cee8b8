import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type Browser,
  listLinks,
  nextToken,
  openBrowser,
  PASSWORD,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'

const api = await startUsersApi()

test('a new user follows the link in the email and can then sign in', async () => {
  const browser = openBrowser(api.app)
  const before = listLinks(api, 'verification').length
  const person = { name: 'Grace', email: 'Grace@Example.com', password: PASSWORD }
  expect((await browser.post('/auth/sign-up/email', person)).status).toBe(200)
  expect((await browser.get('/session')).body['code']).toBe('unauthenticated')

  const tooEarly = await browser.post('/auth/sign-in/email', { email: person.email, password: PASSWORD })
  expect([tooEarly.status, tooEarly.body['code']]).toEqual([403, 'EMAIL_NOT_VERIFIED'])

  const token = await nextToken(api, 'verification', before)
  expect((await browser.post('/verify-email', { token, password: PASSWORD })).status).toBe(200)
  expect((await browser.post('/auth/sign-in/email', { email: person.email, password: PASSWORD })).status).toBe(200)
  const { status, body } = await browser.get('/session')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    person: { name: 'Grace', email: 'grace@example.com', email_verified: true, two_factor: false, is_operator: false },
    memberships: [],
  })
})

test('a wrong password and an unknown user get the same response', async () => {
  const { email } = await signUp(api)
  const wrong = await openBrowser(api.app).post('/auth/sign-in/email', { email, password: 'not the right password' })
  const unknown = await openBrowser(api.app).post('/auth/sign-in/email', {
    email: 'nobody@example.com',
    password: 'not the right password',
  })
  expect(wrong.status).toBe(401)
  expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
})

test('the routes of the API work for users, in the account that they select', async () => {
  const ada = await signUp(api)
  const made = await ada.post('/accounts', { name: 'Analytical Engines' })
  expect([made.status, made.body]).toEqual([
    201,
    { account_id: expect.any(String), slug: 'analytical-engines', name: 'Analytical Engines', role: 'owner' },
  ])
  const account = await ada.get('/account', { 'probity-account': String(made.body['account_id']) })
  expect([account.status, account.body['name']]).toEqual([200, 'Analytical Engines'])
  expect(account.body).not.toHaveProperty('key')
})

/** Repeats sign-in attempts until one is rate-limited. Returns the number of attempts and that response. */
async function tryUntilSlowed(browser: Browser, emailOf: (n: number) => string) {
  for (let n = 0; n < 60; n++) {
    const password = `is it perhaps number ${n}?`
    const answer = await browser.post('/auth/sign-in/email', { email: emailOf(n), password })
    if (answer.status === 429) return { tries: n, answer }
    expect(answer.status).toBe(401)
  }
  throw new Error('was never slowed down')
}

// On a slow machine a few more attempts are allowed, because time passes meanwhile.
test('password guessing is rate-limited, and the user can still sign in from elsewhere', async () => {
  const { email } = await signUp(api)
  const guesser = openBrowser(api.app)
  const { tries, answer } = await tryUntilSlowed(guesser, () => email)
  expect([5, 6, 7]).toContain(tries)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  const right = await guesser.post('/auth/sign-in/email', { email: email.toUpperCase(), password: PASSWORD })
  expect(right.status).toBe(429)
  expect((await openBrowser(api.app).post('/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(200)
})

/** Comparisons that occupy both places for a second or more, and all places in the queue. */
function occupyPasswords() {
  const hashWith = (passes: number, memory: number) =>
    `$argon2id$v=19$m=${memory},t=${passes},p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`
  const hashes = [
    ...Array.from({ length: 2 }, () => hashWith(16, 65_536)),
    ...Array.from({ length: 32 }, () => hashWith(1, 8)),
  ]
  return Promise.all(hashes.map((hash) => api.services.people.passwords.verify({ hash, password: 'x' })))
}

test('a known browser and a session are served during a flood of sign-ins, others get 503', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  await ada.post('/auth/sign-out')
  const attempt = (browser: Browser, { email }: { email: string }) =>
    browser.post('/auth/sign-in/email', { email, password: PASSWORD })
  const flood = occupyPasswords()
  const known = [
    attempt(ada, ada),
    eve.post('/auth/two-factor/enable', { password: PASSWORD }),
    eve.post('/profile/deletion', { password: PASSWORD, email: 'other@example.com' }),
  ]
  const unknown = await attempt(openBrowser(api.app), ada)
  expect([unknown.status, unknown.body['code']]).toEqual([503, 'overloaded'])
  expect((await Promise.all(known)).map(({ status }) => status)).toEqual([200, 200, 400])
  await flood
})

test('attempts for many addresses from one network are rate-limited', async () => {
  const { tries } = await tryUntilSlowed(openBrowser(api.app), (n) => `nobody${n}@example.com`)
  expect(tries).toBeGreaterThanOrEqual(20)
  expect(tries).toBeLessThan(40)
})

test('a forgotten password is replaced with the link in an email, once, and all sessions end', async () => {
  const ada = await signUp(api)
  const before = listLinks(api, 'reset').length
  const browser = openBrowser(api.app)
  const known = await browser.post('/auth/request-password-reset', { email: ada.email })
  const unknown = await browser.post('/auth/request-password-reset', { email: 'nobody@example.com' })
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])

  const token = await nextToken(api, 'reset', before)
  const weak = await browser.post('/auth/reset-password', { token, newPassword: 'qwertyuiop12' })
  expect([weak.status, weak.body['code']]).toEqual([422, 'weak_password'])
  const newPassword = 'a rather different password'
  expect((await browser.post('/auth/reset-password', { token, newPassword })).status).toBe(200)
  expect((await browser.post('/auth/reset-password', { token, newPassword })).status).toBe(400)
  expect((await ada.get('/session')).status).toBe(401)
  const signedIn = await openBrowser(api.app).post('/auth/sign-in/email', { email: ada.email, password: newPassword })
  expect(signedIn.status).toBe(200)
})

test('undeclared fields are not passed to the sign-in library', async () => {
  const browser = openBrowser(api.app)
  const before = listLinks(api, 'verification').length
  const email = 'mallory@example.com'
  const more = { emailVerified: true, is_operator: true, isOperator: true, twoFactorEnabled: true, image: 'x', id: 'x' }
  const signedUp = await browser.post('/auth/sign-up/email', { name: 'M', email, password: PASSWORD, ...more })
  expect(signedUp.status).toBe(200)
  expect(signedUp.body['user']).toMatchObject({ emailVerified: false, twoFactorEnabled: false, image: null })
  const token = await nextToken(api, 'verification', before)
  await browser.post('/verify-email', { token, password: PASSWORD })
  await browser.post('/auth/sign-in/email', { email, password: PASSWORD, callbackURL: 'https://elsewhere.example' })
  await browser.post('/auth/update-user', { name: 'Mallory', ...more })
  expect((await browser.get('/session')).body).toMatchObject({
    person: { name: 'Mallory', is_operator: false, two_factor: false },
  })
})

test('a malformed or wrongly signed verification token verifies nothing', async () => {
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  const payload = Buffer.from('{"email":"grace@example.com"}').toString('base64url')
  for (const token of ['x', `${header}.${payload}.`]) {
    const verified = await openBrowser(api.app).post('/verify-email', { token, password: PASSWORD })
    expect(verified.status).toBe(401)
  }
})

test('the log contains no user data except the links', async () => {
  const { email, personId } = await signUp(api)
  await openBrowser(api.app).post('/auth/sign-in/email', { email, password: 'not the right password' })
  const log = readFileSync(api.logFile, 'utf8')
  expect(log).toContain(personId)
  expect(log).not.toContain(email)
  expect(log).not.toContain(PASSWORD)
})
