import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { EvidenceList } from './evidence.ts'
import { LivemodeField } from './livemode.ts'
import { nullableNumber, nullableString } from './nullable.ts'
import { StatusField, SubStatusField } from './status-fields.ts'
import { BULK_EXAMPLE, OPEN_EXAMPLE, VALID_EXAMPLE } from './validation-examples.ts'

/** Far above what an address may have, so that a merely too long one gets a verdict and only nonsense gets a 400. */
export const EMAIL_LENGTH_MAX = 1024

export const EMAILS_PER_REQUEST_MAX = 1000

const EMAIL_INPUT = {
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

export type SingleRequest = Static<typeof SingleRequest>
export const SingleRequest = Type.Object(
  { email: Type.String(EMAIL_INPUT), timeout: Type.Optional(singleTimeout) },
  {
    title: 'Single validation request',
    description: 'One address to validate.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }, { email: 'ada@example.com', timeout: 5 }],
  },
)

export type SingleQuery = Static<typeof SingleQuery>
export const SingleQuery = Type.Object(
  { email: Type.String(EMAIL_INPUT), timeout: Type.Optional(singleTimeout) },
  {
    title: 'Single validation query',
    description: 'One address to validate, as query parameters. Encode `+` as `%2B`: a plain one is read as a space.',
    examples: [{ email: 'ada@example.com' }],
  },
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
  },
  { description: 'What the checks found. A boolean is true only where it was shown to be so.' },
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
  { description: 'Whether the domain accepts mail for every address.' },
)

const AiEnhancement = Type.Object(
  {
    used: Type.Boolean({ description: 'A model had a part in the confidence.', examples: [false] }),
    method: nullableString({ description: 'Which model; null when none was used.', examples: [null] }),
  },
  { description: 'The part that a model played in the result.' },
)

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
        catchall_detection: Type.Boolean({ description: 'The catch-all test was available here.', examples: [true] }),
        ai_enhancement: Type.Boolean({ description: 'A model was available here.', examples: [false] }),
      },
      { description: 'The optional features that were at work.' },
    ),
  },
  { description: 'About the answer itself.' },
)

const Flags = Type.Object(
  {
    is_free: Type.Boolean({ description: 'The domain belongs to a free mail provider.', examples: [false] }),
    is_privacy_relay: Type.Boolean({
      description: 'The address forwards to a mailbox it hides. Such relays last and are not disposable.',
      examples: [false],
    }),
    is_tagged: Type.Boolean({ description: 'The local part carries a tag, as in ada+news.', examples: [false] }),
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
      description: 'How sure we are of the verdict, from 0 to 1.',
      examples: [0.97],
    }),
    safe_to_send: Type.Boolean({
      description: 'Our advice whether to send. Stricter than `is_valid`: role accounts, for one, are left out.',
      examples: [true],
    }),
    is_valid: Type.Boolean({ description: 'True exactly when `status` is `valid`.', examples: [true] }),
    details: Details,
    catchall: Catchall,
    ai_enhancement: AiEnhancement,
    performance: Performance,
    metadata: Metadata,
    id: Type.String({
      format: 'uuid',
      description: 'Names this result.',
      examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
    }),
    livemode: LivemodeField,
    did_you_mean: nullableString({
      description: 'The address that was probably intended, when this one looks mistyped; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    flags: Flags,
    retry_at: nullableNumber({
      minimum: 0,
      description:
        'When to ask again, in seconds of Unix time, while the result is still being worked on; null when it is settled.',
      examples: [null, 1793621160],
    }),
    evidence: EvidenceList,
  },
  {
    title: 'Validation result',
    description: 'The verdict on one address, with the findings it rests on. Fields may be added.',
    examples: [VALID_EXAMPLE, OPEN_EXAMPLE],
  },
)

export type BulkRequest = Static<typeof BulkRequest>
export const BulkRequest = Type.Object(
  {
    emails: Type.Array(Type.String(EMAIL_INPUT), {
      minItems: 1,
      maxItems: EMAILS_PER_REQUEST_MAX,
      description: `From 1 to ${EMAILS_PER_REQUEST_MAX} addresses. Repeated ones are validated once and cost nothing more.`,
      examples: [['ada@example.com', 'grace@example.org']],
    }),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 25,
        default: 20,
        description: 'How many seconds to wait for the verdicts. Addresses not settled by then are `unknown`.',
        examples: [20],
      }),
    ),
  },
  {
    title: 'Bulk validation request',
    description: 'A list of addresses to validate in one request.',
    additionalProperties: false,
    examples: [{ emails: ['ada@example.com', 'Ada@example.com', 'nobody@example.org'] }],
  },
)

const BulkItem = Type.Object(
  {
    email: Type.String({ description: 'The address as it was first sent.', examples: ['ada@example.com'] }),
    status: StatusField,
    is_valid: Type.Boolean({ description: 'True exactly when `status` is `valid`.', examples: [true] }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure we are of the verdict, from 0 to 1.',
      examples: [0.97],
    }),
    sub_status: SubStatusField,
  },
  { description: 'The verdict on one address of the list.' },
)

export type BulkSummary = Static<typeof BulkSummary>
export const BulkSummary = Type.Object(
  {
    total: count('How many addresses were sent, repeated ones included.', 4),
    valid_count: count('Unique addresses that are `valid`.', 1),
    invalid_count: count('Unique addresses that are `invalid`.', 1),
    risky_count: count('Unique addresses that are `risky`.', 0),
    duplicate_count: count(
      'Addresses that repeat an earlier one; together with the other counts they make `total`.',
      1,
    ),
    credits_used: count('Credits charged: 1 for every unique address.', 3),
    results: Type.Array(BulkItem, {
      description: 'One verdict per unique address, in the order in which the addresses first occur.',
    }),
    unknown_count: count('Unique addresses that are `unknown`.', 1),
    credits_refunded: count('Credits given back for addresses that ended `unknown`, where the plan does so.', 1),
    livemode: LivemodeField,
  },
  {
    title: 'Bulk validation summary',
    description: 'The verdicts on a list, counted and one by one. Fields may be added.',
    examples: [BULK_EXAMPLE],
  },
)
