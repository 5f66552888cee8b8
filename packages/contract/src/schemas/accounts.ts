import type { Static } from 'typebox'
import Type from 'typebox'
import { IP_ALLOWLIST_MAX } from '../constants/keys.ts'
import { EMAIL_LENGTH_MAX } from '../constants/limits.ts'
import { TRAIT_NAMES, TRAITS } from '../constants/validations.ts'
import { count, LivemodeField, nullableInteger, valueList } from './fields.ts'
import { KeyLivemodeField, KeyScopesField } from './keys.ts'
import { delayReasonField, PROBING_EXAMPLE, ProbingField } from './system.ts'

const Plan = Type.Object(
  {
    name: Type.String({ description: 'Name of the plan.', examples: ['payg', 'free'] }),
    api_access: Type.Boolean({ description: 'Whether live keys can use the API.', examples: [true] }),
    ai_enhancement: Type.Boolean({
      description: 'Whether the model can contribute to the score.',
      examples: [false],
    }),
    catchall_detection: Type.Boolean({ description: 'Whether domains are tested for catch-all.', examples: [true] }),
    refund_unknown: Type.Boolean({
      description:
        'Whether the credit is refunded if the final status is `unknown`. The sub-statuses `not_probed`, `not_started` and `dns_failed` are always refunded.',
      examples: [true],
    }),
  },
  { description: 'Plan of the account.' },
)

const Credits = Type.Object(
  {
    available: Type.Integer({
      description: 'Credits that can be used now. Ignored if `unlimited` is true.',
      examples: [24310],
    }),
    reserved: count('Credits held for validations and jobs in progress.', 3600),
    used: count('Credits used since the account was created, net of refunds.', 72090),
    unlimited: Type.Boolean({ description: 'Whether the account uses credits without a balance.', examples: [false] }),
    low_at: count(
      'Low-credit threshold. The event `credits.low` is sent each time the balance falls below it.',
      10_000,
    ),
  },
  { description: 'Credit balance. One credit pays for one unique address.' },
)

const Limits = Type.Object(
  {
    requests_per_window: count('Requests per window.', 600),
    window_s: count('Length of the window, in seconds.', 60),
    emails_per_request: count('Addresses per bulk validation.', 1000),
    emails_per_file: count('Rows with an address per uploaded file.', 100_000),
    interactive_in_flight: count(
      'Single and bulk validation requests that are processed at once. A bulk request counts as one.',
      100,
    ),
    retention_days_max: count('Maximum of `retention_days`.', 120),
  },
  { description: 'Limits of the account.' },
)

const ThresholdField = Type.Number({
  minimum: 0.5,
  maximum: 0.999,
  description: 'Lowest `deliverability` of an address that is `safe_to_send`. 0.97 means a bounce tolerance of 3 %.',
  examples: [0.97],
})

const ExcludedTraitsField = Type.Array(Type.Enum(TRAIT_NAMES, { type: 'string' }), {
  uniqueItems: true,
  maxItems: TRAIT_NAMES.length,
  description: `Traits that an address must not have to be \`safe_to_send\`:${valueList(TRAITS)}`,
  examples: [['disposable', 'role_based', 'machine_generated']],
})

const Sending = Type.Object(
  { threshold: ThresholdField, excluded_traits: ExcludedTraitsField },
  { description: 'Conditions for `safe_to_send`.' },
)

const CallingKey = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: '`id` of the key.',
      examples: ['0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'],
    }),
    name: Type.String({ description: 'Name of the key.', examples: ['Sign-up form'] }),
    livemode: KeyLivemodeField,
    scopes: KeyScopesField,
  },
  { description: 'The calling key. Absent for requests of the web app.' },
)

export type Account = Static<typeof Account>
export const Account = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Id of the account.',
      examples: ['0198e4a7-20d9-7b58-a3c6-95f1e80b4d72'],
    }),
    name: Type.String({ description: 'Name of the account.', examples: ['Example Ltd'] }),
    livemode: LivemodeField,
    plan: Plan,
    credits: Credits,
    limits: Limits,
    sending: Sending,
    probing: ProbingField,
    delay_reason: delayReasonField('Reason why validation is delayed for all accounts'),
    retention_days: count('Days until stored results are deleted; 0 if results are not stored.', 30),
    key: Type.Optional(CallingKey),
  },
  {
    title: 'Account',
    description: 'The account that the calling key belongs to. Fields may be added.',
    examples: [
      {
        id: '0198e4a7-20d9-7b58-a3c6-95f1e80b4d72',
        name: 'Example Ltd',
        livemode: true,
        plan: {
          name: 'payg',
          api_access: true,
          ai_enhancement: false,
          catchall_detection: true,
          refund_unknown: true,
        },
        credits: { available: 24310, reserved: 3600, used: 72090, unlimited: false, low_at: 10_000 },
        limits: {
          requests_per_window: 600,
          window_s: 60,
          emails_per_request: 1000,
          emails_per_file: 100_000,
          interactive_in_flight: 100,
          retention_days_max: 120,
        },
        sending: { threshold: 0.97, excluded_traits: ['disposable', 'role_based', 'machine_generated'] },
        probing: PROBING_EXAMPLE,
        delay_reason: null,
        retention_days: 30,
        key: {
          id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582',
          name: 'Sign-up form',
          livemode: true,
          scopes: ['validations:read', 'validations:write', 'account:read'],
        },
      },
    ],
  },
)

const LowAtInput = nullableInteger({
  minimum: 0,
  maximum: 2_147_483_647, // maximum of PostgreSQL's integer
  description:
    'Low-credit threshold. The event `credits.low` is sent each time the balance falls below it. Null for the default: a tenth of the credits that were last bought or granted.',
  examples: [5000, null],
})

export type UpdateAccount = Static<typeof UpdateAccount>
export const UpdateAccount = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of the account, 1 to 200 characters.',
        examples: ['Example Ltd'],
      }),
    ),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 365,
        description:
          'Days until new results are deleted, at most `limits.retention_days_max`; 0 for the shortest time possible. Existing results keep their date of deletion.',
        examples: [30],
      }),
    ),
    sending: Type.Optional(
      Type.Object(
        { threshold: Type.Optional(ThresholdField), excluded_traits: Type.Optional(ExcludedTraitsField) },
        {
          description: 'Conditions for `safe_to_send`. A change takes effect within a minute.',
          additionalProperties: false,
          minProperties: 1,
        },
      ),
    ),
    credits: Type.Optional(
      Type.Object(
        { low_at: LowAtInput },
        {
          description: 'Credit settings. The scope `webhooks:write` is sufficient to change them.',
          additionalProperties: false,
        },
      ),
    ),
  },
  {
    title: 'Update account request',
    description: 'Settings to change, at least one. Settings that are left out keep their value.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ credits: { low_at: 5000 } }, { name: 'Example Ltd', retention_days: 30 }],
  },
)

// For the web app only: a key must not change the IP allowlist of its account, so this is not part of the public API.

/** IP allowlist of an account. */
export type Network = Static<typeof Network>
export const Network = Type.Object({
  /** IP addresses and CIDR ranges; empty if there is no restriction. */
  ip_allowlist: Type.Array(Type.String()),
  /** IP address of the request, as the service sees it. */
  your_address: Type.String(),
})

export type UpdateNetwork = Static<typeof UpdateNetwork>
export const UpdateNetwork = Type.Object(
  {
    ip_allowlist: Type.Array(Type.String({ minLength: 2, maxLength: 49 }), { maxItems: IP_ALLOWLIST_MAX }),
    /** Whether the member accepts that the new list excludes their own address. */
    confirmed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export type ErasureRequest = Static<typeof ErasureRequest>
export const ErasureRequest = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH_MAX,
      // An @ between two characters, as in addresses with a syntax error, which have results as well.
      pattern: '[^\\s@]@+[^\\s@]',
      description: `The email address to erase, up to ${EMAIL_LENGTH_MAX} characters. Every spelling that counts as a duplicate of it is erased too, for example in upper case.`,
      examples: ['ada@example.com'],
    }),
  },
  {
    title: 'Erasure request',
    description: 'One address whose data is deleted.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }],
  },
)

export type ErasureCounts = Static<typeof ErasureCounts>
const ErasureCounts = Type.Object(
  {
    validations: count('Deleted single and bulk validations, with their results.', 3),
    job_results: count('Job results without address, domain and evidence from now on. Their verdicts stay.', 2),
    job_batches: count('Deleted batches of ended jobs that contained the address.', 0),
    upload_rows: count('Rows of stored files whose cells were removed.', 2),
    uploads: count('Deleted uploads that were not confirmed, with their previews.', 1),
    recent_results: count('Deleted recent results.', 1),
    idempotency_records: count('Deleted responses to requests with an `Idempotency-Key`.', 1),
    feedback: count('Deleted marks of reported deliveries and bounces. Sums by domain stay.', 1),
    overrides: count('Deleted overrides for exactly this address. Overrides for its domain stay.', 0),
    webhook_events: count('Deleted webhook events, with their deliveries.', 1),
  },
  { title: 'Erasure counts', description: 'Number of deleted or changed objects by kind, of live and test mode.' },
)

export type Erasure = Static<typeof Erasure>
export const Erasure = Type.Object(
  {
    erased_at: Type.String({
      format: 'date-time',
      description: 'Time at which the erasure was completed.',
      examples: ['2026-11-02T09:30:12.345Z'],
    }),
    counts: ErasureCounts,
  },
  {
    title: 'Erasure',
    description: 'A completed erasure. It does not contain the address. Fields may be added.',
    examples: [
      {
        erased_at: '2026-11-02T09:30:12.345Z',
        counts: {
          validations: 3,
          job_results: 2,
          job_batches: 0,
          upload_rows: 2,
          uploads: 1,
          recent_results: 1,
          idempotency_records: 1,
          feedback: 1,
          overrides: 0,
          webhook_events: 1,
        },
      },
    ],
  },
)

// Schemas of the web application only. Keys can neither export all data nor delete an account, so they are not in the OpenAPI document.

const password = Type.String({ minLength: 1, maxLength: 128 })
const wholeNumber = Type.Integer({ minimum: 0 })

export type ExportRequest = Static<typeof ExportRequest>
export const ExportRequest = Type.Object({ password }, { additionalProperties: false })

/** The data that is deleted with an account. */
export type DeletionPreview = Static<typeof DeletionPreview>
export const DeletionPreview = Type.Object({
  name: Type.String(),
  jobs: wholeNumber,
  running_jobs: wholeNumber,
  keys: wholeNumber,
  members: wholeNumber,
  webhooks: wholeNumber,
  overrides: wholeNumber,
  credits: Type.Integer(),
  unlimited: Type.Boolean(),
  /** Whether a paid plan must be ended first. */
  subscribed: Type.Boolean(),
})

export type DeleteAccount = Static<typeof DeleteAccount>
export const DeleteAccount = Type.Object(
  { name: Type.String({ maxLength: 200 }), password },
  { additionalProperties: false },
)
