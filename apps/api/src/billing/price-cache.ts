import type Stripe from 'stripe'
import { askStripe } from './call-stripe.ts'

/** What a price costs. */
export type PriceTag = { amount: number | null; currency: string | null; interval: string | null }

export type PriceTags = { find(price: string): Promise<PriceTag> }

/** Reads what prices cost and remembers it: at Stripe the amount of a price never changes, a new amount is a new price. */
export function openPriceTags(client: () => Promise<Stripe>): PriceTags {
  const known = new Map<string, PriceTag>() // as many as the operator sells

  async function find(price: string): Promise<PriceTag> {
    const tag = known.get(price) ?? readTag(await askStripe((await client()).prices.retrieve(price)))
    known.set(price, tag)
    return tag
  }
  return { find }
}

function readTag({ unit_amount: amount, currency, recurring }: Stripe.Price): PriceTag {
  return { amount, currency, interval: recurring?.interval ?? null }
}
