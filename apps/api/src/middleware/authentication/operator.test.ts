import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'
import { signUpOperator } from '../../testing/test-operator.ts'
import { codeFrom } from '../../testing/test-totp.ts'

const api = await startUsersApi({ config: { operators: { requiresTwoFactor: true, networks: [] } } })
const account = (await openNewAccount(await signUp(api)))['probity-account']

const CODE_REQUIRED = { status: 403, body: { code: 'code_required' } }
const NEW_SIGN_IN = { status: 403, body: { code: 'new_sign_in_required' } }
const CREDITS = { credits: 5, note: 'Test' }

/** Every change of accounts and probing, with a valid body. */
const SENSITIVE: [path: string, body: object][] = [
  [`/operator/accounts/${account}/credits`, CREDITS],
  [`/operator/accounts/${account}/plan`, { plan: 'payg' }],
  [`/operator/accounts/${account}/suspend`, {}],
  [`/operator/accounts/${account}/reactivate`, {}],
  ['/operator/provider_controls', { provider: 'gmx', is_paused: false }],
  ['/operator/providers/lift-suspension', { provider: 'gmx' }],
  ['/operator/egress_controls', { egress: 'probe.example', is_drained: false }],
]

type SecondFactor = { uri: string; codes: string[] }

async function setUpTwoFactor(user: SignedIn): Promise<SecondFactor> {
  const { body } = await user.post('/auth/two-factor/enable', { password: PASSWORD })
  const { totpURI: uri, backupCodes: codes } = body as { totpURI: string; backupCodes: string[] }
  expect((await user.post('/auth/two-factor/verify-totp', { code: codeFrom(uri) })).status).toBe(200)
  return { uri, codes }
}

/** A new session of a user, started with the password and a recovery code. */
async function signInAgain({ email }: SignedIn, code: string | undefined) {
  const browser = openBrowser(api.app)
  await browser.post('/auth/sign-in/email', { email, password: PASSWORD })
  expect((await browser.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  return browser
}

/** Makes all entered codes so many minutes older. */
function ageCodes(minutes: number): Promise<unknown> {
  return asOwner(api.db, (trx) =>
    sql`update sessions set code_entered_at = code_entered_at - make_interval(mins => ${minutes})`.execute(trx),
  )
}

test('operator routes reject an operator without 2FA', async () => {
  const operator = await signUpOperator(api)
  expect(await operator.get('/session')).toMatchObject({ body: { operator_access: 'two_factor_required' } })
  for (const path of ['health', 'doctor', 'accounts', 'providers', 'egress', 'queues', 'replies', 'audit-log']) {
    const answer = await operator.get(`/operator/${path}`)
    expect([path, answer.status, answer.body['code']]).toEqual([path, 403, 'two_factor_required'])
  }
  for (const [path, body] of SENSITIVE) {
    expect(await operator.post(path, body)).toMatchObject({ status: 403, body: { code: 'two_factor_required' } })
  }
})

test('operator routes respond like missing routes to a user who is not an operator', async () => {
  const user = await signUp(api)
  await setUpTwoFactor(user)
  expect(await user.get('/session')).toMatchObject({ body: { operator_access: null } })
  expect((await user.get('/operator/health')).status).toBe(404)
  expect((await user.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(404)
})

test('sensitive actions require a 2FA code of the last 15 minutes', async () => {
  const created = await signUpOperator(api)
  const { codes } = await setUpTwoFactor(created)
  const operator = await signInAgain(created, codes[0])
  expect(await operator.get('/session')).toMatchObject({ body: { operator_access: 'allowed' } })
  for (const [path, body] of SENSITIVE) expect((await operator.post(path, body)).status).toBeLessThan(300)

  await ageCodes(14)
  expect((await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
  await ageCodes(1)
  for (const [path, body] of SENSITIVE) expect(await operator.post(path, body)).toMatchObject(CODE_REQUIRED)
  expect((await operator.get('/operator/health')).status).toBe(200)
  expect((await operator.post('/operator/doctor/run')).status).toBe(204)

  expect((await operator.post('/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(401)
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(CODE_REQUIRED)
  expect((await operator.post('/auth/two-factor/verify-backup-code', { code: codes[1] })).status).toBe(200)
  expect((await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
})

test('a 2FA code counts for its own session only, starting with sign-in', async () => {
  const created = await signUpOperator(api)
  const { codes } = await setUpTwoFactor(created)
  const operator = await signInAgain(created, codes[0])
  await ageCodes(16)
  const other = await signInAgain(created, codes[1])
  expect((await other.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(CODE_REQUIRED)
})

test('recovery codes that were made in a session permit no operator actions in it', async () => {
  const created = await signUpOperator(api)
  const { uri, codes } = await setUpTwoFactor(created)
  const operator = await signInAgain(created, codes[0])
  const made = await operator.post('/auth/two-factor/generate-backup-codes', { password: PASSWORD, code: codes[1] })
  expect(made.status).toBe(200)
  const [first, second] = made.body['backupCodes'] as string[]
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(NEW_SIGN_IN)
  expect((await operator.post('/auth/two-factor/verify-backup-code', { code: first })).status).toBe(200)
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(NEW_SIGN_IN)
  const code = codeFrom(uri, Date.now() + 30_000)
  expect((await operator.post('/auth/two-factor/verify-totp', { code })).status).toBe(200)
  for (const [path, body] of SENSITIVE) expect(await operator.post(path, body)).toMatchObject(NEW_SIGN_IN)

  const later = await signInAgain(created, second)
  expect((await later.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
})

test('an authenticator that was set up in a session permits no operator actions in it', async () => {
  const operator = await signUpOperator(api)
  const { uri, codes } = await setUpTwoFactor(operator)
  expect(await operator.get('/session')).toMatchObject({ body: { operator_access: 'allowed' } })
  const code = codeFrom(uri, Date.now() + 30_000)
  expect((await operator.post('/auth/two-factor/verify-totp', { code })).status).toBe(200)
  expect((await operator.post('/auth/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(200)
  for (const [path, body] of SENSITIVE) expect(await operator.post(path, body)).toMatchObject(NEW_SIGN_IN)

  // Nor does a change of the password, which starts a new session without a code.
  const change = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' }
  expect((await operator.post('/auth/change-password', change)).status).toBe(200)
  expect((await operator.post('/auth/two-factor/verify-backup-code', { code: codes[1] })).status).toBe(200)
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(NEW_SIGN_IN)
})

test('disabling and enabling 2FA again permits no operator actions in any earlier session', async () => {
  const created = await signUpOperator(api)
  const { codes } = await setUpTwoFactor(created)
  const [operator, other] = [await signInAgain(created, codes[0]), await signInAgain(created, codes[1])]
  expect((await operator.post('/auth/two-factor/disable', { password: PASSWORD, code: codes[2] })).status).toBe(200)
  const replaced = await setUpTwoFactor({ ...created, ...operator })
  for (const [n, session] of [operator, other].entries()) {
    const code = replaced.codes[n]
    expect((await session.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
    expect(await session.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(NEW_SIGN_IN)
  }
})

test('OPERATOR_NETWORKS limits operators by IP address', async () => {
  const operators = { requiresTwoFactor: false, networks: ['192.0.2.0/24', '2001:db8::/32'] }
  const limited = await startUsersApi({ config: { operators } })
  const operator = await signUpOperator(limited)
  const ask = (remoteAddress: string, path: string) =>
    operator.call({ method: 'GET', url: `/app/api${path}`, remoteAddress })
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1']) {
    expect(await ask(address, '/operator/health')).toMatchObject({ status: 200 })
    expect(await ask(address, '/session')).toMatchObject({ body: { operator_access: 'allowed' } })
  }
  for (const address of ['192.0.3.7', '2001:db9::1', '127.0.0.1']) {
    expect(await ask(address, '/operator/health')).toMatchObject({ status: 403, body: { code: 'ip_not_allowed' } })
    expect(await ask(address, '/session')).toMatchObject({ status: 200, body: { operator_access: 'ip_not_allowed' } })
  }
})
