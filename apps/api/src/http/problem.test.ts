import { formatKey } from '@probity/contract/constants/keys'
import { ALL_PROBLEMS, type TransientCode } from '@probity/contract/constants/problems'
import { ProblemBody } from '@probity/contract/schemas/problems'
import type { InjectOptions } from 'fastify'
import Type from 'typebox'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'
import { Problem } from './problem.ts'
import type { Route } from './route.ts'

const CANARY = 'canary-7f3a@example.org'

/** Throws the error that a test sets. */
const trouble: Route = async (app) => {
  app.get('/bug', { schema: { hide: true } }, async () => {
    throw new Error(`column "x" of ${CANARY} does not exist`)
  })
  for (const code of Object.keys(ALL_PROBLEMS) as (keyof typeof ALL_PROBLEMS)[]) {
    app.get(`/throw/${code}`, { schema: { hide: true } }, async () => {
      throw new Problem(code as TransientCode, undefined, { retryAfterS: 7 })
    })
  }
  app.get('/things/:id', { schema: { hide: true } }, async () => ({ ok: true }))
  app.post('/echo', { schema: { hide: true } }, async () => ({ ok: true }))
  app.delete('/things/:id', { schema: { hide: true } }, async () => ({ ok: true }))
  const body = Type.Object({ name: Type.Optional(Type.String()) }, { additionalProperties: false })
  app.post('/named', { schema: { hide: true, body } }, async () => ({ ok: true }))
  const optional = { schema: { hide: true, body }, config: { isBodyOptional: true } }
  app.post('/optional', optional, async (request) => ({ got: JSON.stringify(request.body) }))
}

const api = await startTestApi({ routes: [trouble] })
const { call } = await api.openCaller()

test.each(Object.entries(ALL_PROBLEMS))('%s has the status and texts of the table', async (code, texts) => {
  const answer = await call({ method: 'GET', url: `/api/v1/throw/${code}` })
  expect(answer.status).toBe(texts.status)
  expect(answer.headers['content-type']).toBe('application/problem+json')
  expect(answer.headers['retry-after']).toBe('7')
  expect(Value.Check(ProblemBody, answer.body)).toBe(true)
  expect(answer.body).toMatchObject({ code, ...texts, request_id: answer.headers['request-id'] })
})

test('a path parameter of more than 100 characters is not found', async () => {
  const get = (length: number) => call({ method: 'GET', url: `/api/v1/things/${'a'.repeat(length)}` })
  expect((await get(100)).status).toBe(200)
  const { status, body } = await get(101)
  expect([status, body['code']]).toEqual([404, 'not_found'])
  expect((await callApp(api.app, { url: `/api/v1/things/${'a'.repeat(101)}` })).status).toBe(404)
})

test('an internal error is returned without its cause and logged with the request id', async () => {
  const { status, body, text } = await call({ method: 'GET', url: '/api/v1/bug' })
  expect([status, body['code']]).toEqual([500, 'internal_error'])
  expect(text).not.toContain('column')
})

test.each([
  [
    'not JSON',
    { payload: `{"email": "${CANARY}`, headers: { 'content-type': 'application/json' } },
    400,
    'malformed_json',
  ],
  [
    'a poisoned prototype',
    { payload: `{"__proto__": {"x": "${CANARY}"}}`, headers: { 'content-type': 'application/json' } },
    400,
    'malformed_json',
  ],
  [
    'a form',
    { payload: `email=${CANARY}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
])('a body that is %s is rejected and not repeated in the response', async (_name, request, status, code) => {
  const answer = await call({ method: 'POST', url: '/api/v1/echo', ...request })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect(answer.text).not.toContain('canary')
})

const JSON_TYPE = { 'content-type': 'application/json' }

test.each([
  ['POST', '/echo', 200],
  ['DELETE', '/things/1', 200],
  ['POST', '/optional', 200],
  ['POST', '/named', 400],
] as const)('an empty JSON body of %s %s returns %i', async (method, path, expected) => {
  const { status, body } = await call({ method, url: `/api/v1${path}`, payload: '', headers: JSON_TYPE })
  expect(status).toBe(expected)
  if (status === 400) expect(body['code']).toBe('malformed_json')
})

test('an optional body is an empty object if it is omitted, and validated if it is sent', async () => {
  const send = (request: InjectOptions) => call({ method: 'POST', url: '/api/v1/optional', ...request })
  expect((await send({})).body).toEqual({ got: '{}' })
  expect((await send({ payload: '', headers: JSON_TYPE })).body).toEqual({ got: '{}' })
  expect((await send({ payload: { name: 'x' } })).body).toEqual({ got: '{"name":"x"}' })
  expect((await send({ payload: { name: 1 } })).status).toBe(400)
})

test('unknown fields are named, unless the name could be data', async () => {
  const faultsOf = async (payload: object) => {
    const { status, body, text } = await call({ method: 'POST', url: '/api/v1/named', payload })
    expect(status).toBe(400)
    expect(text).not.toContain('canary')
    return body['errors']
  }
  const unknown = (pointer: string) => ({ pointer, detail: 'is not a known field' })
  const hidden = { pointer: '', detail: 'has an unknown field' }
  expect(await faultsOf({ Name: 1, 'first-name_2': 2 })).toEqual([unknown('/Name'), unknown('/first-name_2')])
  expect(await faultsOf({ [CANARY]: 1, nam: 2 })).toEqual([unknown('/nam'), hidden])
  const longest = 'a'.repeat(50)
  expect(await faultsOf({ [longest]: 1 })).toEqual([unknown(`/${longest}`)])
  expect(await faultsOf({ [`${longest}a`]: 1 })).toEqual([hidden])
  expect(await faultsOf({ [formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')]: 1 })).toEqual([hidden])
})

test.each([
  ['GET', '/api/v1/echo', 'POST'],
  ['POST', '/api/v1/things/1?x=1', 'DELETE, GET, HEAD'],
  ['PUT', '/api/v1/openapi.json', 'GET, HEAD'],
] as const)('%s %s is 405 with the allowed methods', async (method, url, allow) => {
  const { status, body, headers } = await callApp(api.app, { method, url })
  expect([status, body['code'], headers['allow']]).toEqual([405, 'method_not_allowed', allow])
})

test('an unknown path is 404 for every method', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'] as const) {
    const { status, headers } = await callApp(api.app, { method, url: '/api/v1/things/1/parts' })
    expect([status, headers['allow']]).toEqual([404, undefined])
  }
})

test('no response under /api/v1 can be cached, except the OpenAPI document', async () => {
  for (const url of ['/things/1', '/bug', '/nothing', '/echo']) {
    const { headers } = await call({ method: 'GET', url: `/api/v1${url}` })
    expect([headers['cache-control'], headers['vary']]).toEqual(['no-store', 'X-API-Key, Authorization'])
  }
  const { headers } = await call({ method: 'GET', url: '/api/v1/openapi.json' })
  expect([headers['cache-control'], headers['vary']]).toEqual(['no-cache', undefined])
})

test.each([`/api/v1/${CANARY}`, `/${CANARY}`, '/api/v1/%zz', `/api/v1/echoes?email=${CANARY}`])(
  'an unknown path is 404 and not repeated in the response: %s',
  async (url) => {
    const answer = await callApp(api.app, { method: 'GET', url })
    expect([answer.status, answer.body['code']]).toEqual([404, 'not_found'])
    expect(answer.text).not.toContain('canary')
  },
)

test('every response has a request id and RateLimit headers', async () => {
  for (const url of ['/livez', '/api/v1/nothing', '/api/v1/bug', '/api/v1/openapi.json']) {
    const { headers } = await call({ method: 'GET', url })
    expect(headers['request-id']).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(headers['ratelimit']).toMatch(/^"[a-z]+";r=\d+;t=\d+$/)
    expect(headers['ratelimit-policy']).toMatch(/^"[a-z]+";q=\d+;w=\d+$/)
  }
})
