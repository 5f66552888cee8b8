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
const PaidPlan = Type.Object({
  ...PRICE,
  plan: Type.String(),
  /** How often it is paid, as `month`. */
  interval: nullableString({}),
})

/** What can be bought here, and what the account has. */
export type Billing = Static<typeof Billing>
export const Billing = Type.Object({
  enabled: Type.Boolean(),
  plan: Type.String(),
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
