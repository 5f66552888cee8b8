import type { Static } from 'typebox'
import Type from 'typebox'
import { DepthField } from './depth.ts'
import { EvidenceList } from './evidence.ts'
import { LivemodeField } from './livemode.ts'
import { nullableNumber, nullableString } from './nullable.ts'
import { OverrideField } from './overrides.ts'
import { POLICY_OPTION, PolicyDecisionField } from './policies.ts'
import { MAX_AGE_OPTION, REFERENCE_OPTION } from './request-options.ts'
import { StatusField, SubStatusField } from './status-fields.ts'
import { OPEN_EXAMPLE, VALID_EXAMPLE } from './validation-examples.ts'

/** Far above what an address may have, so that a merely too long one gets a verdict and only nonsense gets a 400. */
export const EMAIL_LENGTH_MAX = 1024

export const EMAIL_INPUT = {
  maxLength: EMAIL_LENGTH_MAX,
  description: `The email address to validate, up to ${EMAIL_LENGTH_MAX} characters. Any such text gets a verdict; one that is not an address is \`invalid\` with \`syntax_error\`.`,
  examples: ['ada@example.com'],
}

const singleTimeout = Type.Integer({
  minimum: 1,
  maximum: 30,
  default: 10,
  description:
    'How many seconds to wait for the verdict. What is not settled by then is answered `unknown` with a `retry_at`.',
  examples: [10],
})

/** What a request may do without. Left out, what the plan has is used. */
export const FEATURE_OPTIONS = {
  ai: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether the local model may take part in `deliverability`.',
      examples: [false],
    }),
  ),
  catchall: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether the mail server may be asked for an address that cannot exist. Without that an address that it accepts is `risky` with `catch_all_untested`, unless the domain is known to tell the truth.',
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
    syntax_valid: Type.Boolean({ description: 'The text is a well-formed address.', examples: [true] }),
    dns_valid: Type.Boolean({ description: 'DNS names a server that takes mail for the domain.', examples: [true] }),
    smtp_valid: Type.Boolean({ description: 'The mail server accepted this recipient.', examples: [true] }),
    smtp_code: Type.Integer({
      minimum: 0,
      maximum: 599,
      description: 'The SMTP reply code to the recipient; 0 when the server was not asked or did not answer.',
      examples: [250, 550, 0],
    }),
    domain: Type.String({
      description:
        'The domain in lower case, as A-labels where it is internationalised; empty when none could be read.',
      examples: ['example.com', 'xn--bcher-kva.example'],
    }),
    provider: Type.String({
      description: 'Who runs the mail servers of the domain; empty when we do not know.',
      examples: ['google', 'microsoft', ''],
    }),
    is_disposable: Type.Boolean({ description: 'The domain is known for throw-away addresses.', examples: [false] }),
    is_role_based: Type.Boolean({
      description: 'The address belongs to a function, such as info or sales, rather than to a person.',
      examples: [false],
    }),
    has_spf: Type.Boolean({ description: 'The domain publishes an SPF record.', examples: [true] }),
    has_dmarc: Type.Boolean({ description: 'The domain publishes a DMARC record.', examples: [true] }),
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
      description: 'The mail server was seen to accept an address that cannot exist.',
      examples: [false],
    }),
    confidence: nullableNumber({
      minimum: 0,
      maximum: 1,
      description: 'How sure we are of `is_catchall`, from 0 to 1; null when it was not tested.',
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
      description: 'The model moved the log-odds of `deliverability` by at least 0.05.',
      examples: [false],
    }),
    method: nullableString({
      description: 'The name and version of the model; null where it was not used.',
      examples: ['probity-local-1', null],
    }),
  },
  { description: 'The part that a model played in the result.' },
)

export const CONFIDENCE =
  'Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.'

const Performance = Type.Object(
  {
    response_time_ms: Type.Integer({
      minimum: 0,
      description: 'Time from the arrival of the request to its answer, in whole milliseconds.',
      examples: [412],
    }),
  },
  { description: 'How long the answer took.' },
)

const Metadata = Type.Object(
  {
    timestamp: Type.Number({
      minimum: 0,
      description: 'When the answer was given: seconds of Unix time, with a fraction.',
      examples: [1793620800.459],
    }),
    plan_tier: Type.String({ description: 'The plan of the calling account.', examples: ['payg', 'free'] }),
    features_used: Type.Object(
      {
        catchall_detection: Type.Boolean({
          description:
            'Whether it is known for this result if the domain is a catch-all: `catchall.confidence` is not null.',
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
  { description: 'About the answer itself.' },
)

export const RetryAtField = nullableString({
  format: 'date-time',
  description:
    'Time from which to send the request again, while the validation is deferred; null if the result is final.',
  examples: [null, '2026-11-02T12:06:00.000Z'],
})

export const DidYouMeanField = nullableString({
  description:
    'The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.',
  examples: ['ada@example.com', null],
})

export const DeliverabilityField = Type.Number({
  minimum: 0.001,
  maximum: 0.999,
  description:
    'Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.',
  examples: [0.985],
})

export const ValidationIdField = Type.String({
  format: 'uuid',
  description: 'Id of the validation, for `GET /validations/{validation_id}` and for feedback.',
  examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
})

const Flags = Type.Object(
  {
    is_free: Type.Boolean({ description: 'The domain belongs to a free mail provider.', examples: [false] }),
    is_privacy_relay: Type.Boolean({
      description: 'The address forwards to a mailbox it hides. Such relays last and are not disposable.',
      examples: [false],
    }),
    is_tagged: Type.Boolean({ description: 'The local part carries a tag, as in ada+news.', examples: [false] }),
    is_machine_generated: Type.Boolean({
      description:
        'The text of the local part looks made by a machine. Never by itself a reason to turn a person away.',
      examples: [false],
    }),
  },
  { description: 'Traits worth knowing that do not decide the verdict.' },
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
        'Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. An `override` of the account takes precedence: blocked is never safe, allowed is unless `status` is `invalid`.',
      examples: [true],
    }),
    is_valid: Type.Boolean({ description: 'True exactly when `status` is `valid`.', examples: [true] }),
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
    description: 'The verdict on one address, with the findings it rests on. Fields may be added.',
    examples: [VALID_EXAMPLE, OPEN_EXAMPLE],
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
    description: 'Which validation is meant.',
    examples: [{ validation_id: '0198f2c4-7b20-7a16-8e04-51c09d3e7f42' }],
  },
)
