import type { Static } from 'typebox'
import Type from 'typebox'
import { LEDGER_KINDS, LEDGER_SUBJECTS } from '../constants/billing.ts'
import {
  dayField,
  EntryFormat,
  extensibleEnum,
  nullableInteger,
  nullableString,
  pageQuery,
  valueList,
} from './fields.ts'

// Schemas of the web application only. Keys cannot buy anything, so they are not in the OpenAPI document.

const PRICE = {
  price: Type.String(),
  credits: Type.Integer({ minimum: 0 }),
  /** In the smallest unit of the currency. Null if the payment provider is unavailable or the price has no single amount. */
  amount: nullableInteger({ minimum: 0 }),
  currency: nullableString({}),
}

const Pack = Type.Object(PRICE)

/** Features of a plan, the same fields for all plans, so that they can be compared. */
export type PlanFeatures = Static<typeof PlanFeatures>
const PlanFeatures = Type.Object({
  api_access: Type.Boolean(),
  ai_enhancement: Type.Boolean(),
  catchall_detection: Type.Boolean(),
  refund_unknown: Type.Boolean(),
  emails_per_file: Type.Integer({ minimum: 1 }),
  requests_per_window: Type.Integer({ minimum: 1 }),
  window_s: Type.Integer({ minimum: 1 }),
})

const PaidPlan = Type.Object({
  ...PRICE,
  plan: Type.String(),
  features: PlanFeatures,
  /** The billing interval, for example `month`. */
  interval: nullableString({}),
})

/** The offered prices, and the plan and balance of the account. */
export type Billing = Static<typeof Billing>
export const Billing = Type.Object({
  enabled: Type.Boolean(),
  plan: Type.String(),
  /** Features of the account's plan. */
  features: PlanFeatures,
  /** Credits of refunded or disputed payments that were used before. The next credits pay them. */
  debt: Type.Integer({ minimum: 0 }),
  /** The price that the account has subscribed to. */
  subscribed_to: nullableString({}),
  /** Whether the account has a billing portal at the payment provider. */
  has_portal: Type.Boolean(),
  packs: Type.Array(Pack),
  plans: Type.Array(PaidPlan),
})

export type StartCheckout = Static<typeof StartCheckout>
export const StartCheckout = Type.Object(
  {
    price: Type.String({ minLength: 1, maxLength: 250 }),
    /** Number of packs, one by default. A plan is bought once. */
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
)

/** The URL to redirect the browser to. */
export type PaymentPage = Static<typeof PaymentPage>
export const PaymentPage = Type.Object({ url: Type.String() })

/** Status of the checkout of a credit pack. */
export type Checkout = Static<typeof Checkout>
export const Checkout = Type.Object({
  credits: Type.Integer({ minimum: 1 }),
  /** Whether the credits have been granted. */
  granted: Type.Boolean(),
})

const KIND = `(${Object.keys(LEDGER_KINDS).join('|')})`
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const JOB_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'
const VALIDATION_ID = '0198f2c7-6f0d-7a41-b2c3-5d8e9f101112'

const ENTRY_EXAMPLE = {
  id: `refund_${JOB_ID}_3`,
  occurred_at: '2026-11-02T12:03:07.412Z',
  kind: 'refund',
  credits: 4,
  available_change: 4,
  available_after: 24310,
  subject: 'job',
  job_id: JOB_ID,
  filename: 'newsletter.csv',
  validation_id: null,
  key_id: KEY_ID,
  key_name: 'Sign-up form',
  note: null,
}

export type LedgerEntry = Static<typeof LedgerEntry>
export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry.', examples: [`refund_${JOB_ID}_3`] }),
    occurred_at: Type.String({
      format: 'date-time',
      description: 'Time of the transaction (RFC 3339, UTC).',
      examples: ['2026-11-02T12:03:07.412Z'],
    }),
    kind: Type.String({
      description: `Kind of the transaction. Values may be added.${valueList(LEDGER_KINDS)}`,
      ...extensibleEnum(LEDGER_KINDS),
    }),
    credits: Type.Integer({
      description: 'Number of credits. Negative only if an operator removed credits.',
      examples: [4],
    }),
    available_change: Type.Integer({
      description: 'Change of the available balance: positive if it increased, negative if it decreased.',
      examples: [4, -1, 0],
    }),
    available_after: Type.Integer({ description: 'Available balance after the transaction.', examples: [24310] }),
    subject: Type.String({
      description: `Subject of the transaction. Values may be added.${valueList(LEDGER_SUBJECTS)}`,
      ...extensibleEnum(LEDGER_SUBJECTS),
    }),
    job_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the job, also after it was deleted; null if the transaction was not for a job.',
      examples: [JOB_ID, null],
    }),
    filename: nullableString({
      description: 'Name of the uploaded file of the job; null if the job was deleted or there is none.',
      examples: ['newsletter.csv', null],
    }),
    validation_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the validation; null if the transaction was for none or for several.',
      examples: [VALIDATION_ID, null],
    }),
    key_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the API key; null if none was used, as in the web app.',
      examples: [KEY_ID, null],
    }),
    key_name: nullableString({ description: 'Name of the API key.', examples: ['Sign-up form', null] }),
    note: nullableString({ description: 'Note on the transaction.', examples: ['Invoice 2026-114', null] }),
  },
  {
    title: 'Ledger entry',
    description: 'One credit transaction. Entries are never changed or deleted. Fields may be added.',
    examples: [ENTRY_EXAMPLE],
  },
)

const { skip, limit } = pageQuery('', 'entries').properties

export type LedgerQuery = Static<typeof LedgerQuery>
export const LedgerQuery = Type.Object(
  {
    format: EntryFormat,
    kind: Type.Optional(
      Type.String({
        pattern: `^${KIND}(,${KIND})*$`,
        maxLength: 100,
        description: 'Only entries of one of these kinds, separated by commas.',
        examples: ['refund', 'grant,adjust'],
      }),
    ),
    from: Type.Optional(dayField('Only entries of this day (UTC) or later.', '2026-10-04')),
    to: Type.Optional(dayField('Only entries of this day (UTC) or earlier.', '2026-11-02')),
    key_id: Type.Optional(
      Type.String({
        pattern: `^(none|${UUID})$`,
        maxLength: 36,
        description: 'Only entries of the key with this `id`; `none` for those without a key.',
        examples: [KEY_ID, 'none'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Ledger query',
    description:
      'Filters of the entries and the format of the response. Entries must match all filters. `skip` and `limit` apply to `json` only.',
    examples: [{ kind: 'refund', from: '2026-10-04', to: '2026-11-02' }],
  },
)

export type LedgerPage = Static<typeof LedgerPage>
export const LedgerPage = Type.Array(LedgerEntry, {
  title: 'Ledger entry list',
  description: 'One page of the credit transactions, newest first.',
  examples: [[ENTRY_EXAMPLE]],
})

export const LedgerSheet = Type.String({
  title: 'Ledger CSV',
  description: 'All credit transactions that match the filters, newest first. Each cell is quoted.',
  examples: ['"id","occurred_at","kind","credits"\r\n"refund_1_3","2026-11-02T12:03:07.412Z","refund","4"\r\n'],
})
