import type Stripe from 'stripe'
import { Problem } from '../http/problem.ts'
import { openPriceTags, type PriceTags } from './price-cache.ts'

export type PaymentSettings = {
  secretKey: string
  webhookSecret: string
  /** Base URL that users return to after a payment. */
  publicUrl: string
  /** Whether a disputed payment suspends its account. */
  suspendsOnDispute: boolean
  /** Another server than Stripe's. No setting leads here: tests hand it in. */
  server?: { host: string; port: number; protocol: 'http' }
}

/** The payment provider, opened where it is set up. */
export type Payments = {
  client(): Promise<Stripe>
  webhookSecret: string
  publicUrl: string
  suspendsOnDispute: boolean
  tags: PriceTags
}

/** Two attempts of this length fit into the time limits of clients and of Stripe events. */
const ANSWER_WITHIN_MS = 5_000

export function openPayments(settings: PaymentSettings): Payments {
  const { secretKey, webhookSecret, publicUrl, suspendsOnDispute, server } = settings
  let opened: Promise<Stripe> | undefined

  /** Loaded when it is first needed: it takes a quarter of a second, and most installations sell nothing. */
  async function open(): Promise<Stripe> {
    const { default: Client } = await import('stripe')
    return new Client(secretKey, {
      timeout: ANSWER_WITHIN_MS,
      maxNetworkRetries: 1,
      telemetry: false,
      ...server,
    })
  }

  function client(): Promise<Stripe> {
    opened ??= open()
    return opened
  }

  return { client, webhookSecret, publicUrl, suspendsOnDispute, tags: openPriceTags(client) }
}

/** The payment provider, for routes that are of no use without. */
export function getPayments({ payments }: { payments: Payments | undefined }): Payments {
  if (payments === undefined)
    throw new Problem('not_configured', 'Payments are not configured. Contact the operator for credits.')
  return payments
}
