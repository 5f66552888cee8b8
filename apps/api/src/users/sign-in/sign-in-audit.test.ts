import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import {
  type Browser,
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'
import { codeFrom } from '../../testing/test-totp.ts'
import { startSink } from '../email/test-sink.ts'
import { RECORDED, recordedKey } from './forward-sign-in.ts'

const api = await startUsersApi()
const { url, received } = await startSink()
const withMail = await startUsersApi({
  config: { databaseUrl: api.url, mail: { url, from: 'post@probity.example' } },
})
const subjectsTo = (email: string) =>
  received.filter(({ to }) => to.includes(email)).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim())

type Account = { 'probity-account': string }
type Entry = { action: string; actor: string; actor_name: string | null; ip: string | null }

async function openAccount(): Promise<{ ada: SignedIn; account: Account }> {
  const ada = await signUp(api)
  return { ada, account: await openNewAccount(ada) }
}

async function list(user: Browser, account: Account, action: string): Promise<Entry[]> {
  const { status, body } = await user.get(`/audit-log?action=${action}`, account)
  expect(status).toBe(200)
  return body['entries'] as Entry[]
}

test('sign-ins and ended sessions are in the audit log of the accounts of the user', async () => {
  const { ada, account } = await openAccount()
  const [phone, tablet, laptop] = [openBrowser(api.app), openBrowser(api.app), openBrowser(api.app)]
  for (const browser of [phone, tablet, laptop]) {
    expect((await browser.post('/auth/sign-in/email', { email: ada.email, password: PASSWORD })).status).toBe(200)
  }
  const signedIn = await list(ada, account, 'person.signed_in')
  expect(signedIn.map(({ ip }) => ip)).toEqual([laptop.ip, tablet.ip, phone.ip])
  for (const entry of signedIn) expect(entry).toMatchObject({ actor: 'member', actor_name: 'Ada' })

  await phone.post('/auth/sign-out')
  const { body } = await ada.get('/sessions')
  const other = (body['sessions'] as { id: string; is_current: boolean; ip_address: string }[]).find(
    ({ ip_address }) => ip_address === tablet.ip,
  )
  expect((await ada.call({ method: 'DELETE', url: `/app/api/sessions/${other?.id}` })).status).toBe(204)
  expect((await ada.call({ method: 'DELETE', url: '/app/api/sessions' })).status).toBe(204)
  expect((await laptop.get('/session')).status).toBe(401)
  expect((await ada.get('/session')).status).toBe(200)
  const ended = await list(ada, account, 'person.session_ended')
  expect(ended.map(({ ip }) => ip)).toEqual([ada.ip, ada.ip, phone.ip])
})

test('failed sign-ins are in the audit log without an actor', async () => {
  const { ada, account } = await openAccount()
  const attacker = openBrowser(api.app)
  await attacker.post('/auth/sign-in/email', { email: ada.email, password: 'not the right password' })
  await vi.waitFor(async () => expect(await list(ada, account, 'person.sign_in_failed')).toHaveLength(1), 10_000)
  const [failed] = await list(ada, account, 'person.sign_in_failed')
  expect(failed).toMatchObject({ actor: 'service', actor_name: null, ip: attacker.ip })
})

test('failed sign-ins recorded per user are limited, so that clients cannot fill the audit log', async () => {
  const [victim, other] = [await openAccount(), await openAccount()]
  const { admission } = api.services
  for (let n = 0; n < 2 * RECORDED.quota; n++) await admission.admit(recordedKey(victim.ada.email), RECORDED)
  for (const { ada } of [victim, other]) {
    await openBrowser(api.app).post('/auth/sign-in/email', { email: ada.email, password: 'not the right password' })
  }
  const failedOf = ({ ada, account }: typeof victim) => list(ada, account, 'person.sign_in_failed')
  await vi.waitFor(async () => expect(await failedOf(other)).toHaveLength(1), 10_000)
  expect(await failedOf(victim)).toEqual([])
})

test('a correct password with a wrong code is recorded as a failed sign-in only', async () => {
  const { ada, account } = await openAccount()
  const enabled = await ada.post('/auth/two-factor/enable', { password: PASSWORD })
  const [code] = enabled.body['backupCodes'] as string[]
  // As entering the first authenticator code does.
  await asOwner(api.db, (trx) =>
    sql`update users set two_factor_enabled = true where id = ${ada.personId}`.execute(trx),
  )
  const browser = openBrowser(api.app)
  await browser.post('/auth/sign-in/email', { email: ada.email, password: PASSWORD })
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code: 'wrong' })).status).toBe(401)
  await vi.waitFor(async () => expect(await list(ada, account, 'person.sign_in_failed')).toHaveLength(1))
  expect(await list(ada, account, 'person.signed_in')).toEqual([])
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  expect(await list(ada, account, 'person.signed_in')).toHaveLength(1)
})

test('changes of the second factor and wrong codes are in the audit log, and are mailed to the user', async () => {
  const { ada, account } = await openAccount()
  const mailed = openBrowser(withMail.app)
  for (const [name, value] of ada.cookies) mailed.cookies.set(name, value)
  const enabled = await mailed.post('/auth/two-factor/enable', { password: PASSWORD })
  const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] }
  await mailed.post('/auth/two-factor/verify-totp', { code: codeFrom(totpURI) })
  const [code] = backupCodes
  const made = await mailed.post('/auth/two-factor/generate-backup-codes', { password: PASSWORD, code })
  const [next] = made.body['backupCodes'] as string[]
  expect((await mailed.post('/auth/two-factor/disable', { password: PASSWORD, code: 'wrong' })).status).toBe(400)
  expect((await mailed.post('/auth/two-factor/disable', { password: PASSWORD, code: next })).status).toBe(200)
  const actions = ['second_factor_on', 'recovery_codes_created', 'wrong_code', 'second_factor_off']
  for (const action of actions) {
    const entries = await list(mailed, account, `person.${action}`)
    expect([action, entries]).toMatchObject([action, [{ actor: 'member', actor_name: 'Ada', ip: mailed.ip }]])
  }
  await vi.waitFor(() => expect(subjectsTo(ada.email)).toHaveLength(3), 10_000)
  expect(subjectsTo(ada.email)).toEqual([
    'Two-factor authentication was enabled',
    'New recovery codes were created',
    'Two-factor authentication was disabled',
  ])
})

test('a session that is ended after wrong codes is in the audit log, and is mailed to the user once', async () => {
  const { ada, account } = await openAccount()
  const { totpURI } = (await ada.post('/auth/two-factor/enable', { password: PASSWORD })).body
  await ada.post('/auth/two-factor/verify-totp', { code: codeFrom(String(totpURI)) })
  const guesser = openBrowser(withMail.app)
  for (const [name, value] of ada.cookies) guesser.cookies.set(name, value)
  for (let n = 0; n < 7; n++) await guesser.post('/auth/two-factor/verify-totp', { code: '000000' })
  expect((await guesser.get('/session')).status).toBe(401)

  const browser = openBrowser(api.app)
  await browser.post('/auth/sign-in/email', { email: ada.email, password: PASSWORD })
  const later = codeFrom(String(totpURI), Date.now() + 30_000)
  expect((await browser.post('/auth/two-factor/verify-totp', { code: later })).status).toBe(200)
  expect(await list(browser, account, 'person.wrong_code')).toHaveLength(6)
  expect(await list(browser, account, 'person.session_ended')).toHaveLength(1)
  await vi.waitFor(() => expect(subjectsTo(ada.email)).toHaveLength(1), 10_000)
  expect(subjectsTo(ada.email)).toEqual(['A session was ended after wrong 2FA codes'])
})

test('exports are in the audit log', async () => {
  const { ada, account } = await openAccount()
  expect((await ada.get('/ledger?format=csv', account)).status).toBe(200)
  expect((await ada.get('/audit-log?format=csv', account)).status).toBe(200)
  expect((await ada.post('/export', { password: PASSWORD }, account)).status).toBe(200)
  const exported = await list(ada, account, 'export')
  expect(exported.map(({ action }) => action)).toEqual(['export.account', 'export.audit_log', 'export.ledger'])
  for (const entry of exported) expect(entry).toMatchObject({ actor: 'member', actor_name: 'Ada', ip: ada.ip })
})
