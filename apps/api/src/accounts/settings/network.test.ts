import { insertKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { expect, test, vi } from 'vitest'
import { callApp } from '../../testing/test-api.ts'
import {
  addMember,
  openBrowser,
  openNewAccount,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../../testing/test-browser.ts'

const api = await startUsersApi({ config: { trustedProxies: ['127.0.0.1'] } })

async function openOwner() {
  const owner = await signUp(api)
  const account = await openNewAccount(owner)
  return { owner, account, accountId: account['probity-account'] }
}

function change(by: SignedIn, account: Record<string, string>, payload: object) {
  return by.call({ method: 'PATCH', url: '/app/api/network', payload, headers: account })
}

/** The same user with the same cookies on another network. */
function moveTo(person: SignedIn, ip: string): SignedIn {
  const browser = openBrowser(api.app)
  const call: SignedIn['call'] = (request) =>
    callApp(api.app, {
      ...request,
      remoteAddress: ip,
      headers: {
        'sec-fetch-site': 'same-origin',
        'probity-app': '1',
        cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...request.headers,
      },
    })
  return {
    ...person,
    ...browser,
    ip,
    call,
    get: (url, headers = {}) => call({ method: 'GET', url: `/app/api${url}`, headers }),
    post: (url, payload = {}, headers = {}) => call({ method: 'POST', url: `/app/api${url}`, payload, headers }),
  }
}

const REFUSED = { status: 403, body: { code: 'ip_not_allowed' } }

test("GET returns the allowlist and the client's IP address, also behind a proxy", async () => {
  const { owner, account } = await openOwner()
  const { body } = await owner.get('/network', account)
  expect(body).toEqual({ ip_allowlist: [], your_address: owner.ip })
  const proxied = moveTo(owner, '127.0.0.1')
  const forwarded = await proxied.get('/network', { ...account, 'x-forwarded-for': '::ffff:192.0.2.9' })
  expect(forwarded.body['your_address']).toBe('192.0.2.9')
})

test('an allowlist that excludes the caller requires confirmation', async () => {
  const { owner, account } = await openOwner()
  const refused = await change(owner, account, { ip_allowlist: ['192.0.2.0/24'] })
  expect([refused.status, refused.body['code']]).toEqual([409, 'ip_lockout'])
  expect((await owner.get('/network', account)).body['ip_allowlist']).toEqual([])

  const list = ['192.0.2.0/24', owner.ip]
  expect((await change(owner, account, { ip_allowlist: list })).body['ip_allowlist']).toEqual(list)
  expect((await owner.get('/network', account)).status).toBe(200)

  expect((await change(owner, account, { ip_allowlist: ['192.0.2.0/24'], confirmed: true })).status).toBe(200)
  expect(await owner.get('/network', account)).toMatchObject(REFUSED)
  expect((await moveTo(owner, '192.0.2.7').get('/network', account)).status).toBe(200)
})

test('an invalid address or range is rejected and named', async () => {
  const { owner, account } = await openOwner()
  const { status, body } = await change(owner, account, { ip_allowlist: [owner.ip, 'office'] })
  expect([status, body['errors']]).toMatchObject([400, [{ pointer: '/ip_allowlist' }]])
  expect(JSON.stringify(body['errors'])).toContain('office')
})

test('members are limited to the allowlist, in the application and in the sign-in library', async () => {
  const { owner, account, accountId } = await openOwner()
  const other = await openNewAccount(owner, 'Elsewhere')
  const invite = { organizationId: accountId, email: 'eve@example.com', role: 'viewer' }
  const invited = await owner.post('/auth/organization/invite-member', invite)
  const { id } = JSON.parse(invited.text) as { id: string }
  await change(owner, account, { ip_allowlist: [owner.ip] })

  const away = moveTo(owner, '198.51.100.7')
  for (const url of ['/account', '/keys', '/network', '/billing', '/notices']) {
    expect(await away.get(url, account)).toMatchObject(REFUSED)
  }
  const named = `organizationId=${accountId}`
  expect(await away.get(`/auth/organization/list-members?${named}`)).toMatchObject(REFUSED)
  expect(await away.get(`/auth/organization/list-invitations?${named}`)).toMatchObject(REFUSED)
  expect(await away.post('/auth/organization/invite-member', invite)).toMatchObject(REFUSED)
  expect(await away.post('/auth/organization/cancel-invitation', { invitationId: id })).toMatchObject(REFUSED)
  expect((await away.get('/auth/organization/list-members')).status).toBe(400)

  expect((await away.get('/session')).status).toBe(200)
  expect((await away.get('/account', other)).status).toBe(200)
  expect((await owner.get('/account', account)).status).toBe(200)
  expect((await owner.get(`/auth/organization/list-members?${named}`)).status).toBe(200)
})

test('secret keys are limited to the allowlist within a second, and publishable keys are not', async () => {
  const { owner, account, accountId } = await openOwner()
  const make = (key: object) =>
    inTenant(api.db, accountId, (trx) =>
      insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: ['validations:write', 'account:read'], ...key }),
    )
  const origin = 'https://www.example.com'
  const secret = await make({})
  const page = await make({
    kind: 'publishable',
    scopes: ['validations:write'],
    allowedOrigins: [origin],
    visitorCap: 9,
  })
  const from = (remoteAddress: string) =>
    callApp(api.app, { method: 'GET', url: '/api/v1/account', remoteAddress, headers: { 'x-api-key': secret.text } })
  expect((await from('198.51.100.7')).status).toBe(200)

  await change(owner, account, { ip_allowlist: [owner.ip] })
  await vi.waitFor(async () => expect(await from('198.51.100.7')).toMatchObject(REFUSED), 1_000)
  expect((await from(owner.ip)).status).toBe(200)
  const preview = await callApp(api.app, {
    method: 'POST',
    url: '/api/v1/validation/decision',
    remoteAddress: '198.51.100.7',
    payload: { email: 'two@@example.com', timeout: 1 },
    headers: { 'x-api-key': page.text, origin },
  })
  expect(preview.status).toBe(200)

  await change(owner, account, { ip_allowlist: [] })
  await vi.waitFor(async () => expect((await from('198.51.100.7')).status).toBe(200), 1_000)
})

test('only owners and admins can read and change the allowlist', async () => {
  const { owner, account, accountId } = await openOwner()
  for (const [role, status] of [
    ['admin', 200],
    ['developer', 403],
    ['viewer', 403],
  ] as const) {
    const member = await signUp(api)
    await addMember(api, accountId, member, role)
    expect((await member.get('/network', account)).status).toBe(status)
    expect((await change(member, account, { ip_allowlist: [] })).status).toBe(status)
  }
  expect((await owner.get('/network', account)).status).toBe(200)
})
