import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { delayReasonField } from './delay.ts'
import { KeyLivemodeField, KeyScopesField } from './keys.ts'
import { LivemodeField } from './livemode.ts'
import { nullableInteger } from './nullable.ts'
import { PROBING_EXAMPLE, ProbingField } from './probing.ts'
import { TRAIT_NAMES, TRAITS } from './traits.ts'
import { valueList } from './value-list.ts'

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
        'Whether the credit is refunded if the final status is `unknown`. The sub-statuses `not_probed` and `not_started` are always refunded.',
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
