import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { listLinks, nextToken, openBrowser, PASSWORD, startUsersApi } from '../../testing/test-browser.ts'
import { startSink } from '../email/test-sink.ts'

const api = await startUsersApi()
const ATTACKERS_PASSWORD = 'the password of an attacker'

async function signUpAs(email: string, password: string): Promise<string> {
  const before = listLinks(api, 'verification').length
  await openBrowser(api.app).post('/auth/sign-up/email', { name: 'Eve', email, password })
  return nextToken(api, 'verification', before)
}

async function isVerified(email: string): Promise<boolean | undefined> {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ verified: boolean }>`select email_verified as verified from users where email = ${email}`.execute(trx),
  )
  return rows[0]?.verified
}

test('the link alone does not confirm a profile that another person created with the address', async () => {
  const email = `victim-${randomUUID()}@example.com`
  const token = await signUpAs(email, ATTACKERS_PASSWORD)
  const victim = openBrowser(api.app)
  expect((await victim.post('/verify-email', { token })).status).toBe(400)
  const wrong = await victim.post('/verify-email', { token, password: PASSWORD })
  expect([wrong.status, wrong.body['errors']]).toEqual([
    400,
    [{ pointer: '/password', detail: 'The password is incorrect.' }],
  ])
  expect(await isVerified(email)).toBe(false)
  const attacker = openBrowser(api.app)
  expect((await attacker.post('/auth/sign-in/email', { email, password: ATTACKERS_PASSWORD })).status).toBe(403)
})

test('the password and the link together confirm the address and sign in', async () => {
  const email = `ada-${randomUUID()}@example.com`
  const token = await signUpAs(email, PASSWORD)
  const browser = openBrowser(api.app)
  expect((await browser.post('/verify-email', { token, password: PASSWORD })).status).toBe(200)
  expect((await browser.get('/session')).body).toMatchObject({ person: { email, email_verified: true } })
})

test('the owner of the mailbox takes over a profile that another person created, by a password reset', async () => {
  const { url, received } = await startSink()
  const withMail = await startUsersApi({
    config: { databaseUrl: api.url, mail: { url, from: 'post@probity.example' } },
  })
  const email = `victim-${randomUUID()}@example.com`
  const victim = openBrowser(withMail.app)
  await openBrowser(withMail.app).post('/auth/sign-up/email', { name: 'Eve', email, password: ATTACKERS_PASSWORD })
  await victim.post('/auth/request-password-reset', { email })
  const token = await vi.waitFor(() => {
    const text = received.map((one) => one.text.replaceAll('=\r\n', '').replaceAll('=3D', '=')).join('\n')
    const found = /reset-password#token=([\w-]+)/.exec(text)?.[1]
    expect(found).toBeDefined()
    return found
  }, 10_000)
  expect((await victim.post('/auth/reset-password', { token, newPassword: PASSWORD })).status).toBe(200)
  expect((await victim.post('/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(200)
  const attacker = openBrowser(withMail.app)
  expect((await attacker.post('/auth/sign-in/email', { email, password: ATTACKERS_PASSWORD })).status).toBe(401)
})

test('without an SMTP relay a password reset confirms no address', async () => {
  const email = `ada-${randomUUID()}@example.com`
  await signUpAs(email, ATTACKERS_PASSWORD)
  const before = listLinks(api, 'reset').length
  const browser = openBrowser(api.app)
  await browser.post('/auth/request-password-reset', { email })
  const token = await nextToken(api, 'reset', before)
  expect((await browser.post('/auth/reset-password', { token, newPassword: PASSWORD })).status).toBe(200)
  expect(await isVerified(email)).toBe(false)
})
