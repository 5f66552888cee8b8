import { findBuiltInPolicy, type NamedPolicy } from '@probity/contract/decide-by-policy'
import { inTenant } from '@probity/database/connect'
import { findPolicy } from '@probity/database/policies'
import type { FastifyRequest } from 'fastify'
import { isPublicCaller } from '../door/public-sandbox.ts'
import { Problem } from '../problem.ts'
import type { Services } from '../services.ts'

/** The policy that a request names, if it names one: the account's own, else the built-in one. */
export async function findNamedPolicy(
  { db }: Pick<Services, 'db'>,
  { caller, method }: Pick<FastifyRequest, 'caller' | 'method'>,
  name: string | undefined,
): Promise<NamedPolicy | undefined> {
  if (name === undefined) return undefined
  const { accountId } = caller
  // Behind the public sandbox key there is no account that could have any.
  const own = isPublicCaller(caller)
    ? undefined
    : await inTenant(db, accountId, (trx) => findPolicy(trx, accountId, name))
  if (own) return { name, rules: own.rules, default: own.fallback }
  const builtIn = findBuiltInPolicy(name)
  if (builtIn) return { name, rules: builtIn.rules, default: builtIn.default }
  const pointer = method === 'GET' ? 'policy' : '/policy'
  throw new Problem('invalid_request', undefined, { errors: [{ pointer, detail: 'must be the name of a policy' }] })
}
