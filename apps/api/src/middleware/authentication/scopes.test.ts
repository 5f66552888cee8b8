import { randomUUID } from 'node:crypto'
import { expandScopes, KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { expect, test } from 'vitest'
import type { OpenApiDocument } from '../../server/openapi.ts'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const api = await startTestApi()
const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
const operations = Object.entries((JSON.parse(text) as OpenApiDocument).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

/** The subject of the scopes of a route, by the first segment of its path. A segment that is not in this table fails the test below. */
const SUBJECTS: Record<string, string> = {
  account: 'account',
  bulk: 'jobs',
  feedback: 'validations',
  health: 'account',
  keys: 'keys',
  ledger: 'account',
  overrides: 'account',
  erasures: 'account',
  events: 'webhooks',
  validations: 'validations',
  model: 'account',
  overview: 'account',
  policies: 'account',
  requests: 'account',
  usage: 'account',
  validation: 'validations',
  webhooks: 'webhooks',
}

/** GET reads and every other method writes, with two exceptions: one GET uses a credit, and one returns a secret of webhooks. */
function scopeOf(method: string, path: string): KeyScope {
  if (path.startsWith('/api/v1/account/callback-secret')) return 'webhooks:write'
  const subject = SUBJECTS[path.split('/')[3] ?? '']
  const access = method === 'GET' && path !== '/api/v1/validation/single' ? 'read' : 'write'
  const scope = SCOPES.find((one) => one === `${subject}:${access}`)
  if (scope === undefined) throw new Error(`no subject for ${path}`)
  return scope
}

/** For routes whose scope depends on the body. */
const BODIES: Record<string, object> = { 'PATCH /api/v1/account': { name: 'Renamed' } }

test.each(operations)('%s is rejected for a key that has all scopes but the one of the route', async (operation) => {
  const [method = '', path = ''] = operation.split(' ')
  const scope = scopeOf(method, path)
  const others = SCOPES.filter((other) => !expandScopes([other]).includes(scope))
  const { call } = await api.openCaller({ key: { scopes: others } })
  const { status, body } = await call({
    method: method as 'GET',
    url: path.replace(/\{\w+\}/g, () => randomUUID()),
    ...(method !== 'GET' && { payload: BODIES[operation] ?? {} }),
  })
  expect([status, body['code']]).toEqual([403, 'missing_scope'])
  expect(body['detail']).toContain(`"${scope}"`)
})
