import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import {
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'
import { RECORDED, recordedKey } from './forward-sign-in.ts'

const api = await startUsersApi()

type Account = { 'probity-account': string }
type Entry = { action: string; actor: string; actor_name: string | null; ip: string | null }

async function openAccount(): Promise<{ ada: SignedIn; account: Account }> {
  const ada = await signUp(api)
  return { ada, account: await openNewAccount(ada) }
}

async function list(user: SignedIn, account: Account, action: string): Promise<Entry[]> {
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

test('exports are in the audit log', async () => {
  const { ada, account } = await openAccount()
  expect((await ada.get('/ledger?format=csv', account)).status).toBe(200)
  expect((await ada.get('/audit-log?format=csv', account)).status).toBe(200)
  expect((await ada.post('/export', { password: PASSWORD }, account)).status).toBe(200)
  const exported = await list(ada, account, 'export')
  expect(exported.map(({ action }) => action)).toEqual(['export.account', 'export.audit_log', 'export.ledger'])
  for (const entry of exported) expect(entry).toMatchObject({ actor: 'member', actor_name: 'Ada', ip: ada.ip })
})
