import { PROBLEMS } from '@probity/contract/data/problems'
import { type PassingCode, ProblemBody } from '@probity/contract/problem'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { Problem } from './problem.ts'
import type { Route } from './route.ts'
import { callApp, startTestApi } from './test-api.ts'

const CANARY = 'canary-7f3a@example.org'

/** Throws whatever a test asks for. */
const trouble: Route = async (app) => {
  app.get('/bug', { schema: { hide: true } }, async () => {
    throw new Error(`column "x" of ${CANARY} does not exist`)
  })
  for (const code of Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[]) {
    app.get(`/throw/${code}`, { schema: { hide: true } }, async () => {
      throw new Problem(code as PassingCode, undefined, { retryAfterS: 7 })
    })
  }
  app.get('/things/:id', { schema: { hide: true } }, async () => ({ ok: true }))
  app.post('/echo', { schema: { hide: true } }, async () => ({ ok: true }))
}

const api = await startTestApi({ routes: [trouble] })
const { call } = await api.openCaller()

test.each(Object.entries(PROBLEMS))('%s is answered as the table says', async (code, { status, title }) => {
  const answer = await call({ method: 'GET', url: `/api/v1/throw/${code}` })
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('application/problem+json')
  expect(answer.headers['retry-after']).toBe('7')
  expect(Value.Check(ProblemBody, answer.body)).toBe(true)
  expect(answer.body).toMatchObject({ code, title, status, request_id: answer.headers['request-id'] })
})

test('a path parameter of more than 100 characters is not found', async () => {
  const get = (length: number) => call({ method: 'GET', url: `/api/v1/things/${'a'.repeat(length)}` })
  expect((await get(100)).status).toBe(200)
  const { status, body } = await get(101)
  expect([status, body['code']]).toEqual([404, 'not_found'])
  expect((await callApp(api.app, { url: `/api/v1/things/${'a'.repeat(101)}` })).status).toBe(404)
})

test('a bug of ours is answered without its cause and logged with the request id', async () => {
  const { status, body, text } = await call({ method: 'GET', url: '/api/v1/bug' })
  expect([status, body['code']]).toEqual([500, 'internal'])
  expect(text).not.toContain('column')
})

test.each([
  [
    'not JSON',
    { payload: `{"email": "${CANARY}`, headers: { 'content-type': 'application/json' } },
    400,
    'malformed_json',
  ],
  ['nothing', { payload: '', headers: { 'content-type': 'application/json' } }, 400, 'malformed_json'],
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
])('a body that is %s is refused and never told back', async (_name, request, status, code) => {
  const answer = await call({ method: 'POST', url: '/api/v1/echo', ...request })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect(answer.text).not.toContain('canary')
})

test.each([`/api/v1/${CANARY}`, `/${CANARY}`, '/api/v1/%zz', `/api/v1/echo?email=${CANARY}`])(
  'an unknown path is 404 and never told back: %s',
  async (url) => {
    const answer = await callApp(api.app, { method: 'GET', url })
    expect([answer.status, answer.body['code']]).toEqual([404, 'not_found'])
    expect(answer.text).not.toContain('canary')
  },
)

test('every answer has a request id and says how the rate stands', async () => {
  for (const url of ['/livez', '/api/v1/nothing', '/api/v1/bug', '/api/v1/openapi.json']) {
    const { headers } = await call({ method: 'GET', url })
    expect(headers['request-id']).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(headers['ratelimit']).toMatch(/^"[a-z]+";r=\d+;t=\d+$/)
    expect(headers['ratelimit-policy']).toMatch(/^"[a-z]+";q=\d+;w=\d+$/)
  }
})
