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
const CREDITS = { credits: 5, note: 'Test' }

/** Every change of accounts and probing, with a valid body. */
const SENSITIVE: [path: string, body: object][] = [
  [`/operator/accounts/${account}/credits`, CREDITS],
  [`/operator/accounts/${account}/plan`, { plan: 'payg' }],
  [`/operator/accounts/${account}/suspend`, {}],
  [`/operator/accounts/${account}/unsuspend`, {}],
  ['/operator/provider_controls', { provider: 'gmx', is_paused: false }],
  ['/operator/providers/lift-suspension', { provider: 'gmx' }],
  ['/operator/egress_controls', { egress: 'probe.example', is_drained: false }],
]

async function setUpTwoFactor(operator: SignedIn): Promise<string[]> {
  const { body } = await operator.post('/auth/two-factor/enable', { password: PASSWORD })
  const { totpURI: uri, backupCodes: codes } = body as { totpURI: string; backupCodes: string[] }
  expect((await operator.post('/auth/two-factor/verify-totp', { code: codeFrom(uri) })).status).toBe(200)
  return codes
}

/** Makes all entered codes so many minutes older. */
function ageCodes(minutes: number): Promise<unknown> {
  return asOwner(api.db, (trx) =>
    sql`update code_entries set entered_at = entered_at - make_interval(mins => ${minutes})`.execute(trx),
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
  const operator = await signUpOperator(api)
  const codes = await setUpTwoFactor(operator)
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
  expect((await operator.post('/auth/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(200)
  expect((await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
})

test('a 2FA code counts for its own session only, starting with sign-in', async () => {
  const operator = await signUpOperator(api)
  const codes = await setUpTwoFactor(operator)
  await ageCodes(16)
  const other = openBrowser(api.app)
  await other.post('/auth/sign-in/email', { email: operator.email, password: PASSWORD })
  expect((await other.post('/auth/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(200)
  expect((await other.post(`/operator/accounts/${account}/credits`, CREDITS)).status).toBe(200)
  expect(await operator.post(`/operator/accounts/${account}/credits`, CREDITS)).toMatchObject(CODE_REQUIRED)
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
