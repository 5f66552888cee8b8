import { findBuiltInPolicy } from '@probity/contract/constants/policies'
import { Policy, PolicyParams, UpdatePolicy } from '@probity/contract/schemas/policies'
import { findPolicy, removePolicy, updatePolicy } from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import Type from 'typebox'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'
import { presentBuiltIn, presentOwn } from './present.ts'
import { POLICY_BYTES_MAX, readChange } from './read.ts'

const TAG = 'Policies'
const reading = { scope: 'account:read' } as const
const changing = { scope: 'account:write' } as const

/** Routes of one policy: get, change and delete. */
export const managePolicy: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getPolicy',
      tag: TAG,
      summary: 'Get a policy',
      description: 'The rules and the default decision of a policy.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: PolicyParams, response: { 200: Policy } },
  )
  app.get('/policies/:name', { schema: show, config: reading }, async ({ auth, params: { name } }) => {
    const own = await inTenant(db, auth.accountId, (trx) => findPolicy(trx, auth.accountId, name))
    if (own) return presentOwn(own)
    return presentBuiltIn(name, found(findBuiltInPolicy(name)))
  })

  const change = operation(
    {
      id: 'updatePolicy',
      tag: TAG,
      summary: 'Change a policy',
      description:
        'Changes only the settings in the body. Built-in policies cannot be changed: create a policy with the same name to replace one. Requires a live key.',
      problems: ['invalid_request', 'live_key_required', 'not_found', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { params: PolicyParams, body: UpdatePolicy, response: { 200: Policy } },
  )
  app.patch(
    '/policies/:name',
    { schema: change, config: changing, bodyLimit: POLICY_BYTES_MAX },
    async ({ auth, params: { name }, body }) => {
      refuseTestKey(auth)
      const { accountId } = auth
      const policy = await inTenant(db, accountId, (trx) => updatePolicy(trx, { accountId, name }, readChange(body)))
      return presentOwn(found(policy))
    },
  )

  const remove = operation(
    {
      id: 'deletePolicy',
      tag: TAG,
      summary: 'Delete a policy',
      description:
        'Requests with this policy are rejected from now on, or use the built-in policy with the same name. Requires a live key.',
      problems: ['invalid_request', 'live_key_required', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: PolicyParams, response: { 204: Type.Null({ description: 'The policy was deleted.' }) } },
  )
  app.delete('/policies/:name', { schema: remove, config: changing }, async ({ auth, params: { name } }, reply) => {
    refuseTestKey(auth)
    const isGone = await inTenant(db, auth.accountId, (trx) => removePolicy(trx, auth.accountId, name))
    if (!isGone) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
