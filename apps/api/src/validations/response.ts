import {
  decideByPolicy,
  type NamedPolicy,
  type OverrideAction,
  withOverride,
} from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { suggestDecodedPlus } from '@probity/engine/address/suggest'
import type { FastifyRequest } from 'fastify'
import { featuresUsed } from '../http/validation-options.ts'
import type { LoggedResult } from '../middleware/request-log/request-log.ts'

/** The result of a request for one address, with data of the account. */
export type Finding = {
  /** As the client has written it. */
  email: string
  id: string
  result: StoredResult
  /** The result and its id as JSON without `email`, if available: that makes a recent result cheap. */
  text?: string | undefined
  retryAt: number | null
  override: OverrideAction | null
  policy: NamedPolicy | undefined
  reference: string | undefined
}

type ComposedResponse = { text: string; logged: LoggedResult }

/** The response to a request for one address: the result, with the data of this request around it. */
export function composeResponse(request: FastifyRequest, finding: Finding): ComposedResponse {
  const { auth, arrivedAt } = request
  const { email, id, result, retryAt, override, policy, reference = null } = finding
  const overridden = override ? withOverride(result, override) : result
  const suggestion = suggestionFor(request, email)
  const shown = suggestion === null ? overridden : { ...overridden, did_you_mean: suggestion }
  const text = (shown === result ? finding.text : undefined) ?? JSON.stringify({ id, ...withoutEmail(shown) })
  const fresh = {
    livemode: auth.mode === 'live',
    retry_at: timeOf(retryAt),
    reference,
    ...(!override && { override: null }),
    performance: { response_time_ms: Math.round(performance.now() - arrivedAt) },
    metadata: {
      timestamp: Date.now() / 1000,
      plan_tier: auth.plan,
      features_used: featuresUsed(result),
    },
    ...(policy && { policy: decideByPolicy(policy, shown) }),
  }
  return {
    text: `{"email":${JSON.stringify(email)},${text.slice(1, -1)},${JSON.stringify(fresh).slice(1)}`,
    logged: { kind: 'single', status: result.status, subStatus: result.sub_status, validationId: id },
  }
}

/** Unix time in seconds, as workers and PostgreSQL report it, in the form of the API. */
export function timeOf(seconds: number): string
export function timeOf(seconds: number | null): string | null
export function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString()
}

/** For a `+` in the query that was not encoded. Only there: in JSON and in files a space is a space. */
function suggestionFor({ method, raw }: FastifyRequest, email: string): string | null {
  const mayBeDecoded = method === 'GET' && email.includes(' ') && raw.url?.includes('+')
  return mayBeDecoded ? suggestDecodedPlus(email) : null
}

export function withoutEmail<Result extends StoredResult>({ email: _, ...rest }: Result): Omit<Result, 'email'> {
  return rest
}
