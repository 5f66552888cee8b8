import type { Static } from 'typebox'
import Type from 'typebox'
import { DEFERRED_EXAMPLE, VALID_EXAMPLE } from '../../constants/data/examples.ts'
import { DECISION_TIMEOUT_DEFAULT_S, EMAIL_LENGTH_MAX, EMAIL_TEXT_LENGTH_MAX } from '../../constants/limits.ts'
import { LivemodeField, nullableNumber, nullableString } from '../fields.ts'
import { OverrideField } from '../overrides.ts'
import { DecisionField, POLICY_OPTION, PolicyDecisionField } from '../policies.ts'
import { DepthField, EvidenceList, MAX_AGE_OPTION, REFERENCE_OPTION, StatusField, SubStatusField } from './fields.ts'

export const EMAIL_INPUT = {
  maxLength: EMAIL_TEXT_LENGTH_MAX,
  description: `The email address to validate. Text that is not an address is \`invalid\` with \`syntax_error\`, also an empty text or one of more than ${EMAIL_LENGTH_MAX} characters.`,
  examples: ['ada@example.com'],
}

const singleTimeout = Type.Integer({
  minimum: 1,
  maximum: 30,
  default: 10,
  description:
    'Number of seconds to wait for the verdict. Without a verdict by then, the result is `unknown` with a `retry_at`.',
  examples: [10],
})

/** Optional steps of a validation. Default: the steps that the plan includes. */
export const FEATURE_OPTIONS = {
  ai: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether the local model can contribute to `deliverability`.',
      examples: [false],
    }),
  ),
  catchall: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether to test the domain for catch-all with a control recipient. Without the test, an accepted address is `risky` with `catch_all_untested`, unless the domain is known not to be a catch-all.',
      examples: [false],
    }),
  ),
}

export type SingleRequest = Static<typeof SingleRequest>
export const SingleRequest = Type.Object(
  {
    email: Type.String(EMAIL_INPUT),
    timeout: Type.Optional(singleTimeout),
    ...FEATURE_OPTIONS,
    ...POLICY_OPTION,
    ...MAX_AGE_OPTION,
    ...REFERENCE_OPTION,
  },
  {
    title: 'Single validation request',
    description: 'One address to validate.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }, { email: 'ada@example.com', timeout: 5, policy: 'signup' }],
  },
)

export type SingleQuery = Static<typeof SingleQuery>
export const SingleQuery = Type.Object(
  {
    email: Type.String(EMAIL_INPUT),
    timeout: Type.Optional(singleTimeout),
    ...FEATURE_OPTIONS,
    ...POLICY_OPTION,
    ...MAX_AGE_OPTION,
    ...REFERENCE_OPTION,
  },
  {
    title: 'Single validation query',
    description:
      'One address to validate, as query parameters. Encode `+` as `%2B`: a plain `+` is decoded as a space, and `did_you_mean` then contains the address with the `+`.',
    examples: [{ email: 'ada@example.com' }],
  },
)

const MailHost = Type.Object(
  {
    host: Type.String({ description: 'Host name in lower case.', examples: ['mx1.example.com'] }),
    preference: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'MX preference. Lower values are preferred.',
      examples: [10],
    }),
  },
  { description: 'One mail server.' },
)

const Details = Type.Object(
  {
    syntax_valid: Type.Boolean({ description: 'Whether the text is a well-formed address.', examples: [true] }),
    dns_valid: Type.Boolean({ description: 'Whether the domain has a mail server in DNS.', examples: [true] }),
    smtp_valid: Type.Boolean({ description: 'Whether the mail server accepted the recipient.', examples: [true] }),
    smtp_code: Type.Integer({
      minimum: 0,
      maximum: 599,
      description: 'SMTP reply code to RCPT TO; 0 if no probe was made or the server did not respond.',
      examples: [250, 550, 0],
    }),
    domain: Type.String({
      description: 'Domain in lower case, as A-labels if it is internationalized; empty if the text has none.',
      examples: ['example.com', 'xn--bcher-kva.example'],
    }),
    provider: Type.String({
      description: 'Mailbox provider of the domain; empty if it is not known.',
      examples: ['google', 'microsoft', ''],
    }),
    is_disposable: Type.Boolean({
      description: 'Whether the domain provides disposable addresses.',
      examples: [false],
    }),
    is_role_based: Type.Boolean({
      description: 'Whether the address is a role address, such as info@ or sales@.',
      examples: [false],
    }),
    has_spf: Type.Boolean({ description: 'Whether the domain publishes an SPF record.', examples: [true] }),
    has_dmarc: Type.Boolean({ description: 'Whether the domain publishes a DMARC record.', examples: [true] }),
    mx: Type.Array(MailHost, {
      description:
        'The mail servers of the domain in DNS, most preferred first, at most 10. Empty if none are known. A domain without MX records that has an IP address is its own mail server with preference 0 (RFC 5321, section 5.1).',
    }),
    canonical_email: nullableString({
      description:
        'The address in normalized form: local part in lower case, domain in lower-case A-labels. Addresses with the same `canonical_email` are duplicates of each other. Dots and tags are kept. Null if the text is not an address.',
      examples: ['ada+news@xn--bcher-kva.example', null],
    }),
    local_part: nullableString({
      description: 'The part before the `@` as it is sent to the mail server, including a tag; null if unknown.',
      examples: ['Ada+news', null],
    }),
    tag: nullableString({
      description: 'The text after the first `+` of the local part; null if there is none.',
      examples: ['news', null],
    }),
    domain_unicode: nullableString({
      description: 'The domain in Unicode; equal to `domain` unless it is internationalized. Null if unknown.',
      examples: ['bücher.example', null],
    }),
  },
  { description: 'The findings as fields. A boolean is true only if the check confirmed it.' },
)

const Catchall = Type.Object(
  {
    is_catchall: Type.Boolean({
      description: 'Whether the mail server accepted a control recipient.',
      examples: [false],
    }),
    confidence: nullableNumber({
      minimum: 0,
      maximum: 1,
      description: 'Confidence of `is_catchall`, from 0 to 1; null if it was not tested.',
      examples: [0.98, null],
    }),
  },
  {
    description:
      'Whether the domain accepts mail for every address. Field names say `catchall`; enum values say `catch_all`.',
  },
)

const AiEnhancement = Type.Object(
  {
    used: Type.Boolean({
      description: 'Whether the model changed the log-odds of `deliverability` by at least 0.05.',
      examples: [false],
    }),
    method: nullableString({
      description: 'Name and version of the model; null if it was not used.',
      examples: ['probity-local-1', null],
    }),
  },
  { description: 'Contribution of the model to the result.' },
)

export const CONFIDENCE =
  'Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.'

const Performance = Type.Object(
  {
    response_time_ms: Type.Integer({
      minimum: 0,
      description: 'Time from the request to the response, in whole milliseconds.',
      examples: [412],
    }),
  },
  { description: 'Duration of the request.' },
)

const Metadata = Type.Object(
  {
    timestamp: Type.Number({
      minimum: 0,
      description: 'Time of the response: Unix time in seconds, with a fraction.',
      examples: [1793620800.459],
    }),
    plan_tier: Type.String({ description: 'The plan of the calling account.', examples: ['payg', 'free'] }),
    features_used: Type.Object(
      {
        catchall_detection: Type.Boolean({
          description: 'Whether the domain was tested for catch-all: `catchall.confidence` is not null.',
          examples: [true],
        }),
        ai_enhancement: Type.Boolean({
          description: 'Whether the model changed this result: equal to `ai_enhancement.used`.',
          examples: [false],
        }),
      },
      { description: 'The optional features that contributed to this result.' },
    ),
  },
  { description: 'Information about the response.' },
)

export const RetryAtField = nullableString({
  format: 'date-time',
  description:
    'Time from which to send the request again, while the validation is deferred; null if the result is final.',
  examples: [null, '2026-11-02T12:06:00.000Z'],
})

export const DidYouMeanField = nullableString({
  description:
    'The address that was probably intended, if this one looks mistyped, contains more than an address, or is a text that certainly means one, such as `ada @ example.com`; null otherwise.',
  examples: ['ada@example.com', null],
})

export const DeliverabilityField = Type.Number({
  minimum: 0.001,
  maximum: 0.999,
  description:
    'Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.',
  examples: [0.985],
})

export const ValidationIdField = Type.String({
  format: 'uuid',
  description: 'Id of the validation, for `GET /validations/{validation_id}` and for feedback.',
  examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
})

const Flags = Type.Object(
  {
    is_free: Type.Boolean({ description: 'Whether the domain belongs to a free mailbox provider.', examples: [false] }),
    is_privacy_relay: Type.Boolean({
      description: 'Whether the address forwards to a hidden mailbox. Relay addresses are permanent, not disposable.',
      examples: [false],
    }),
    is_tagged: Type.Boolean({ description: 'Whether the local part has a tag, as in ada+news.', examples: [false] }),
    is_machine_generated: Type.Boolean({
      description: 'Whether the local part looks auto-generated. Do not reject a user for this reason alone.',
      examples: [false],
    }),
  },
  { description: 'Traits of the address that do not affect the status.' },
)

export type ValidationResult = Static<typeof ValidationResult>
export const ValidationResult = Type.Object(
  {
    email: Type.String({ description: 'The address as it was sent.', examples: ['ada@example.com'] }),
    status: StatusField,
    sub_status: SubStatusField,
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: CONFIDENCE,
      examples: [0.985],
    }),
    deliverability: DeliverabilityField,
    depth: DepthField,
    safe_to_send: Type.Boolean({
      description:
        'Recommendation whether to send. True if `deliverability` reaches the threshold of the account (default 0.97) and the address has none of the excluded traits (default: disposable, role and auto-generated). If the mail server did not confirm the mailbox, reported outcomes of its domain must. An `override` of the account takes precedence: blocked addresses are never safe, allowed ones are unless `status` is `invalid`.',
      examples: [true],
    }),
    is_valid: Type.Boolean({ description: 'Whether `status` is `valid`.', examples: [true] }),
    details: Details,
    catchall: Catchall,
    ai_enhancement: AiEnhancement,
    performance: Performance,
    metadata: Metadata,
    id: ValidationIdField,
    livemode: LivemodeField,
    did_you_mean: DidYouMeanField,
    flags: Flags,
    retry_at: RetryAtField,
    override: OverrideField,
    evidence: EvidenceList,
    reference: nullableString({
      description: 'The `reference` of the request; null if it had none.',
      examples: ['customer-1042', null],
    }),
    policy: Type.Optional(PolicyDecisionField),
  },
  {
    title: 'Validation result',
    description: 'The verdict on one address, with its evidence. Fields may be added.',
    examples: [VALID_EXAMPLE, DEFERRED_EXAMPLE],
  },
)

export type ValidationParams = Static<typeof ValidationParams>
export const ValidationParams = Type.Object(
  {
    validation_id: Type.String({
      format: 'uuid',
      description: 'The `id` of the result.',
      examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
    }),
  },
  {
    title: 'Validation path',
    description: 'The validation.',
    examples: [{ validation_id: '0198f2c4-7b20-7a16-8e04-51c09d3e7f42' }],
  },
)

export type DecisionRequest = Static<typeof DecisionRequest>
export const DecisionRequest = Type.Object(
  {
    email: Type.String(EMAIL_INPUT),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        default: DECISION_TIMEOUT_DEFAULT_S,
        description: 'Number of seconds to wait. Without a result by then, the policy decides about `unknown`.',
        examples: [5],
      }),
    ),
    ...POLICY_OPTION,
  },
  {
    title: 'Decision request',
    description: 'One address to decide about.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }, { email: 'ada@example.com', policy: 'newsletter' }],
  },
)

export type DecisionResult = Static<typeof DecisionResult>
export const DecisionResult = Type.Object(
  {
    decision: DecisionField,
    reason: Type.String({
      description: 'The reason that the rule of the policy gives.',
      examples: ['Disposable email addresses are not accepted.'],
    }),
    did_you_mean: nullableString({
      description: 'The address that was probably intended, if this one looks mistyped; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Decision result',
    description:
      'The decision about an address. It contains nothing that shows whether a mailbox exists. Fields may be added.',
    examples: [
      {
        decision: 'block',
        reason: 'Disposable email addresses are not accepted.',
        did_you_mean: null,
        livemode: true,
      },
    ],
  },
)
