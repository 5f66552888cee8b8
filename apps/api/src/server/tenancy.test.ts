import { randomBytes, randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../testing/test-api.ts'
import type { OpenApiDocument } from './openapi.ts'

const api = await startTestApi()
const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
const document = JSON.parse(text) as OpenApiDocument
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

const owner = await api.openCaller({ credits: 5 })
const other = await api.openCaller({ credits: 5 })

/** For each path parameter the id of an object of the owner. */
const FOREIGN_IDS: Record<string, string> = { key_id: owner.keyId }

/** Path parameters that are not ids. */
const PLACES: Record<string, string> = { row: '2' }

/** An address whose result the owner has not collected yet. */
const ADDRESS = { email: 'ada@example.com', timeout: 1 }

/** A webhook of the owner. */
const HOOK = { url: 'https://hooks.example.com/' }

/** A policy of the owner. */
const POLICY = { rules: [], default: { decision: 'allow', reason: 'No issues found.' } }

/** A form with a CSV file. */
const form = new FormData()
form.append('file', new Blob([`email\n${ADDRESS.email}\n`]), 'list.csv')

async function upload(caller: TestClient): Promise<string> {
  const { body } = await caller.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  return String(body['upload_id'])
}
const confirming = (uploadId: string) => ({ upload_id: uploadId, email_column: 'email' })

/** Body and query of a valid request. An operation that is missing in this table fails the test below. */
const ENTRIES: Record<string, { body?: object; query?: Record<string, string> }> = {
  'POST /api/v1/validation/single': { body: ADDRESS },
  'GET /api/v1/validation/single': { query: { email: ADDRESS.email, timeout: '1' } },
  'GET /api/v1/validations/{validation_id}': {},
  'POST /api/v1/validation/decision': { body: ADDRESS },
  'POST /api/v1/validation/bulk': { body: { emails: [ADDRESS.email], timeout: 1 } },
  'POST /api/v1/bulk/upload/preview': { body: form },
  'POST /api/v1/bulk/upload/confirm': { body: confirming(await upload(other)) },
  'GET /api/v1/bulk/uploads': {},
  'GET /api/v1/bulk/uploads/{upload_id}': {},
  'DELETE /api/v1/bulk/uploads/{upload_id}': {},
  'POST /api/v1/bulk/uploads/{upload_id}/sheets': { body: { sheet: 'Contacts' } },
  'POST /api/v1/bulk/uploads/{upload_id}/header': { body: { header_row: 1 } },
  'GET /api/v1/bulk/uploads/{upload_id}/non-addresses': {},
  'GET /api/v1/bulk/uploads/{upload_id}/suggestions': {},
  'POST /api/v1/bulk/uploads/{upload_id}/corrections': { body: { corrections: [{ row: 2, value: 'x' }] } },
  'GET /api/v1/bulk/jobs': {},
  'GET /api/v1/bulk/jobs/{job_id}': {},
  'GET /api/v1/bulk/jobs/{job_id}/breakdown': {},
  'GET /api/v1/bulk/jobs/{job_id}/comparison': { query: { with: randomUUID() } },
  'GET /api/v1/bulk/jobs/{job_id}/callback': {},
  'POST /api/v1/bulk/jobs/{job_id}/callback/resend': {},
  'GET /api/v1/bulk/jobs/{job_id}/events': {},
  'GET /api/v1/bulk/jobs/{job_id}/results': {},
  'GET /api/v1/bulk/jobs/{job_id}/results/{row}': {},
  'POST /api/v1/bulk/jobs/{job_id}/pause': {},
  'POST /api/v1/bulk/jobs/{job_id}/resume': {},
  'POST /api/v1/bulk/jobs/{job_id}/cancel': {},
  'GET /api/v1/bulk/jobs/{job_id}/report-links': {},
  'POST /api/v1/bulk/jobs/{job_id}/report-links': { body: {} },
  'DELETE /api/v1/bulk/jobs/{job_id}/report-links/{link_id}': {},
  'POST /api/v1/bulk/jobs/{job_id}/rerun': { body: { rows: 'all' } },
  'PATCH /api/v1/bulk/jobs/{job_id}': { body: { name: 'taken over' } },
  'DELETE /api/v1/bulk/jobs/{job_id}': {},
  'POST /api/v1/feedback': { body: { messages: [{ email: ADDRESS.email, delivery: 'delivered' }] } },
  'GET /api/v1/model': {},
  'GET /api/v1/account': {},
  'GET /api/v1/account/callback-secret': {},
  'POST /api/v1/account/callback-secret/rotate': {},
  'GET /api/v1/events/stream': {},
  'POST /api/v1/erasures': { body: { email: 'ada@owners-own.example' } },
  'GET /api/v1/usage': { query: { by: 'key' } },
  'GET /api/v1/ledger': {},
  'GET /api/v1/requests': {},
  'GET /api/v1/overview': {},
  'GET /api/v1/health/providers': {},
  'GET /api/v1/requests/{request_id}': {},
  'GET /api/v1/policies': {},
  'POST /api/v1/policies': { body: { name: 'x', ...POLICY } },
  'GET /api/v1/policies/{name}': {},
  'PATCH /api/v1/policies/{name}': { body: { description: 'taken over' } },
  'DELETE /api/v1/policies/{name}': {},
  'GET /api/v1/overrides': {},
  'POST /api/v1/overrides': { body: { action: 'block', targets: [ADDRESS.email] } },
  'DELETE /api/v1/overrides/{override_id}': {},
  'GET /api/v1/keys': {},
  'POST /api/v1/keys': { body: { name: 'x' } },
  'GET /api/v1/keys/{key_id}': {},
  'PATCH /api/v1/keys/{key_id}': { body: { name: 'taken over' } },
  'DELETE /api/v1/keys/{key_id}': {},
  'POST /api/v1/keys/{key_id}/rotate': { body: { overlap_s: 0 } },
  'PATCH /api/v1/account': { body: { credits: { low_at: 7 }, name: 'taken over', retention_days: 3 } },
  'GET /api/v1/webhooks': {},
  'POST /api/v1/webhooks': { body: HOOK },
  'GET /api/v1/webhooks/{webhook_id}': {},
  'PATCH /api/v1/webhooks/{webhook_id}': { body: { url: 'https://taken-over.example/', enabled: false } },
  'DELETE /api/v1/webhooks/{webhook_id}': {},
  'POST /api/v1/webhooks/{webhook_id}/rotate': {},
  'POST /api/v1/webhooks/{webhook_id}/test': {},
  'POST /api/v1/webhooks/{webhook_id}/recover': { body: { since_at: '2026-01-01T00:00:00Z' } },
  'GET /api/v1/webhooks/{webhook_id}/deliveries': {},
  'GET /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}': {},
  'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend': {},
}

const asked = await owner.call({ method: 'POST', url: '/api/v1/validation/single', payload: ADDRESS })
FOREIGN_IDS['validation_id'] = String(asked.body['id'])
FOREIGN_IDS['request_id'] = String(asked.headers['request-id'])
FOREIGN_IDS['upload_id'] = await upload(owner)
const confirm = (uploadId: string): InjectOptions => ({
  method: 'POST',
  url: '/api/v1/bulk/upload/confirm',
  payload: confirming(uploadId),
})
FOREIGN_IDS['job_id'] = String((await owner.call(confirm(await upload(owner)))).body['id'])

// A link of the job, which has not ended.
const { rows: links } = await asOwner(api.db, (trx) =>
  sql<{ id: string }>`
    insert into report_links (account_id, job_id, token_hash, expires_at)
    values (${owner.accountId}, ${FOREIGN_IDS['job_id']}, ${randomBytes(32)}, now() + interval '1 day') returning id`.execute(
    trx,
  ),
)
FOREIGN_IDS['link_id'] = links[0]?.id ?? ''

await owner.call({ method: 'POST', url: '/api/v1/policies', payload: { name: 'owners-own', ...POLICY } })
FOREIGN_IDS['name'] = 'owners-own'

const override = { action: 'allow', targets: ['owners-own.example'] }
await owner.call({ method: 'POST', url: '/api/v1/overrides', payload: override })
const overrides = await owner.call({ method: 'GET', url: '/api/v1/overrides' })
FOREIGN_IDS['override_id'] = (JSON.parse(overrides.text) as { id: string }[])[0]?.id ?? ''

const hook = (await owner.call({ method: 'POST', url: '/api/v1/webhooks', payload: HOOK })).body['id']
FOREIGN_IDS['webhook_id'] = String(hook)
const tested = await owner.call({ method: 'POST', url: `/api/v1/webhooks/${hook}/test` })
FOREIGN_IDS['delivery_id'] = String(tested.body['id'])

test('every operation has an entry', () => {
  expect(Object.keys(ENTRIES).toSorted()).toEqual(operations.toSorted())
  for (const [, parameter = ''] of operations.join().matchAll(/\{(\w+)\}/g))
    expect({ ...FOREIGN_IDS, ...PLACES }).toHaveProperty(parameter)
})

function request(operation: string, idOf: (parameter: string) => string): InjectOptions {
  const [method, path = ''] = operation.split(' ')
  const url = path.replace(/\{(\w+)\}/g, (_, parameter: string) => PLACES[parameter] ?? idOf(parameter))
  const { body, query } = ENTRIES[operation] ?? {}
  return { method: method as 'GET', url, ...(body && { payload: body }), ...(query && { query }) }
}

const withIds = operations.filter((operation) => operation.includes('{'))
// The event stream does not end by itself; its own tests show that it is limited to the account.
const withoutIds = operations.filter((operation) => !operation.includes('{') && !operation.endsWith('/events/stream'))

test.each(withIds)('%s: an id of another account is 404, with the same body as a missing one', async (operation) => {
  const foreign = await other.call(request(operation, (parameter) => FOREIGN_IDS[parameter] ?? ''))
  const missing = await other.call(request(operation, () => randomUUID()))

  expect([foreign.status, missing.status]).toEqual([404, 404])
  expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId(missing.body))
  expect(await traceOf(owner)).toEqual(await before)
})

test.each(withoutIds)('%s: the response contains nothing of another account', async (operation) => {
  const { status, text: body } = await other.call(request(operation, () => ''))
  expect(status).toBeLessThan(300)
  for (const id of [owner.accountId, ...Object.values(FOREIGN_IDS)]) expect(body).not.toContain(id)
})

test('confirming the upload of another account returns 404 like a missing one and does not change it', async () => {
  const foreign = await other.call(confirm(FOREIGN_IDS['upload_id'] ?? ''))
  const missing = await other.call(confirm(randomUUID()))
  expect([foreign.status, missing.status]).toEqual([404, 404])
  expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId(missing.body))
  expect((await owner.call(confirm(FOREIGN_IDS['upload_id'] ?? ''))).status).toBe(201)
})

function withoutRequestId({ request_id: _, ...body }: Record<string, unknown>) {
  return body
}

/** Everything that the owner sees of its account; it must be unchanged after every attempt. */
async function traceOf(caller: TestClient) {
  const { body } = await caller.call({ method: 'GET', url: `/api/v1/keys/${caller.keyId}` })
  const { last_used_at: _, last_request: __, ...rest } = body
  const job = await caller.call({ method: 'GET', url: `/api/v1/bulk/jobs/${FOREIGN_IDS['job_id']}` })
  const url = `/api/v1/webhooks/${FOREIGN_IDS['webhook_id']}`
  const reports = await caller.call({ method: 'GET', url: `/api/v1/bulk/jobs/${FOREIGN_IDS['job_id']}/report-links` })
  const webhook = await caller.call({ method: 'GET', url })
  const deliveries = await caller.call({ method: 'GET', url: `${url}/deliveries` })
  const policy = await caller.call({ method: 'GET', url: `/api/v1/policies/${FOREIGN_IDS['name']}` })
  const own = await caller.call({ method: 'GET', url: '/api/v1/overrides' })
  return {
    overrides: own.text,
    key: rest,
    job: [job.status, job.body, reports.text],
    webhook: [webhook.body, deliveries.body],
    policy: policy.body,
  }
}
const before = traceOf(owner)
