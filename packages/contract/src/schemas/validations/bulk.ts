import type { Static } from 'typebox'
import Type from 'typebox'
import { BULK_EXAMPLE } from '../../constants/data/examples.ts'
import { EMAILS_PER_REQUEST_MAX } from '../../constants/limits.ts'
import { count, LivemodeField, nullableString } from '../fields.ts'
import { OverrideField } from '../overrides.ts'
import { POLICY_OPTION, PolicyDecisionField } from '../policies.ts'
import { DepthField, MAX_AGE_OPTION, REFERENCE_OPTION, StatusField, SubStatusField } from './fields.ts'
import {
  CONFIDENCE,
  DeliverabilityField,
  DidYouMeanField,
  EMAIL_INPUT,
  FEATURE_OPTIONS,
  RetryAtField,
  ValidationIdField,
} from './single.ts'

export type BulkRequest = Static<typeof BulkRequest>
export const BulkRequest = Type.Object(
  {
    emails: Type.Array(Type.String(EMAIL_INPUT), {
      maxItems: EMAILS_PER_REQUEST_MAX,
      description: `Up to ${EMAILS_PER_REQUEST_MAX} addresses. Duplicate addresses are validated and charged once.`,
      examples: [['ada@example.com', 'grace@example.org']],
    }),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 55, // with the time to respond it stays below a minute, the usual limit of proxies
        default: 20,
        description: 'Number of seconds to wait for the verdicts. Addresses without a verdict by then are `unknown`.',
        examples: [20],
      }),
    ),
    ...FEATURE_OPTIONS,
    ...POLICY_OPTION,
    ...MAX_AGE_OPTION,
    ...REFERENCE_OPTION,
  },
  {
    title: 'Bulk validation request',
    description: 'Addresses to validate in one request.',
    additionalProperties: false,
    examples: [{ emails: ['ada@example.com', 'Ada@example.com', 'nobody@example.org'] }],
  },
)

const BulkItem = Type.Object(
  {
    email: Type.String({
      description: 'The address as it first occurs in the request.',
      examples: ['ada@example.com'],
    }),
    status: StatusField,
    is_valid: Type.Boolean({ description: 'Whether `status` is `valid`.', examples: [true] }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: CONFIDENCE,
      examples: [0.985],
    }),
    sub_status: SubStatusField,
    depth: DepthField,
    override: OverrideField,
    id: ValidationIdField,
    safe_to_send: Type.Boolean({
      description: 'Recommendation whether to send, as in a single result.',
      examples: [true],
    }),
    deliverability: DeliverabilityField,
    did_you_mean: DidYouMeanField,
    retry_at: RetryAtField,
    indexes: Type.Array(Type.Integer({ minimum: 0, maximum: EMAILS_PER_REQUEST_MAX - 1 }), {
      minItems: 1,
      description:
        'Positions of this address in `emails`, counted from 0, in ascending order. The second and later ones are duplicates.',
      examples: [[0, 1]],
    }),
    policy: Type.Optional(PolicyDecisionField),
  },
  { description: 'The verdict on one address of the request.' },
)

export type BulkSummary = Static<typeof BulkSummary>
export const BulkSummary = Type.Object(
  {
    total: count('Number of addresses in the request, including duplicates.', 4),
    valid_count: count('Unique addresses that are `valid`.', 1),
    invalid_count: count('Unique addresses that are `invalid`.', 1),
    risky_count: count('Unique addresses that are `risky`.', 0),
    duplicate_count: count(
      'Addresses that repeat an earlier one. Together with the other counts they equal `total`.',
      1,
    ),
    credits_used: count(
      'Credits charged by this call before refunds: 1 for every unique address that this call pays for. Not counted: addresses that an earlier request paid for, whose result is collected or still awaited, and all addresses in test mode. See `credits_charged`.',
      3,
    ),
    results: Type.Array(BulkItem, {
      description: 'One verdict per unique address, in the order in which the addresses first occur.',
    }),
    unknown_count: count('Unique addresses that are `unknown`.', 1),
    credits_refunded: count('Credits refunded for addresses that ended `unknown`, if the plan includes refunds.', 1),
    credits_charged: count(
      'Net credits charged by this call: `credits_used` − `credits_refunded`, equal to the header `Credits-Charged`.',
      2,
    ),
    livemode: LivemodeField,
    reference: nullableString({
      description: 'The `reference` of the request; null if it had none.',
      examples: ['customer-1042', null],
    }),
  },
  {
    title: 'Bulk validation summary',
    description: 'The verdicts on the addresses of a request, with counts. Fields may be added.',
    examples: [BULK_EXAMPLE],
  },
)
