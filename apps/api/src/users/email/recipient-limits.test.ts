import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { mayReceive } from '@probity/email/limits'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openBrowser, openNewAccount, PASSWORD, signUp, startUsersApi } from '../../testing/test-browser.ts'
import { startSink } from './test-sink.ts'

const { url, received } = await startSink()
/** Writes links to the log, for the users of the tests. */
const api = await startUsersApi()
const withMail = await startUsersApi({
  config: { databaseUrl: api.url, mail: { url, from: 'post@probity.example' }, publicUrl: 'https://probity.example' },
})

const newAddress = () => `user-${randomUUID()}@example.com`
const subjectsTo = (email: string) =>
  received.filter(({ to }) => to.includes(email)).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim())

/** Number of emails of a kind, counted after an email that was sent later has arrived. */
async function countEmails(email: string, subject: string): Promise<number> {
  const marker = newAddress()
  await openBrowser(withMail.app).post('/auth/sign-up/email', { name: 'Ann', email: marker, password: PASSWORD })
  await vi.waitFor(() => expect(subjectsTo(marker)).toHaveLength(1), 10_000)
  return subjectsTo(email).filter((one) => one === subject).length
}

/** While Redis is slow the process counts locally, so up to twice the quota can be sent. */
const UNCERTAINTY = 2

test('a recipient gets three emails of a kind in an hour, from however many networks they are requested', async () => {
  const email = newAddress()
  for (let n = 0; n < 9; n++) {
    const user = { name: 'Eve', email, password: PASSWORD }
    expect((await openBrowser(withMail.app).post('/auth/sign-up/email', user)).status).toBe(200)
  }
  expect(await countEmails(email, 'Confirm your email address')).toBe(1)
  const count = await countEmails(email, 'Your email address is already registered')
  expect(count).toBeGreaterThanOrEqual(3)
  expect(count).toBeLessThanOrEqual(3 * UNCERTAINTY)
})

test('emails of other kinds do not use up the password resets of a user', async () => {
  const { email } = await signUp(api)
  const { admission } = api.services
  for (const kind of ['invitation', 'verification', 'existing_account', 'email_change'] as const) {
    for (let n = 0; n < 3; n++) await mayReceive(admission, { kind, to: email })
  }
  for (let n = 0; n < 3; n++) await openBrowser(withMail.app).post('/auth/request-password-reset', { email })
  expect(await countEmails(email, 'Reset your password')).toBe(3)
})

test('names in emails are one line without links', async () => {
  const ada = await signUp(api)
  const nasty = await ada.post('/auth/update-user', { name: 'Ada\nhttps://evil.example' })
  expect(nasty.status).toBe(400)
  expect((await ada.post('/accounts', { name: 'Engines\r\nBcc: x' })).status).toBe(400)

  expect((await ada.post('/auth/update-user', { name: 'Pay at https://evil.example/pay' })).status).toBe(200)
  const account = await openNewAccount(ada, `www.evil.example ${'x'.repeat(150)}`)
  const email = newAddress()
  const browser = openBrowser(withMail.app)
  for (const [name, value] of ada.cookies) browser.cookies.set(name.replace('probity.', '__Host-probity.'), value)
  const invited = await browser.post('/auth/organization/invite-member', {
    organizationId: account['probity-account'],
    email,
    role: 'viewer',
  })
  expect(invited.status).toBe(200)
  await vi.waitFor(() => expect(subjectsTo(email)).toHaveLength(1), 10_000)
  const text = received.find(({ to }) => to.includes(email))?.text ?? ''
  const links = text.replaceAll('=\r\n', '').match(/(https?:\/\/|www\.)[^\s"<]+/g) ?? []
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect(link).toMatch(/^https:\/\/probity\.example\//)
  expect(text).not.toContain('evil.example')
})

test('an account sends at most 20 invitations per day if anyone can sign up, and none while it is suspended', async () => {
  const ada = await signUp(api)
  const account = await openNewAccount(ada)
  const accountId = account['probity-account']
  const invite = () =>
    ada.call({
      method: 'POST',
      url: '/app/api/auth/organization/invite-member',
      payload: { organizationId: accountId, email: newAddress(), role: 'viewer' },
      // Each from another network, so that only the limit of the account counts.
      remoteAddress: openBrowser(api.app).ip,
    })
  const setSuspended = (isSuspended: boolean) =>
    asOwner(api.db, (trx) =>
      sql`update accounts set suspended_at = ${isSuspended ? new Date() : null} where id = ${accountId}`.execute(trx),
    )
  await setSuspended(true)
  const refused = await invite()
  expect([refused.status, refused.body['code']]).toEqual([403, 'account_suspended'])
  await setSuspended(false)

  const statuses: number[] = []
  for (let n = 0; n < 22; n++) statuses.push((await invite()).status)
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(statuses.at(-1)).toBe(429)
})
