import { CreatePolicy, Policy } from '@probity/contract/schemas/policies'
import { insertPolicy } from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { BODY_PROBLEMS, DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'
import { presentOwn } from './present.ts'
import { POLICY_BYTES_MAX, readNewPolicy } from './read.ts'

/** Makes a policy of the account's own. */
export const createPolicy: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'createPolicy',
      tag: 'Policies',
      summary: 'Create a policy',
      description:
        'Requests can use the policy immediately. A policy with the name of a built-in policy replaces it until it is deleted. Requires a live key.',
      problems: [
        'invalid_request',
        'live_key_required',
        'policy_exists',
        'too_many_policies',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...DOOR_PROBLEMS,
      ],
    },
    { body: CreatePolicy, response: { 201: Policy } },
  )
  app.post(
    '/policies',
    { schema, config: { scope: 'account:write' }, bodyLimit: POLICY_BYTES_MAX },
    async ({ auth, body }, reply) => {
      refuseTestKey(auth)
      const made = await inTenant(db, auth.accountId, (trx) => insertPolicy(trx, auth.accountId, readNewPolicy(body)))
      if (made.kind === 'name_taken') throw new Problem('policy_exists')
      if (made.kind === 'too_many') throw new Problem('too_many_policies')
      return reply.code(201).send(presentOwn(made.policy))
    },
  )
}
