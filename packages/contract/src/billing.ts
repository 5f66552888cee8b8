import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableInteger, nullableString } from './nullable.ts'

// What the web application asks. Keys buy nothing, so none of this is in the API's document.

const PRICE = {
  price: Type.String(),
  credits: Type.Integer({ minimum: 0 }),
  /** In the smallest unit of the currency. Null where the payment provider could not be asked or has no single amount. */
  amount: nullableInteger({ minimum: 0 }),
  currency: nullableString({}),
}

const Pack = Type.Object(PRICE)

/** What a plan includes, the same for all of them, so that they can be held against each other. */
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
  /** How often it is paid, as `month`. */
  interval: nullableString({}),
})

/** What can be bought here, and what the account has. */
export type Billing = Static<typeof Billing>
export const Billing = Type.Object({
  enabled: Type.Boolean(),
  plan: Type.String(),
  /** What the plan of the account includes. */
  features: PlanFeatures,
  /** Credits of refunded or disputed payments that were used before. The next credits pay them. */
  debt: Type.Integer({ minimum: 0 }),
  /** The price that the account has subscribed to. */
  subscribed_to: nullableString({}),
  /** Whether there is a page of the payment provider with the account's payments. */
  has_portal: Type.Boolean(),
  packs: Type.Array(Pack),
  plans: Type.Array(PaidPlan),
})

export type StartCheckout = Static<typeof StartCheckout>
export const StartCheckout = Type.Object(
  {
    price: Type.String({ minLength: 1, maxLength: 250 }),
    /** How many packs; one where nothing is said. A plan is bought once. */
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
)

/** Where the browser goes next. */
export type PaymentPage = Static<typeof PaymentPage>
export const PaymentPage = Type.Object({ url: Type.String() })

/** What became of a page on which a pack was to be paid. */
export type Checkout = Static<typeof Checkout>
export const Checkout = Type.Object({
  credits: Type.Integer({ minimum: 1 }),
  /** Whether the credits are there. */
  granted: Type.Boolean(),
})
