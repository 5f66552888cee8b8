import { type OverrideAction, withOverride } from '@probity/contract/constants/policies'
import { ValidationParams, ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findStoredValidation, type StoredValidation } from '@probity/database/validations/stored-validations'
import type { FastifyRequest } from 'fastify'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { featuresUsed } from '../http/validation-options.ts'
import { RETRY_AFTER_S } from './await-result.ts'
import { lookUpOverrides } from './overrides.ts'
import { timeOf, withoutEmail } from './response.ts'
import { addTextFindings } from './text-findings.ts'

/** A stored validation. Reading it is free. */
export const showValidation: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getValidation',
      tag: 'Validation',
      summary: 'Get a validation',
      description:
        'The result of a validation by its `id`, from a single or a bulk request, until the retention of the account ends. Free; no mail server is contacted. A deferred validation has a `retry_at`, and a request for its address still collects the result. `reference` is that of the request that paid for the validation. Test mode stores no results.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: ValidationParams, response: { 200: ValidationResult } },
  )
  const path = '/validations/:validation_id'
  app.get(path, { schema, config: { scope: 'validations:read' } }, async (request): Promise<ValidationResult> => {
    const { auth, params } = request
    if (auth.mode === 'test') throw new Problem('not_found', 'Test mode stores no results.')
    return inTenant(db, auth.accountId, async (trx) => {
      const kept = found(await findStoredValidation(trx, auth.accountId, params.validation_id))
      const [override = null] = await lookUpOverrides(trx, auth.accountId, [kept.email])
      return presentKept(request, kept, override)
    })
  })
}

/** The verdict as it was stored; the account's override as it is now. */
function presentKept(
  { auth, arrivedAt }: FastifyRequest,
  kept: StoredValidation,
  override: OverrideAction | null,
): ValidationResult {
  const { id, email, isOpen, reference } = kept
  const standing = withoutEmail(
    (kept.result as StoredResult | null) ?? addTextFindings(pendingResult(email, 'timeout')),
  )
  return {
    email,
    ...(override ? withOverride(standing, override) : { ...standing, override: null }),
    id,
    livemode: true,
    retry_at: isOpen ? timeOf(kept.retryAt ?? Math.ceil(Date.now() / 1000) + RETRY_AFTER_S) : null,
    reference,
    performance: { response_time_ms: Math.round(performance.now() - arrivedAt) },
    metadata: {
      timestamp: kept.at.getTime() / 1000,
      plan_tier: auth.plan,
      features_used: featuresUsed(standing),
    },
  }
}
