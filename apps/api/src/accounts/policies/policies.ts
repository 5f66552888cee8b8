import { BUILT_IN_POLICIES, type PolicyRules } from '@probity/contract/constants/data/policies'
import { type BuiltInPolicy, findBuiltInPolicy } from '@probity/contract/constants/policies'
import { CreatePolicy, Policy, PolicyList, PolicyParams, UpdatePolicy } from '@probity/contract/schemas/policies'
import {
  findPolicy,
  insertPolicy,
  listPolicies as listPoliciesOf,
  type NewPolicy,
  type OwnPolicy,
  type PolicyChange,
  removePolicy,
  updatePolicy,
} from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import Type from 'typebox'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/text.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'

export function presentOwn({ id, name, description, rules, fallback }: OwnPolicy): Policy {
  return { id, name, description, is_built_in: false, ...presentRules({ rules, default: fallback }) }
}

export function presentBuiltIn(name: string, { description, ...policy }: BuiltInPolicy): Policy {
  return { id: null, name, description, is_built_in: true, ...presentRules(policy) }
}

/** Copied so that clients cannot mutate the built-in policies. */
function presentRules({ rules, default: fallback }: PolicyRules): Pick<Policy, 'rules' | 'default'> {
  return {
    rules: rules.map(({ when: { status, sub_status, traits, ...bounds }, decision, reason }) => ({
      when: {
        ...(status && { status: [...status] }),
        ...(sub_status && { sub_status: [...sub_status] }),
        ...(traits && { traits: [...traits] }),
        ...bounds,
      },
      decision,
      reason,
    })),
    default: { ...fallback },
  }
}

/** Fifty rules of maximum size, with the JSON around them. */
export const POLICY_BYTES_MAX = 128 * 1024

export function readNewPolicy({ name, description = '', rules, default: fallback }: CreatePolicy): NewPolicy {
  return { name, description: storable(description), rules: rules.map(readReason), fallback: readReason(fallback) }
}

export function readChange({ description, rules, default: fallback }: UpdatePolicy): PolicyChange {
  return {
    ...(description !== undefined && { description: storable(description) }),
    ...(rules && { rules: rules.map(readReason) }),
    ...(fallback && { fallback: readReason(fallback) }),
  }
}

/** The reason is the only free text in a rule. */
function readReason<Part extends { reason: string }>(part: Part): Part {
  return { ...part, reason: storable(part.reason) }
}

/** Creates a policy of the account. */
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
        ...MIDDLEWARE_PROBLEMS,
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

/** The policies that a request can name. */
export const listPolicies: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listPolicies',
      tag: 'Policies',
      summary: 'List policies',
      description:
        'The built-in policies and those of the account, sorted by name. A policy of the account replaces a built-in policy with the same name.',
      problems: MIDDLEWARE_PROBLEMS,
    },
    { response: { 200: PolicyList } },
  )
  app.get('/policies', { schema, config: { scope: 'account:read' } }, async ({ auth }) => {
    const own = await inTenant(db, auth.accountId, (trx) => listPoliciesOf(trx, auth.accountId))
    const names = new Set(own.map(({ name }) => name))
    const builtIn = Object.entries(BUILT_IN_POLICIES).filter(([name]) => !names.has(name))
    const all = [...builtIn.map(([name, policy]) => presentBuiltIn(name, policy)), ...own.map(presentOwn)]
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  })
}

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
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
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
      problems: ['invalid_request', 'live_key_required', 'not_found', ...BODY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
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
      problems: ['invalid_request', 'live_key_required', 'not_found', ...MIDDLEWARE_PROBLEMS],
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
