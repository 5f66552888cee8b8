import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
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

test('disabling 2FA requires the password', async () => {
  const ada = await secure()
  expect((await ada.post('/auth/two-factor/disable', { password: 'not the right password' })).status).toBe(400)
  expect((await ada.post('/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200)
  expect((await ada.get('/session')).body).toMatchObject({ person: { two_factor: false } })
})
