import { type Listed, withListing } from '@probity/contract/listed'
import { type StandingResult, unsettledResult } from '@probity/contract/standing-result'
import { ValidationParams, ValidationResult } from '@probity/contract/validation'
import { inTenant } from '@probity/database/connect'
import { findKeptValidation, type KeptValidation } from '@probity/database/kept-validations'
import type { FastifyRequest } from 'fastify'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { withoutEmail } from '../../validation/compose.ts'
import { lookUpListed } from '../../validation/own-lists.ts'
import { RETRY_AFTER_S } from '../../validation/verdict.ts'

/** One validation that was made before, read again for nothing. */
export const showValidation: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getValidation',
      tag: 'Validation',
      summary: 'Read a validation again',
      description:
        'The result of a single validation by its `id`, for as long as the account keeps results. Costs nothing and asks nobody. One that is still worked on has a `retry_at`, and a request for its address collects it as before. In test mode nothing is kept, so nothing is found.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: ValidationParams, response: { 200: ValidationResult } },
  )
  const path = '/validation/single/:validation_id'
  app.get(path, { schema, config: { scope: 'validation' } }, async (request): Promise<ValidationResult> => {
    const { caller, params } = request
    if (caller.mode === 'test') throw new Problem('not_found', 'In test mode no results are kept.')
    return inTenant(db, caller.accountId, async (trx) => {
      const kept = found(await findKeptValidation(trx, caller.accountId, params.validation_id))
      const [listed = null] = await lookUpListed(trx, caller.accountId, [kept.email])
      return presentKept(request, kept, listed)
    })
  })
}

/** The verdict as it was found; the account's own lists as they are now. */
function presentKept(
  { caller, arrivedAt }: FastifyRequest,
  kept: KeptValidation,
  listed: Listed | null,
): ValidationResult {
  const { id, email, isOpen, ai, catchall } = kept
  const standing = withoutEmail((kept.result ?? unsettledResult(email, 'timeout')) as StandingResult)
  return {
    email,
    ...(listed ? withListing(standing, listed) : { ...standing, listed: null }),
    id,
    livemode: true,
    retry_at: isOpen ? (kept.retryAt ?? Math.ceil(Date.now() / 1000) + RETRY_AFTER_S) : null,
    performance: { response_time_ms: Math.round(performance.now() - arrivedAt) },
    metadata: {
      timestamp: kept.at.getTime() / 1000,
      plan_tier: caller.plan,
      features_used: { catchall_detection: caller.catchall && catchall, ai_enhancement: caller.ai && ai },
    },
  }
}
