import { decideByPolicy, type Judged } from '@probity/contract/decide-by-policy'
import { withListing } from '@probity/contract/listed'
import type { StandingResult } from '@probity/contract/standing-result'
import type { FastifyRequest } from 'fastify'
import { featuresUsed } from './features.ts'

/** A result that stands, under the id of the validation it came from. */
export type Identified = Omit<StandingResult, 'email'> & { id: string }

/**
 * Writes the answer to one request: a standing result, as an object or as the ready string kept of it, with what is fresh
 * in every answer around it. A ready string is read only for a
 * policy or where the address is on a list of the account, and otherwise framed: that is what makes a recent result cheap.
 */
export function composeAnswer(
  request: FastifyRequest,
  email: string,
  result: Identified | string,
  retryAt: number | null,
) {
  const { caller, arrivedAt, policy, listed } = request
  const read = () => (typeof result === 'string' ? (JSON.parse(result) as Identified) : result)
  const shown = listed ? withListing(read(), listed) : result
  const standing = typeof shown === 'string' ? shown : JSON.stringify(shown)
  noteFinding(request, result)
  const used = featuresUsed(request)
  const now = Date.now()
  const judged = (): Judged => (typeof shown === 'string' ? read() : shown)
  const fresh = {
    livemode: caller.mode === 'live',
    retry_at: retryAt,
    ...(!listed && { listed: null }),
    performance: { response_time_ms: Math.round(performance.now() - arrivedAt) },
    metadata: {
      timestamp: now / 1000,
      plan_tier: caller.plan,
      features_used: { catchall_detection: used.catchall, ai_enhancement: used.ai },
    },
    ...(policy && { policy: decideByPolicy(policy, judged()) }),
  }
  return `{"email":${JSON.stringify(email)},${standing.slice(1, -1)},${JSON.stringify(fresh).slice(1)}`
}

/** The first of each name is the result's own. */
const STATUS = /"status":"([a-z]+)"/
const SUB_STATUS = /"sub_status":"([a-z_0-9]*)"/
const ID = /"id":"([0-9a-f-]{36})"/

/** What the account's log will say of the request. */
function noteFinding(request: FastifyRequest, result: Identified | string): void {
  if (typeof result !== 'string') {
    request.verdict = result.status
    request.finding = { subStatus: result.sub_status, validationId: result.id }
    return
  }
  request.verdict = STATUS.exec(result)?.[1]
  request.finding = { subStatus: SUB_STATUS.exec(result)?.[1] ?? null, validationId: ID.exec(result)?.[1] ?? null }
}

export function withoutEmail({ email: _, ...rest }: StandingResult): Omit<StandingResult, 'email'> {
  return rest
}
