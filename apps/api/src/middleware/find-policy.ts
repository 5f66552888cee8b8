import { findBuiltInPolicy, type NamedPolicy } from '@probity/contract/constants/policies'
import { findPolicy } from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'
import { isPublicSandbox } from './authentication/public-sandbox.ts'

type Request = Pick<FastifyRequest, 'auth' | 'method'>

/** The policy that a request names, if it names one. */
export async function findNamedPolicy(services: { db: Db }, request: Request, name: string | undefined) {
  return name === undefined ? undefined : getPolicy(services, request, name)
}

/** The account's own policy of that name, else the built-in one. */
export async function getPolicy({ db }: { db: Db }, request: Request, name: string): Promise<NamedPolicy> {
  const { auth } = request
  const { accountId } = auth
  // Behind the public sandbox key there is no account that could have any.
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
  return new Problem('invalid_request', undefined, { errors: [{ pointer, detail: 'must be the name of a policy' }] })
}
