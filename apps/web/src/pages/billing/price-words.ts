import type { Billing } from '@probity/contract/schemas/billing'
import { formatMoney } from './money.ts'

type Plan = Billing['plans'][number]
type Pack = Billing['packs'][number]

/** For example "€49.00 per month". An unknown price is shown at checkout. */
export function priceOf({ amount, currency, interval }: Plan): string {
  if (amount === null || currency === null) return 'Price shown at checkout'
  return `${formatMoney(amount, currency)} per ${interval ?? 'period'}`
}

/** The total price of packs; undefined if the price is unknown. */
export function totalOf({ amount, currency }: Pack, quantity: number): string | undefined {
  return amount === null || currency === null ? undefined : formatMoney(amount * quantity, currency)
}
