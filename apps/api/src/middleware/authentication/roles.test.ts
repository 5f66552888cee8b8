import { randomUUID } from 'node:crypto'
import { ROLES, type Role } from '@probity/contract/constants/users'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import type { OpenApiDocument } from '../../server/openapi.ts'
import { callApp } from '../../testing/test-api.ts'
import { addMember, openNewAccount, type SignedIn, signUp, startUsersApi } from '../../testing/test-browser.ts'

const api = await startUsersApi()
const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
const operations = Object.entries((JSON.parse(text) as OpenApiDocument).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
)

const ALL_ROLES: Role[] = ['owner', 'admin', 'developer', 'marketer', 'viewer']
const SPENDERS: Role[] = ['owner', 'admin', 'developer', 'marketer']
const BUILDERS: Role[] = ['owner', 'admin', 'developer']
const LEADERS: Role[] = ['owner', 'admin']

/** Bodies for routes whose required role depends on the body. */
const SENT: Record<string, object> = { 'PATCH /account': { name: 'Renamed' } }

/** The roles that may use each route. A route that is missing in this table fails the test below. */
const ALLOWED_ROLES: Record<string, Role[]> = {
  'POST /validation/single': SPENDERS,
  'GET /validation/single': SPENDERS,
  'GET /validations/{validation_id}': SPENDERS,
  'POST /validation/decision': SPENDERS,
  'POST /validation/bulk': SPENDERS,
  'POST /bulk/upload/preview': SPENDERS,
  'POST /bulk/upload/confirm': SPENDERS,
  'GET /bulk/uploads': ALL_ROLES,
  'GET /bulk/uploads/{upload_id}': ALL_ROLES,
  'DELETE /bulk/uploads/{upload_id}': SPENDERS,
  'POST /bulk/uploads/{upload_id}/sheets': SPENDERS,
  'POST /bulk/uploads/{upload_id}/header': SPENDERS,
  'GET /bulk/uploads/{upload_id}/non-addresses': ALL_ROLES,
  'GET /bulk/uploads/{upload_id}/suggestions': ALL_ROLES,
  'POST /bulk/uploads/{upload_id}/corrections': SPENDERS,
  'GET /bulk/jobs': ALL_ROLES,
  'GET /bulk/jobs/{job_id}': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/events': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/results': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/results/{row}': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/breakdown': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/comparison': ALL_ROLES,
  'GET /bulk/jobs/{job_id}/callback': ALL_ROLES,
  'POST /bulk/jobs/{job_id}/callback/resend': SPENDERS,
  'POST /bulk/jobs/{job_id}/pause': SPENDERS,
  'POST /bulk/jobs/{job_id}/resume': SPENDERS,
  'POST /bulk/jobs/{job_id}/cancel': SPENDERS,
  'POST /bulk/jobs/{job_id}/rerun': SPENDERS,
  'GET /bulk/jobs/{job_id}/report-links': ALL_ROLES,
  'POST /bulk/jobs/{job_id}/report-links': SPENDERS,
  'DELETE /bulk/jobs/{job_id}/report-links/{link_id}': SPENDERS,
  'PATCH /bulk/jobs/{job_id}': SPENDERS,
  'DELETE /bulk/jobs/{job_id}': SPENDERS,
  'POST /feedback': SPENDERS,
  'GET /model': ALL_ROLES,
  'GET /account': ALL_ROLES,
  'GET /usage': ALL_ROLES,
  'GET /ledger': ALL_ROLES,
  'GET /requests': ALL_ROLES,
  'GET /requests/{request_id}': ALL_ROLES,
  'GET /overview': ALL_ROLES,
  'GET /health/providers': ALL_ROLES,
  'PATCH /account': LEADERS,
  'GET /account/callback-secret': BUILDERS,
  'POST /account/callback-secret/rotate': BUILDERS,
  'GET /events/stream': BUILDERS,
  'POST /erasures': LEADERS,
  'GET /overrides': ALL_ROLES,
  'POST /overrides': LEADERS,
  'DELETE /overrides/{override_id}': LEADERS,
  'GET /policies': ALL_ROLES,
  'POST /policies': LEADERS,
  'GET /policies/{name}': ALL_ROLES,
  'PATCH /policies/{name}': LEADERS,
  'DELETE /policies/{name}': LEADERS,
  'GET /keys': BUILDERS,
  'POST /keys': BUILDERS,
  'GET /keys/{key_id}': BUILDERS,
  'PATCH /keys/{key_id}': BUILDERS,
  'DELETE /keys/{key_id}': BUILDERS,
  'POST /keys/{key_id}/rotate': BUILDERS,
  'GET /webhooks': BUILDERS,
  'POST /webhooks': BUILDERS,
  'GET /webhooks/{webhook_id}': BUILDERS,
  'PATCH /webhooks/{webhook_id}': BUILDERS,
  'DELETE /webhooks/{webhook_id}': BUILDERS,
  'POST /webhooks/{webhook_id}/rotate': BUILDERS,
  'POST /webhooks/{webhook_id}/test': BUILDERS,
  'POST /webhooks/{webhook_id}/recover': BUILDERS,
  'GET /webhooks/{webhook_id}/deliveries': BUILDERS,
  'GET /webhooks/{webhook_id}/deliveries/{delivery_id}': BUILDERS,
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend': BUILDERS,
}

const owner = await signUp(api)
const account = await openNewAccount(owner)
const people = { owner } as Record<Role, SignedIn>
for (const role of ALL_ROLES.slice(1)) {
  people[role] = await signUp(api)
  await addMember(api, account['probity-account'], people[role], role)
}

test('every route has an entry, and every role is tested', () => {
  expect(Object.keys(ALLOWED_ROLES).toSorted()).toEqual(operations.toSorted())
  expect(Object.keys(ROLES)).toEqual(ALL_ROLES)
})

test.each(operations)('%s is allowed for the roles in the table and for no other', async (operation) => {
  const [method, path = ''] = operation.split(' ')
  const url = `/app/api${path.replace(/\{\w+\}/g, () => randomUUID())}`
  const request = {
    method: method as 'GET',
    url,
    headers: account,
    ...(method !== 'GET' && { payload: SENT[operation] ?? {} }),
  }
  // The stream does not end by itself: webhooks/stream.test.ts reads it.
  const roles = operation === 'GET /events/stream' ? ALL_ROLES.filter((role) => !BUILDERS.includes(role)) : ALL_ROLES
  for (const role of roles) {
    const { status, body } = await people[role].call(request as InjectOptions)
    const refused = status === 403 && body['code'] === 'missing_role'
    expect([role, refused]).toEqual([role, !ALLOWED_ROLES[operation]?.includes(role)])
    // An allowed request without content gets a validation error or its result.
    if (!refused) expect([200, 201, 400, 404, 415]).toContain(status)
  }
})

test('a developer can change the low-credit threshold and no other setting of the account', async () => {
  const change = (body: object) =>
    people.developer.call({ method: 'PATCH', url: '/app/api/account', headers: account, payload: body })
  expect((await change({ credits: { low_at: 5 } })).status).toBe(200)
  expect(await change({ retention_days: 1 })).toMatchObject({ status: 403, body: { code: 'missing_role' } })
})

test('a member cannot create a key with more permissions than their own', async () => {
  const made = await people.developer.post('/keys', { name: 'x', scopes: ['validations:write', 'keys:write'] }, account)
  expect(made.status).toBe(201)
  const beyond = await people.developer.post('/keys', { name: 'x', scopes: ['account:write'] }, account)
  expect(beyond).toMatchObject({ status: 403, body: { code: 'scope_not_grantable' } })
})
