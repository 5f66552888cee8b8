import type { Billing } from '@probity/contract/billing'
import { formatMoney } from './money.ts'

type Plan = Billing['plans'][number]
type Pack = Billing['packs'][number]

/** "€49.00 a month". The provider's page shows what is not known here. */
export function priceOf({ amount, currency, interval }: Plan): string {
  if (amount === null || currency === null) return 'The price is shown before you pay'
  return `${formatMoney(amount, currency)} a ${interval ?? 'period'}`
}

/** What so many packs cost together; undefined where the provider did not say. */
export function totalOf({ amount, currency }: Pack, quantity: number): string | undefined {
  return amount === null || currency === null ? undefined : formatMoney(amount * quantity, currency)
}
