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

const EVERYBODY: Role[] = ['owner', 'admin', 'developer', 'marketer', 'viewer']
const SPENDERS: Role[] = ['owner', 'admin', 'developer', 'marketer']
const BUILDERS: Role[] = ['owner', 'admin', 'developer']
const LEADERS: Role[] = ['owner', 'admin']

/** Where what is sent decides who may send it. */
const SENT: Record<string, object> = { 'PATCH /account': { name: 'Renamed' } }

/** Who may use which route. One that is not in this table fails the test below. */
const MAY: Record<string, Role[]> = {
  'POST /validation/single': SPENDERS,
  'GET /validation/single': SPENDERS,
  'GET /validations/{validation_id}': SPENDERS,
  'POST /validation/decision': SPENDERS,
  'POST /validation/bulk': SPENDERS,
  'POST /bulk/upload/preview': SPENDERS,
  'POST /bulk/upload/confirm': SPENDERS,
  'GET /bulk/uploads': EVERYBODY,
  'GET /bulk/uploads/{upload_id}': EVERYBODY,
  'DELETE /bulk/uploads/{upload_id}': SPENDERS,
  'GET /bulk/jobs': EVERYBODY,
  'GET /bulk/jobs/{job_id}': EVERYBODY,
  'GET /bulk/jobs/{job_id}/events': EVERYBODY,
  'GET /bulk/jobs/{job_id}/results': EVERYBODY,
  'GET /bulk/jobs/{job_id}/results/{row}': EVERYBODY,
  'GET /bulk/jobs/{job_id}/breakdown': EVERYBODY,
  'GET /bulk/jobs/{job_id}/callback': EVERYBODY,
  'POST /bulk/jobs/{job_id}/callback/resend': SPENDERS,
  'POST /bulk/jobs/{job_id}/pause': SPENDERS,
  'POST /bulk/jobs/{job_id}/resume': SPENDERS,
  'POST /bulk/jobs/{job_id}/cancel': SPENDERS,
  'DELETE /bulk/jobs/{job_id}': SPENDERS,
  'POST /feedback': SPENDERS,
  'GET /model': EVERYBODY,
  'GET /account': EVERYBODY,
  'GET /usage': EVERYBODY,
  'GET /ledger': EVERYBODY,
  'GET /requests': EVERYBODY,
  'GET /requests/{request_id}': EVERYBODY,
  'GET /overview': EVERYBODY,
  'GET /health/providers': EVERYBODY,
  'PATCH /account': LEADERS,
  'GET /account/callback-secret': BUILDERS,
  'POST /account/callback-secret/rotate': BUILDERS,
  'GET /events/stream': BUILDERS,
  'POST /erasures': LEADERS,
  'GET /overrides': EVERYBODY,
  'POST /overrides': LEADERS,
  'DELETE /overrides/{override_id}': LEADERS,
  'GET /policies': EVERYBODY,
  'POST /policies': LEADERS,
  'GET /policies/{name}': EVERYBODY,
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
for (const role of EVERYBODY.slice(1)) {
  people[role] = await signUp(api)
  await addMember(api, account['probity-account'], people[role], role)
}

test('every route has its entry, and every role is asked', () => {
  expect(Object.keys(MAY).toSorted()).toEqual(operations.toSorted())
  expect(Object.keys(ROLES)).toEqual(EVERYBODY)
})

test.each(operations)('%s: those who may are let in, and nobody else', async (operation) => {
  const [method, path = ''] = operation.split(' ')
  const url = `/app/api${path.replace(/\{\w+\}/g, () => randomUUID())}`
  const request = {
    method: method as 'GET',
    url,
    headers: account,
    ...(method !== 'GET' && { payload: SENT[operation] ?? {} }),
  }
  // A stream does not end by itself: routes/webhooks/stream.test.ts reads it.
  const roles = operation === 'GET /events/stream' ? EVERYBODY.filter((role) => !BUILDERS.includes(role)) : EVERYBODY
  for (const role of roles) {
    const { status, body } = await people[role].call(request as InjectOptions)
    const refused = status === 403 && body['code'] === 'missing_role'
    expect([role, refused]).toEqual([role, !MAY[operation]?.includes(role)])
    // Whoever is let in is told what is wrong with a request that has nothing in it, or gets what they asked for.
    if (!refused) expect([200, 201, 400, 404, 415]).toContain(status)
  }
})

test('whoever may manage webhooks may say when credits count as low, and no more of the account', async () => {
  const change = (body: object) =>
    people.developer.call({ method: 'PATCH', url: '/app/api/account', headers: account, payload: body })
  expect((await change({ credits: { low_at: 5 } })).status).toBe(200)
  expect(await change({ retention_days: 1 })).toMatchObject({ status: 403, body: { code: 'missing_role' } })
})

test('nobody hands out a key with more power than they have', async () => {
  const made = await people.developer.post('/keys', { name: 'x', scopes: ['validations:write', 'keys:write'] }, account)
  expect(made.status).toBe(201)
  const beyond = await people.developer.post('/keys', { name: 'x', scopes: ['account:write'] }, account)
  expect(beyond).toMatchObject({ status: 403, body: { code: 'scope_not_grantable' } })
})
