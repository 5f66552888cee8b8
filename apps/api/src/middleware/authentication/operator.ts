import type { Session } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import type { User } from '@probity/database/users/users'
import type { FastifyRequest } from 'fastify'
import { isOnList } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import type { UserAuthentication } from './session.ts'
import { requireSession } from './session.ts'

export type OperatorAccess = {
  /** Whether operators need two-factor authentication, and a recent code for changes. */
  requiresTwoFactor: boolean
  /** IP addresses and ranges that operator pages can be used from; empty for all. */
  networks: string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For operator routes that change neither accounts nor probing: they need no recent 2FA code. */
    needsNoCode?: boolean
  }
}

type Dependencies = { db: Db; people: UserAuthentication; operators: OperatorAccess }

/** Admits operators to their pages. Other users get the response of a route that does not exist. */
export function requireOperator(dependencies: Dependencies) {
  return async (request: FastifyRequest): Promise<void> => {
    const { person } = await requireSession(dependencies, request)
    request.person = person
    const access = operatorAccess(dependencies, person, request)
    if (access === null) throw new Problem('not_found')
    if (access === 'ip_not_allowed') throw new Problem('ip_not_allowed', OUTSIDE)
    if (access === 'two_factor_required') throw new Problem('two_factor_required')
    if (dependencies.operators.requiresTwoFactor && needsCode(request)) refuseOldCode(person)
  }
}

const CODE_VALID_S = 15 * 60

/**
 * A session that did not start with a code of the present second factor gets none that counts: who stole it could have made the recovery
 * codes, or set up the authenticator.
 */
function refuseOldCode({ codeAgeS }: User): void {
  if (codeAgeS === null) throw new Problem('new_sign_in_required')
  if (codeAgeS >= CODE_VALID_S) throw new Problem('code_required')
}

const OUTSIDE = 'Operator pages are available only from the IP addresses in PROBITY_OPERATOR_NETWORKS.'

/** Reason why a user cannot open the operator pages; null for users who are not operators. */
export function operatorAccess(
  { operators }: Pick<Dependencies, 'operators'>,
  person: User,
  { ip }: { ip: string },
): Session['operator_access'] {
  if (!person.isOperator) return null
  if (operators.networks.length > 0 && !isOnList(ip, operators.networks)) return 'ip_not_allowed'
  return operators.requiresTwoFactor && !person.twoFactor ? 'two_factor_required' : 'allowed'
}

/** Changes require a code unless their route is marked with needsNoCode. */
function needsCode({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && routeOptions.config.needsNoCode !== true
}
