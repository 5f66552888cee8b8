import { decideByPolicy, type PolicyInput, withOverride } from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { suggestDecodedPlus } from '@probity/engine/address/suggest'
import type { FastifyRequest } from 'fastify'
import { featuresUsed, featuresUsedIn } from '../http/validation-options.ts'

/** A result that stands, under the id of the validation it came from. */
export type Identified = Omit<StoredResult, 'email'> & { id: string }

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
  const { caller, arrivedAt, policy, override } = request
  const read = () => (typeof result === 'string' ? (JSON.parse(result) as Identified) : result)
  const found = override ? withOverride(read(), override) : result
  const suggestion = suggestionFor(request, email)
  const whole = () => (typeof found === 'string' ? read() : found)
  const shown = suggestion === null ? found : { ...whole(), did_you_mean: suggestion }
  const standing = typeof shown === 'string' ? shown : JSON.stringify(shown)
  noteFinding(request, result)
  const now = Date.now()
  const judged = (): PolicyInput => (typeof shown === 'string' ? read() : shown)
  const fresh = {
    livemode: caller.mode === 'live',
    retry_at: timeOf(retryAt),
    reference: referenceOf(request),
    ...(!override && { override: null }),
    performance: { response_time_ms: Math.round(performance.now() - arrivedAt) },
    metadata: {
      timestamp: now / 1000,
      plan_tier: caller.plan,
      features_used: typeof result === 'string' ? featuresUsedIn(result) : featuresUsed(result),
    },
    ...(policy && { policy: decideByPolicy(policy, judged()) }),
  }
  return `{"email":${JSON.stringify(email)},${standing.slice(1, -1)},${JSON.stringify(fresh).slice(1)}`
}

/** Unix time in seconds, as workers and PostgreSQL report it, in the form of the API. */
export function timeOf(seconds: number): string
export function timeOf(seconds: number | null): string | null
export function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString()
}

/** For a `+` of the query that was not encoded. Only there: in JSON and in files a space is a space. */
function suggestionFor({ method, raw }: FastifyRequest, email: string): string | null {
  const mayBeDecoded = method === 'GET' && email.includes(' ') && raw.url?.includes('+')
  return mayBeDecoded ? suggestDecodedPlus(email) : null
}

/** Of a validated body or query. */
function referenceOf({ body, query }: FastifyRequest): string | null {
  const { reference } = (body ?? query) as { reference?: string }
  return reference ?? null
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

export function withoutEmail({ email: _, ...rest }: StoredResult): Omit<StoredResult, 'email'> {
  return rest
}
