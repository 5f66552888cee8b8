import { findBuiltInPolicy, type NamedPolicy } from '@probity/contract/constants/policies'
import { findPolicy } from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyRequest } from 'fastify'
import { invalidField, type Problem } from '../http/problem.ts'
import { isPublicSandbox } from './authentication/public-sandbox.ts'

type Request = Pick<FastifyRequest, 'auth' | 'method'>

/** Returns the policy that a request names, if any. */
export async function findNamedPolicy(services: { db: Db }, request: Request, name: string | undefined) {
  return name === undefined ? undefined : getPolicy(services, request, name)
}

/** Returns the account's policy of that name, or else the built-in one. */
export async function getPolicy({ db }: { db: Db }, request: Request, name: string): Promise<NamedPolicy> {
  const { auth } = request
  const { accountId } = auth
  // The public sandbox key has no account and therefore no own policies.
  const own = isPublicSandbox(auth)
    ? undefined
    : await inTenant(db, accountId, (trx) => findPolicy(trx, accountId, name))
  if (own) return { name, rules: own.rules, default: own.fallback }
  const builtIn = findBuiltInPolicy(name)
  if (builtIn) return { name, rules: builtIn.rules, default: builtIn.default }
  throw unknownPolicy(request)
}

export function unknownPolicy({ method }: Pick<Request, 'method'>): Problem {
  const pointer = method === 'GET' ? 'policy' : '/policy'
  return invalidField(pointer, 'must be the name of a policy')
}
