import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openBrowser, openNewAccount, signUp, startUsersApi } from '../testing/test-browser.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const operator = await signUpOperator(api)
const owner = await signUp(api)
const account = await openNewAccount(owner)
const program = await api.openCaller({ credits: 5 })

type Method = NonNullable<InjectOptions['method']>

/** Read from the router, so that new routes are tested without being listed here. */
function listRoutes(): { method: Method; url: string }[] {
  const above: string[] = []
  return api.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      // The router prints a tree: four characters per level, then the rest of the path and its methods.
      const [, drawn = '', rest, methods = ''] = /^(.*── )(\S*)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
      if (rest === undefined) return []
      above.splice(drawn.length / 4 - 1, Number.POSITIVE_INFINITY, rest)
      const url = above.join('')
      if (!url.startsWith('/app/api/operator/')) return []
      const names = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD')
      return names.map((method) => ({ method: method as Method, url: named(url) }))
    })
}

/** With the id of an existing account: for a missing one a 404 would not prove that access was denied. */
function named(url: string): string {
  return url.replace(':account_id', account['probity-account']).replaceAll(/:\w+/g, randomUUID())
}

const routes = listRoutes()

test('the router lists the operator routes', () => {
  const names = routes.map(({ method, url }) => `${method} ${url}`)
  expect(names).toContain('GET /app/api/operator/health')
  expect(names).toContain('POST /app/api/operator/replies/review')
  expect(names.length).toBeGreaterThanOrEqual(9)
})

test.for(routes)('$method $url is available to operators only', async ({ method, url }) => {
  const body = method === 'GET' ? {} : { payload: {} }
  const signedOut = await openBrowser(api.app).call({ method, url, ...body })
  expect([signedOut.status, signedOut.body['code']]).toEqual([401, 'unauthenticated'])
  const member = await owner.call({ method, url, ...body, headers: account })
  expect([member.status, member.body['code']]).toEqual([404, 'not_found'])
  const key = await openBrowser(api.app).call({ method, url, ...body, headers: { 'x-api-key': program.key } })
  expect([key.status, key.body['code']]).toEqual([401, 'unauthenticated'])
  const elsewhere = await program.call({ method, url: url.replace('/app/api', '/api/v1'), ...body })
  expect(elsewhere.status).toBe(404)

  const allowed = await operator.call({ method, url, ...body })
  // Most routes reject an empty body or a random id. Such a response proves that authorization passed.
  expect([200, 204, 400, 404, 422]).toContain(allowed.status)
  if (method === 'GET' && !url.includes('-')) expect(allowed.status).toBe(200)
})

test('a former operator is rejected at once', async () => {
  const former = await signUpOperator(api)
  expect((await former.get('/operator/health')).status).toBe(200)
  await asOwner(api.db, (trx) => sql`update users set is_operator = false where id = ${former.personId}`.execute(trx))
  expect((await former.get('/operator/health')).status).toBe(404)
})
