import type { Static } from 'typebox'
import Type from 'typebox'

const uuid = Type.String({ format: 'uuid' })
const time = Type.String({ format: 'date-time' })
const count = Type.Integer({ minimum: 0 })

/** A job that the abuse limits paused until an operator decides. */
export type OperatorReview = Static<typeof OperatorReview>
export const OperatorReview = Type.Object({
  job_id: uuid,
  account_id: uuid,
  account_name: Type.String(),
  mode: Type.String(),
  /** `guessed_addresses`: most results of the sample are invalid. `domain_limit`: too many addresses of one domain today. */
  reason: Type.Enum(['guessed_addresses', 'domain_limit'], { type: 'string' }),
  /** The domain with the most addresses of the list, or the one over its limit, and its addresses in the list or of the day. */
  domain: Type.String(),
  domain_addresses: count,
  /** Results when the sample was judged; 0 for `domain_limit`, which pauses a job before it starts. */
  sample_done: count,
  sample_invalid: count,
  done: count,
  total: count,
  paused_at: time,
})

export type OperatorReviews = Static<typeof OperatorReviews>
export const OperatorReviews = Type.Object({ reviews: Type.Array(OperatorReview), are_limits_on: Type.Boolean() })

export type OperatorOptOuts = Static<typeof OperatorOptOuts>
export const OperatorOptOuts = Type.Object({
  domains: Type.Array(Type.Object({ domain: Type.String(), note: Type.String(), created_at: time })),
})

/** A host name in ASCII: letters, digits and hyphens, with at least one dot. */
const domain = Type.String({
  maxLength: 253,
  pattern: '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9-]{2,63}$',
})

/** A mail domain that must not be probed, and by whom or when that was asked for. */
export type NewOptOut = Static<typeof NewOptOut>
export const NewOptOut = Type.Object(
  { domain, note: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' })) },
  { additionalProperties: false },
)

export const OptOutRemoval = Type.Object({ domain }, { additionalProperties: false })
