import type { RouteOptions } from 'fastify'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { API_ROUTES } from '../server/app.ts'
import { startTestApi } from '../testing/test-api.ts'
import { checkRequests, writeResponses } from './compile-late.ts'
import type { Route } from './route.ts'

type Described = { content?: Record<string, { schema: object }> }
type Schemas = { body?: object; querystring?: object; params?: object; response?: Record<string, Described> }

/** Records the routes that are registered in the same scope. */
const noted: RouteOptions[] = []
const note: Route = Object.assign<Route, object>(
  async (app) => {
    app.addHook('onRoute', (route) => void noted.push(route))
  },
  { [Symbol.for('skip-override')]: true },
)

test('the schemas of all routes compile, although they are compiled only when needed', async () => {
  await startTestApi({ routes: [note, ...API_ROUTES] })
  const schemas = noted.map(({ schema }) => schema as Schemas)
  const place = { method: 'GET', url: '/' }
  const asked = schemas.flatMap(({ body, querystring, params }) => [body, querystring, params]).filter((part) => part)
  const answers = schemas.flatMap(({ response = {} }) =>
    Object.values(response).flatMap((answer) =>
      answer.content ? Object.values(answer.content).map(({ schema }) => schema) : [answer],
    ),
  )
  expect([asked.length > 50, answers.length > 500, new Set(answers).size > 50]).toEqual([true, true, true])
  for (const schema of new Set(asked)) checkRequests({ ...place, schema: schema as never })(undefined)
  for (const schema of new Set(answers)) {
    // Missing response fields are an error of their own, which proves that the schema was compiled.
    const write = writeResponses({ ...place, httpStatus: '200', schema })
    try {
      expect(write({})).toBeTypeOf('string')
    } catch (error) {
      expect(String(error)).toMatch(/is required!|does not match schema definition|cannot be converted/)
    }
  }
})

test('a response contains the fields of its schema and no others', () => {
  const schema = Type.Object({ available: Type.Integer(), spent: Type.Integer() })
  const write = writeResponses({ method: 'GET', url: '/', httpStatus: '200', schema })
  const credits = { available: 1, spent: 3, secret: 'no' }
  expect([write(credits), write(credits)]).toEqual(['{"available":1,"spent":3}', '{"available":1,"spent":3}'])
})
