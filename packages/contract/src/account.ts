import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { delayReasonField } from './delay.ts'
import { KeyModeField, KeyScopesField } from './keys.ts'
import { LivemodeField } from './livemode.ts'
import { nullableInteger } from './nullable.ts'
import { PROBING_EXAMPLE, ProbingField } from './probing.ts'
import { EXCLUSION_NAMES, EXCLUSIONS } from './send-policy.ts'
import { valueList } from './value-list.ts'

const Plan = Type.Object(
  {
    name: Type.String({ description: 'The name of the plan.', examples: ['payg', 'free'] }),
    api_access: Type.Boolean({ description: 'Whether live keys may use the API.', examples: [true] }),
    ai_enhancement: Type.Boolean({
      description: 'Whether a model may take part in the confidence.',
      examples: [false],
    }),
    catchall_detection: Type.Boolean({ description: 'Whether domains are tested for catch-all.', examples: [true] }),
    refund_unknown: Type.Boolean({
      description:
        'Whether the credit is given back when a result ends `unknown`. Where no mail server could be asked (`not_probed`) or validation did not start (`not_started`) it always is.',
      examples: [true],
    }),
  },
  { description: 'What the account has subscribed to.' },
)

const Credits = Type.Object(
  {
    available: Type.Integer({
      description: 'Credits that can be spent now. Of no consequence where `unlimited` is true.',
      examples: [24310],
    }),
    reserved: count('Credits set aside for work that has been accepted and is not finished.', 3600),
    spent: count('Credits spent since the account was opened, refunds taken off.', 72090),
    unlimited: Type.Boolean({ description: 'Whether the account may spend without a balance.', examples: [false] }),
    low_at: count(
      'Below so many credits webhooks are told `credits.low`, once each time the balance falls there.',
      10_000,
    ),
  },
  { description: 'The balance. One credit pays for one unique address.' },
)

const Limits = Type.Object(
  {
    requests_per_window: count('Requests that the account may make in one window of time.', 600),
    window_s: count('Length of that window, in seconds.', 60),
    emails_per_request: count('Addresses that one JSON list may have.', 1000),
    emails_per_file: count('Rows with an address that one uploaded file may have.', 100_000),
    interactive_in_flight: count('Addresses from single and JSON list requests that are worked on at once.', 100),
    retention_days_max: count('Longest `retention_days` that the account can set.', 120),
  },
  { description: 'How much the account may ask for.' },
)

const ThresholdField = Type.Number({
  minimum: 0.5,
  maximum: 0.999,
  description: 'From this `deliverability` on an address is `safe_to_send`: 0.97 bears three bounces in a hundred.',
  examples: [0.97],
})

const ExcludesField = Type.Array(Type.Enum(EXCLUSION_NAMES, { type: 'string' }), {
  uniqueItems: true,
  maxItems: EXCLUSION_NAMES.length,
  description: `What an address must not be to be \`safe_to_send\`:${valueList(EXCLUSIONS)}`,
  examples: [['disposable', 'role', 'machine_generated']],
})

const Sending = Type.Object(
  { threshold: ThresholdField, excludes: ExcludesField },
  { description: 'What the account calls `safe_to_send`.' },
)

const CallingKey = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The `id` of the key.',
      examples: ['0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'],
    }),
    name: Type.String({ description: 'What the key is called.', examples: ['Sign-up form'] }),
    mode: KeyModeField,
    scopes: KeyScopesField,
  },
  { description: 'The key that this request was made with. Not there when a person asks in the web application.' },
)

export type Account = Static<typeof Account>
export const Account = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Names the account.',
      examples: ['0198e4a7-20d9-7b58-a3c6-95f1e80b4d72'],
    }),
    name: Type.String({ description: 'What the account is called.', examples: ['Example Ltd'] }),
    livemode: LivemodeField,
    plan: Plan,
    credits: Credits,
    limits: Limits,
    sending: Sending,
    probing: ProbingField,
    delay_reason: delayReasonField('Reason why validation is delayed for all accounts'),
    retention_days: count('Days that results are kept before they are deleted; 0 when they are not kept at all.', 30),
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
        credits: { available: 24310, reserved: 3600, spent: 72090, unlimited: false, low_at: 10_000 },
        limits: {
          requests_per_window: 600,
          window_s: 60,
          emails_per_request: 1000,
          emails_per_file: 100_000,
          interactive_in_flight: 100,
          retention_days_max: 120,
        },
        sending: { threshold: 0.97, excludes: ['disposable', 'role', 'machine_generated'] },
        probing: PROBING_EXAMPLE,
        delay_reason: null,
        retention_days: 30,
        key: {
          id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582',
          name: 'Sign-up form',
          mode: 'live',
          scopes: ['validation', 'account'],
        },
      },
    ],
  },
)

export type UpdateAccount = Static<typeof UpdateAccount>
export const UpdateAccount = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'What the account is called, from 1 to 200 characters. Needs the scopes `account` and `settings`.',
        examples: ['Example Ltd'],
      }),
    ),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 365,
        description:
          'Days that results are kept from now on, at most `limits.retention_days_max`; 0 for as short as possible. Existing results keep their date of deletion. Needs the scopes `account` and `settings`.',
        examples: [30],
      }),
    ),
    sending: Type.Optional(
      Type.Object(
        { threshold: Type.Optional(ThresholdField), excludes: Type.Optional(ExcludesField) },
        {
          description:
            'What the account calls `safe_to_send` from now on, within a minute. Needs the scopes `account` and `settings`.',
          additionalProperties: false,
          minProperties: 1,
        },
      ),
    ),
    credits_low_at: Type.Optional(
      nullableInteger({
        minimum: 0,
        maximum: 2_147_483_647, // as the caps of keys
        description:
          'Below so many credits webhooks are told `credits.low`; null for a tenth of the last credits that were bought or given. Needs the scope `webhooks`.',
        examples: [5000, null],
      }),
    ),
  },
  {
    title: 'Account changes',
    description: 'The settings to change, at least one; those left out stay as they are.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ credits_low_at: 5000 }, { name: 'Example Ltd', retention_days: 30 }],
  },
)
