import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { TestResponse } from '../../testing/test-api.ts'
import { openBrowser, PASSWORD, type SignedIn, signUp, startUsersApi } from '../../testing/test-browser.ts'
import { codeFrom } from '../../testing/test-totp.ts'

const api = await startUsersApi()

type Secured = SignedIn & { uri: string; codes: string[] }

/** The next code: the current one was used to set up the authenticator. */
const nextCode = ({ uri }: Secured) => codeFrom(uri, Date.now() + 30_000)

/** A user with a confirmed authenticator. */
async function secure(): Promise<Secured> {
  const ada = await signUp(api)
  const enabled = await ada.post('/auth/two-factor/enable', { password: PASSWORD })
  expect(enabled.status).toBe(200)
  const { totpURI: uri, backupCodes: codes } = enabled.body as { totpURI: string; backupCodes: string[] }
  expect(new URL(uri).pathname).toContain('Probity')
  expect((await ada.post('/auth/two-factor/verify-totp', { code: codeFrom(uri) })).status).toBe(200)
  return { ...ada, uri, codes }
}

/** First step of the sign-in: the correct password. */
async function beginSignIn({ email }: SignedIn) {
  const browser = openBrowser(api.app)
  const { status, body } = await browser.post('/auth/sign-in/email', { email, password: PASSWORD })
  expect([status, body]).toEqual([200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }])
  expect((await browser.get('/session')).status).toBe(401)
  return browser
}

test('with 2FA the password alone does not sign in, and the authenticator code does', async () => {
  const ada = await secure()
  expect((await ada.get('/session')).body).toMatchObject({ person: { two_factor: true } })

  const browser = await beginSignIn(ada)
  const wrong = await browser.post('/auth/two-factor/verify-totp', { code: '000000' })
  expect(wrong.status).toBe(401)
  expect((await browser.get('/session')).status).toBe(401)
  expect((await browser.post('/auth/two-factor/verify-totp', { code: nextCode(ada) })).status).toBe(200)
  expect((await browser.get('/session')).status).toBe(200)
})

test('a code of the authenticator works once, also when it is sent twice at the same time', async () => {
  const ada = await secure()
  const code = nextCode(ada)
  const browsers = [await beginSignIn(ada), await beginSignIn(ada)]
  const verified = await Promise.all(browsers.map((one) => one.post('/auth/two-factor/verify-totp', { code })))
  expect(verified.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401'])
  const late = await (await beginSignIn(ada)).post('/auth/two-factor/verify-totp', { code })
  expect([late.status, late.body['code']]).toEqual([401, 'INVALID_CODE'])
})

test('recovery codes are stored as hashes, and case, spaces and hyphens do not matter', async () => {
  const ada = await secure()
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ codes: string }>`select recovery_codes as codes from two_factors where user_id = ${ada.personId}`.execute(
      trx,
    ),
  )
  const stored = JSON.parse(rows[0]?.codes ?? '[]') as string[]
  expect(stored).toHaveLength(10)
  for (const hash of stored) expect(hash).toMatch(/^sha256:[\w-]{43}$/)
  expect(new Set(ada.codes).size).toBe(10)

  const browser = await beginSignIn(ada)
  // A hash from the database is not accepted as a code.
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code: stored[0] })).status).toBe(401)
  const typed = ` ${ada.codes[1]?.toUpperCase().replaceAll('-', ' ')} `
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code: typed })).status).toBe(200)
})

test('a recovery code works once', async () => {
  const ada = await secure()
  const code = ada.codes[0]
  const browser = await beginSignIn(ada)
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  expect((await browser.get('/session')).status).toBe(200)

  const again = await beginSignIn(ada)
  expect((await again.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(401)
  expect((await again.get('/session')).status).toBe(401)
})

test('the number of codes per password entry is limited', async () => {
  const ada = await secure()
  const browser = await beginSignIn(ada)
  const statuses: number[] = []
  for (let n = 0; n < 8; n++) {
    statuses.push((await browser.post('/auth/two-factor/verify-totp', { code: '000000' })).status)
  }
  expect(statuses.at(-1)).not.toBe(200)
  const right = await browser.post('/auth/two-factor/verify-totp', { code: nextCode(ada) })
  expect(right.status).not.toBe(200)
  expect((await browser.get('/session')).status).toBe(401)
})

const ENTRIES = ['/auth/two-factor/disable', '/auth/two-factor/generate-backup-codes']
const faultyField = ({ body }: TestResponse) => (body['errors'] as { pointer: string }[] | undefined)?.[0]?.pointer

test.each(ENTRIES)('%s requires the password and a current code or an existing recovery code', async (path) => {
  const ada = await secure()
  const code = nextCode(ada)
  const without = [
    { password: PASSWORD },
    { password: PASSWORD, code: '' },
    { password: PASSWORD, code: '000000' },
    { password: PASSWORD, code: 'aaaa-bbbb-cccc-dddd-eeee-ffff' },
  ]
  for (const fields of without) {
    const answer = await ada.post(path, fields)
    expect([fields, answer.status, faultyField(answer)]).toEqual([fields, 400, '/code'])
  }
  const mistyped = await ada.post(path, { password: 'not the right password', code })
  expect([mistyped.status, faultyField(mistyped)]).toEqual([400, '/password'])
  expect((await ada.get('/session')).body).toMatchObject({ person: { two_factor: true } })
  // Each of the two kinds of codes, in a browser each. The mistyped password did not use the code up.
  expect((await ada.post(path, { password: PASSWORD, code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200)
  const eve = await secure()
  const [recovery, next] = eve.codes
  expect((await eve.post(path, { password: PASSWORD, code: ` ${recovery?.toUpperCase()}` })).status).toBe(200)
  const again = await eve.post(path, { password: PASSWORD, code: recovery })
  expect([again.status, (await eve.post(path, { password: PASSWORD, code: next })).status]).toEqual([400, 400])
})

test('2FA without confirmed authenticator cannot be changed, and the key of an authenticator is shown once', async () => {
  const ada = await signUp(api)
  const { backupCodes } = (await ada.post('/auth/two-factor/enable', { password: PASSWORD })).body
  const [code] = backupCodes as string[]
  for (const path of ENTRIES) expect((await ada.post(path, { password: PASSWORD, code })).status).toBe(400)
  expect((await ada.post('/auth/two-factor/get-totp-uri', { password: PASSWORD })).status).toBe(404)
  const secured = await secure()
  expect((await secured.post('/auth/two-factor/enable', { password: PASSWORD })).status).toBe(400)
})

/** Another session of the user, signed in with a recovery code. */
async function openSession(user: Secured, code: string | undefined) {
  const browser = await beginSignIn(user)
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  return browser
}

const WRONG = {
  totp: ['/auth/two-factor/verify-totp', { code: '000000' }],
  recovery: ['/auth/two-factor/verify-backup-code', { code: 'wrong' }],
  disable: ['/auth/two-factor/disable', { password: PASSWORD, code: 'wrong' }],
} as const

test('the sixth wrong code of a user within 15 minutes, over all sessions and networks, ends its session', async () => {
  const ada = await secure()
  const [, phone, tablet] = [ada, await openSession(ada, ada.codes[0]), await openSession(ada, ada.codes[1])]
  // Attempts at sign-in do not count.
  const guesser = await beginSignIn(ada)
  for (let n = 0; n < 2; n++) await guesser.post(...WRONG.totp)
  const browsers = [ada, phone, ada, phone, ada]
  const kinds = [WRONG.totp, WRONG.recovery, WRONG.disable, WRONG.totp, WRONG.totp]
  const statuses: number[] = []
  for (const [n, [path, fields]] of kinds.entries()) statuses.push((await browsers[n]?.post(path, fields))?.status ?? 0)
  expect(statuses).toEqual([401, 401, 400, 401, 401])
  for (const browser of [ada, phone, tablet]) expect((await browser.get('/session')).status).toBe(200)

  // The library accepts cookies in quotes, so a quoted one is a session here too.
  const cookie = `probity.session_token="${phone.cookies.get('probity.session_token')}"`
  const sixth = await phone.post(...WRONG.totp, { cookie })
  expect([sixth.status, sixth.body['code']]).toEqual([401, 'unauthenticated'])
  expect((await phone.get('/session')).status).toBe(401)
  for (const browser of [ada, tablet]) expect((await browser.get('/session')).status).toBe(200)
  // No more codes are compared, not even correct ones, but the user can sign in.
  expect((await tablet.post('/auth/two-factor/verify-totp', { code: nextCode(ada) })).status).toBe(401)
  expect((await tablet.get('/session')).status).toBe(401)
  await openSession(ada, ada.codes[2])

  await asOwner(api.db, (trx) =>
    sql`update two_factors set wrong_codes = array(select at - interval '15 minutes' from unnest(wrong_codes) at)
        where user_id = ${ada.personId}`.execute(trx),
  )
  expect((await ada.post(...WRONG.totp)).body).toMatchObject({ code: 'INVALID_CODE' })
  expect((await ada.post('/auth/two-factor/verify-totp', { code: nextCode(ada) })).status).toBe(200)
})

test('correct codes do not count as wrong, and concurrent guesses do not exceed the limit', async () => {
  const ada = await secure()
  for (const code of ada.codes.slice(0, 7)) {
    expect((await ada.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  }
  const guesses = Array.from({ length: 15 }, () => ada.post(...WRONG.recovery))
  const codes = (await Promise.all(guesses)).map(({ body }) => body['code'])
  expect(codes.filter((code) => code === 'INVALID_BACKUP_CODE').length).toBeLessThanOrEqual(5)
  expect((await ada.get('/session')).status).toBe(401)
})
