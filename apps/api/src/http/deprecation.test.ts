import Type from 'typebox'
import { expect, test } from 'vitest'
import type { OpenApiDocument } from '../server/openapi.ts'
import { callApp, startTestApi } from '../testing/test-api.ts'
import { deprecate } from './deprecation.ts'
import { MIDDLEWARE_PROBLEMS, operation } from './openapi.ts'
import { sendPageHeaders } from './page.ts'
import type { Route } from './route.ts'

const announced = deprecate({ deprecatedOn: '2027-01-01', sunsetOn: '2028-01-01' })

const planted: Route = async (app) => {
  const meaning = {
    tag: 'Account' as const,
    summary: 'Planted',
    description: 'Planted.',
    problems: MIDDLEWARE_PROBLEMS,
  }
  const response = { 200: Type.Array(Type.String({ description: 'A text.' }), { description: 'Texts.' }) }
  const old = operation({ id: 'listOldTexts', ...meaning }, { response })
  const config = { scope: 'account:read', deprecation: announced } as const
  app.get('/old-texts', { schema: old, config }, async (_request, reply) => {
    sendPageHeaders(reply, { skip: 0, limit: 1 }, 2)
    return ['a']
  })
  const current = operation({ id: 'listTexts', ...meaning }, { response })
  app.get('/texts', { schema: current, config: { scope: 'account:read' } }, async () => ['a'])
}

const api = await startTestApi({ routes: [planted] })
const LINK = '</docs/versioning>; rel="deprecation"; type="text/html"'

test('a deprecated route sends Deprecation, Sunset and a link, beside the links of its pages', async () => {
  const caller = await api.openCaller()
  const { status, headers } = await caller.call({ method: 'GET', url: '/api/v1/old-texts' })
  expect(status).toBe(200)
  expect(headers).toMatchObject({ deprecation: '@1798761600', sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' })
  expect(headers['link']).toBe(`</api/v1/old-texts?skip=1&limit=1>; rel="next", ${LINK}`)
})

test('an error of a deprecated route has the headers, too', async () => {
  const { status, headers } = await callApp(api.app, { method: 'GET', url: '/api/v1/old-texts' })
  expect(status).toBe(401)
  expect(headers).toMatchObject({ deprecation: '@1798761600', link: LINK })
})

test('a route that is not deprecated has none of them', async () => {
  const caller = await api.openCaller()
  const { headers } = await caller.call({ method: 'GET', url: '/api/v1/texts' })
  expect(Object.keys(headers).filter((name) => ['deprecation', 'sunset', 'link'].includes(name))).toEqual([])
})

test('the document marks the operation as deprecated and declares its headers', async () => {
  const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
  const { paths } = JSON.parse(text) as OpenApiDocument
  expect(paths['/api/v1/old-texts']?.['get']).toMatchObject({
    deprecated: true,
    responses: { 200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } }, 401: { headers: { Sunset: {} } } },
  })
  const current = paths['/api/v1/texts']?.['get']
  expect(current?.deprecated).toBeUndefined()
  expect(current?.responses?.['200']?.headers).not.toHaveProperty('Deprecation')
})

test.each([
  ['2027-01-01', '2027-12-31'],
  ['2027-01-01', '2026-01-01'],
  ['2027-01-01', 'next year'],
])('deprecate refuses less than 12 months of notice: %s until %s', (deprecatedOn, sunsetOn) => {
  expect(() => deprecate({ deprecatedOn, sunsetOn })).toThrow('less than 12 months')
})
