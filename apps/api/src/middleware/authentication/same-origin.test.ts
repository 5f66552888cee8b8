import { expect, test } from 'vitest'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const [open, named] = await Promise.all([
  startTestApi(),
  startTestApi({ config: { publicUrl: 'https://probity.example' } }),
])

const SIGN_IN = { method: 'POST', url: '/app/api/auth/sign-in/email' } as const
const JSON_BODY = { payload: '{"email":"nobody@example.com","password":"whatever it is"}' }
const APP = { 'probity-app': '1' }
const TYPE = { 'content-type': 'application/json' }
const HOST = { host: 'localhost:8080' }

/** Whether a request with these headers is accepted as one of the web application. */
async function isTaken(api: typeof open, headers: Record<string, string>, request: object = {}): Promise<boolean> {
  const answer = await callApp(api.app, { ...SIGN_IN, ...JSON_BODY, ...request, headers: { ...HOST, ...headers } })
  if (answer.status === 403) expect(answer.body['code']).toBe('cross_site_request')
  else expect(answer.status).toBe(401)
  return answer.status !== 403
}

test.each<[string, boolean, Record<string, string>]>([
  ['a page of ours', true, { 'sec-fetch-site': 'same-origin', ...APP, ...TYPE }],
  ['another site', false, { 'sec-fetch-site': 'cross-site', ...APP, ...TYPE }],
  ['another host of the same site', false, { 'sec-fetch-site': 'same-site', ...APP, ...TYPE }],
  ['an address that was typed', false, { 'sec-fetch-site': 'none', ...APP, ...TYPE }],
  [
    'another site that names our origin too',
    false,
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:8080', ...APP, ...TYPE },
  ],
  ['an older browser at our own host', true, { origin: 'http://localhost:8080', ...APP, ...TYPE }],
  ['an older browser at another host', false, { origin: 'http://localhost:8081', ...APP, ...TYPE }],
  ['a page without an origin', false, { origin: 'null', ...APP, ...TYPE }],
  ['an unknown source', false, { ...APP, ...TYPE }],
  ['without our header', false, { 'sec-fetch-site': 'same-origin', ...TYPE }],
  ['a form', false, { 'sec-fetch-site': 'same-origin', ...APP, 'content-type': 'application/x-www-form-urlencoded' }],
  ['JSON that calls itself text', false, { 'sec-fetch-site': 'same-origin', ...APP, 'content-type': 'text/plain' }],
  [
    'JSON with a charset',
    true,
    { 'sec-fetch-site': 'same-origin', ...APP, 'content-type': 'application/json; charset=utf-8' },
  ],
])('from %s: accepted is %s', async (_from, expected, headers) => {
  expect(await isTaken(open, headers)).toBe(expected)
})

test('the Host header has no effect when PUBLIC_URL is set', async () => {
  expect(await isTaken(named, { origin: 'https://probity.example', ...APP, ...TYPE })).toBe(true)
  expect(await isTaken(named, { origin: 'http://probity.example', ...APP, ...TYPE })).toBe(false)
  expect(await isTaken(named, { origin: 'http://localhost:8080', ...APP, ...TYPE })).toBe(false)
})

test.each(['POST', 'PATCH', 'DELETE'] as const)(
  '%s of every route under /app/api requires the header',
  async (method) => {
    const url = { POST: '/app/api/accounts', PATCH: '/app/api/account', DELETE: '/app/api/keys/x' }[method]
    const answer = await callApp(open.app, { method, url, headers: { 'sec-fetch-site': 'cross-site', ...APP } })
    expect([answer.status, answer.body['code']]).toEqual([403, 'cross_site_request'])
  },
)

test('requests that change something are not reachable by GET', async () => {
  for (const path of [
    'sign-out',
    'verify-email?token=x',
    'reset-password/x?callbackURL=/',
    'delete-user/callback?token=x',
  ]) {
    const answer = await callApp(open.app, { method: 'GET', url: `/app/api/auth/${path}` })
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test('unused features of the sign-in library are not reachable', async () => {
  const headers = { 'sec-fetch-site': 'same-origin', ...APP }
  for (const path of [
    'sign-in/social',
    'organization/create',
    'organization/delete',
    'delete-user',
    'change-email',
    'get-session',
    'ok',
    'two-factor/send-otp',
  ]) {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await callApp(open.app, {
        method,
        url: `/app/api/auth/${path}`,
        headers,
        ...(method === 'POST' && { payload: {} }),
      })
      expect([path, answer.status]).toEqual([path, 404])
    }
  }
})

test('no other origin is ever allowed by CORS', async () => {
  const answer = await callApp(open.app, {
    method: 'OPTIONS',
    url: '/app/api/keys',
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
  })
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})
