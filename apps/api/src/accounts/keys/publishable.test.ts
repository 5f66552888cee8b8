import { CreatedKey } from '@probity/contract/schemas/keys'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'

const api = await startTestApi()
const { call } = await api.openCaller()
const ORIGINS = ['https://www.example.com', 'http://localhost:5173']
const PAGE = { name: 'Sign-up page', type: 'publishable', allowed_origins: ORIGINS }
const post = (payload: object, url = '/api/v1/keys') => call({ method: 'POST', url, payload })

test('a publishable key only validates, and its origins and visitor limits are enforced', async () => {
  const { status, body } = await post(PAGE)
  expect(status).toBe(201)
  expect(Value.Check(CreatedKey, body)).toBe(true)
  expect(body['key']).toMatch(/^pb_pub_[0-9A-Za-z]{38}$/)
  expect(body).toMatchObject({
    livemode: true,
    type: 'publishable',
    scopes: ['validations:write'],
    allowed_origins: ORIGINS,
  })
  expect(body['public_key']).toBe(body['key'])
  expect(body).toMatchObject({ monthly_cap: 10_000, allowed_policies: ['signup'] })
  expect(body).toMatchObject({ visitor_cap: 30, hint: `pb_pub_…${String(body['key']).slice(-4)}` })
  expect((await post({ ...PAGE, livemode: false })).body).toMatchObject({
    livemode: false,
    key: expect.stringMatching(/^pb_pub_/),
  })
})

test('a secret key has no origins, no policies and no cap', async () => {
  const { body } = await post({ name: 'server' })
  expect(body).toMatchObject({ type: 'secret', allowed_origins: [], allowed_policies: [], visitor_cap: null })
  expect(body).toMatchObject({ monthly_cap: null, public_key: null })
})

test('the default monthly cap of a publishable key can be changed and removed', async () => {
  expect((await post({ ...PAGE, monthly_cap: 7 })).body).toMatchObject({ monthly_cap: 7 })
  expect((await post({ ...PAGE, monthly_cap: null })).body).toMatchObject({ monthly_cap: null })
})

test('the origins and the cap of a publishable key can be changed, and rotation keeps them', async () => {
  const { body } = await post(PAGE)
  const url = `/api/v1/keys/${body['id']}`
  const payload = {
    allowed_origins: ['https://shop.example.com'],
    allowed_policies: ['newsletter', 'signup'],
    visitor_cap: 5,
  }
  expect((await call({ method: 'PATCH', url, payload })).body).toMatchObject(payload)
  const rotated = await post({ overlap_s: 0 }, `${url}/rotate`)
  expect(rotated.body).toMatchObject({ ...payload, type: 'publishable', scopes: ['validations:write'] })
  expect(rotated.body['key']).toMatch(/^pb_pub_/)
  const shown = await call({ method: 'GET', url: `/api/v1/keys/${rotated.body['id']}` })
  expect(shown.body['public_key']).toBe(rotated.body['key'])
})

test.each([
  [{ allowed_origins: undefined }, '/allowed_origins'],
  [{ allowed_origins: [] }, '/allowed_origins'],
  [{ allowed_origins: ['https://www.example.com/'] }, '/allowed_origins/0'],
  [{ allowed_origins: [...ORIGINS, 'https://Example.com'] }, '/allowed_origins/2'],
  [{ allowed_origins: ['https://example.com:443'] }, '/allowed_origins/0'],
  [{ allowed_origins: ['https://*.example.com/'] }, '/allowed_origins/0'],
  [{ allowed_origins: ['ftp://example.com'] }, '/allowed_origins/0'],
  [{ allowed_origins: ['chrome-extension://abc'] }, '/allowed_origins/0'],
  [{ scopes: ['validations:write', 'keys:write'] }, '/scopes'],
  [{ scopes: ['validations:read'] }, '/scopes'],
  [{ visitor_cap: 0 }, '/visitor_cap'],
  [{ allowed_policies: [] }, '/allowed_policies'],
  [{ allowed_policies: ['Sign up'] }, '/allowed_policies/0'],
  [{ type: 'secret', allowed_origins: undefined, allowed_policies: ['signup'] }, '/allowed_policies'],
  [{ type: 'secret' }, '/allowed_origins'],
  [{ type: 'secret', allowed_origins: undefined, visitor_cap: 3 }, '/visitor_cap'],
])('invalid settings are rejected: %o', async (part, pointer) => {
  const { status, body } = await post({ ...PAGE, ...part })
  expect(status).toBe(400)
  expect(body['errors']).toMatchObject([{ pointer }])
})

test('secret keys reject settings of publishable keys, and the reverse', async () => {
  const page = await post(PAGE)
  const server = await post({ name: 'server' })
  const patch = (id: unknown, payload: object) => call({ method: 'PATCH', url: `/api/v1/keys/${String(id)}`, payload })
  expect((await patch(page.body['id'], { scopes: ['validations:write', 'jobs:write'] })).body['errors']).toMatchObject([
    { pointer: '/scopes' },
  ])
  expect((await patch(server.body['id'], { allowed_origins: ORIGINS })).body['errors']).toMatchObject([
    { pointer: '/allowed_origins' },
  ])
})
