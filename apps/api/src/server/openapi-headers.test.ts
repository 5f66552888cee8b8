import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { asOwner } from '@probity/database/connection/connect'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { SECURITY_HEADERS } from '../http/security-headers.ts'
import { callApp, startTestApi, type TestResponse } from '../testing/test-api.ts'
import { startPlainWorker } from '../testing/test-plain-worker.ts'
import type { OpenApiDocument } from './openapi.ts'

const api = await startTestApi()
const document = JSON.parse(
  (await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })).text,
) as OpenApiDocument
// After the document, which takes so long to generate that a waiting connection would time out.
startPlainWorker(api.db, (email) => ({
  ...pendingResult(email, 'not_probed'),
  ...{ status: 'valid', sub_status: '', is_valid: true, safe_to_send: true },
}))

/** HTTP's own headers, which an OpenAPI document need not declare. */
const OF_HTTP = new Set([
  ...Object.keys(SECURITY_HEADERS),
  ...['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'vary', 'etag', 'allow'],
])
/** Optional headers, which a response may omit. */
const OCCASIONAL = new Set(['link', 'idempotency-replayed', 'content-disposition', 'livemode', 'retry-after'])
/** Not sent with the export of a collection, which has no pages. */
const OF_PAGES = new Set(['x-total-count', 'link'])

function declaredFor(method: string, path: string, status: number): string[] {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses?.[status]
  expect(response, `${method} ${path} declares ${status}`).toBeDefined()
  return Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase())
}

const seen = new Set<string>()

/** Compares the headers of a response with those that its operation declares for this status, in both directions. */
function compareHeaders(method: string, path: string, { status, headers }: TestResponse): void {
  const declared = declaredFor(method, path, status)
  const sent = Object.keys(headers).filter((name) => !OF_HTTP.has(name))
  for (const name of sent) seen.add(name)
  expect(sent.filter((name) => !declared.includes(name))).toEqual([])
  const isExport = headers['content-disposition'] !== undefined
  const owed = declared.filter((name) => !OCCASIONAL.has(name) && !(isExport && OF_PAGES.has(name)))
  expect(owed.filter((name) => headers[name] === undefined)).toEqual([])
}

type Planned = [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  request?: Partial<InjectOptions>,
  status?: number,
]
const replayed = { headers: { 'idempotency-key': 'one' }, payload: { email: 'ada@example.com' } }

const PLANNED: Planned[] = [
  ['GET', '/api/v1/account'],
  ['GET', '/api/v1/usage'],
  ['GET', '/api/v1/overview'],
  ['GET', '/api/v1/requests'],
  ['GET', '/api/v1/bulk/jobs'],
  ['GET', '/api/v1/bulk/uploads'],
  ['GET', '/api/v1/policies'],
  ['POST', '/api/v1/keys', { payload: { name: 'first' } }, 201],
  ['POST', '/api/v1/keys', { payload: { name: 'second' } }, 201],
  ['GET', '/api/v1/keys', { query: { limit: '1', skip: '1' } }],
  ['POST', '/api/v1/validation/single', replayed],
  ['POST', '/api/v1/validation/single', replayed],
  ['GET', '/api/v1/validation/single', { query: { email: 'ada@example.com' } }],
  ['POST', '/api/v1/validation/bulk', { payload: { emails: ['ada@example.com', 'bob@example.com'] } }],
  ['GET', '/api/v1/ledger'],
  ['GET', '/api/v1/ledger', { query: { format: 'csv' } }],
  ['GET', '/api/v1/webhooks'],
  ['POST', '/api/v1/validation/single', { payload: {} }, 400],
  ['GET', '/api/v1/account', { headers: { 'x-api-key': 'pb_live_none' } }, 401],
]

test('responses have the headers that the document declares, and no others', async () => {
  const caller = await api.openCaller({ credits: 20 })
  for (const [method, path, request = {}, status = 200] of PLANNED) {
    const answer = await caller.call({ method, url: path, ...request })
    expect([method, path, answer.status, answer.text]).toEqual([method, path, status, answer.text])
    compareHeaders(method, path, answer)
  }
  await asOwner(api.db, (trx) =>
    sql`update accounts set on_hold_since = now() where id = ${caller.accountId}`.execute(trx),
  )
  const held = await caller.call({
    method: 'POST',
    url: '/api/v1/validation/single',
    payload: { email: 'eve@example.com' },
  })
  expect(held.status).toBe(503)
  compareHeaders('POST', '/api/v1/validation/single', held)
  const declared = Object.keys(document.components.headers ?? {})
  expect(declared.filter((name) => !seen.has(name.toLowerCase()))).toEqual([])
})

test('a test key gets the same headers', async () => {
  const caller = await api.openCaller({ key: { mode: 'test' } })
  const answer = await caller.call({ method: 'GET', url: '/api/v1/account' })
  expect(answer.headers['livemode']).toBe('false')
  compareHeaders('GET', '/api/v1/account', answer)
})
