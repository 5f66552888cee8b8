import type Stripe from 'stripe'
import { Problem } from '../http/problem.ts'

/** Transient errors: no connection, server error, rate limit. */
const PASSING = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError'])
const RETRY_S = 5

/**
 * Calls Stripe. Its errors are not passed on, because they contain parts of the secret key and user input, which must not be logged.
 * A rejected request becomes an error that names only its kind.
 */
export async function requestStripe<T>(question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    throw describe(error)
  }
}

type Fault = { type: string; code?: string; statusCode?: number; requestId?: string }

function describe(error: unknown): unknown {
  if (!isFault(error)) return error
  const { type, code, statusCode, requestId } = error
  if (PASSING.has(type)) return new Problem('service_unavailable', UNREACHABLE, { retryAfterS: RETRY_S })
  return new Error(`Stripe rejected a request: ${type}, ${code}, status ${statusCode}, request ${requestId}`)
}

const UNREACHABLE = 'The payment provider is unavailable. Nothing was bought.'

function isFault(error: unknown): error is Error & Fault {
  return error instanceof Error && 'type' in error && typeof error.type === 'string'
}

/** Amount of a price. */
export type PriceTag = { amount: number | null; currency: string | null; interval: string | null }

export type PriceTags = { find(price: string): Promise<PriceTag> }

/** Reads prices and caches them: the amount of a Stripe price never changes, a new amount is a new price. */
export function openPriceTags(client: () => Promise<Stripe>): PriceTags {
  const known = new Map<string, PriceTag>() // as many as the operator has configured

  async function find(price: string): Promise<PriceTag> {
    const tag = known.get(price) ?? readTag(await requestStripe((await client()).prices.retrieve(price)))
    known.set(price, tag)
    return tag
  }
  return { find }
}

function readTag({ unit_amount: amount, currency, recurring }: Stripe.Price): PriceTag {
  return { amount, currency, interval: recurring?.interval ?? null }
}

export type PaymentSettings = {
  secretKey: string
  webhookSecret: string
  /** Base URL that users return to after a payment. */
  publicUrl: string
  /** Whether a disputed payment suspends its account. */
  suspendsOnDispute: boolean
  /** Another server than Stripe. Not a setting: only tests pass it. */
  server?: { host: string; port: number; protocol: 'http' }
}

/** The payment provider, if it is configured. */
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

  /** Loaded at first use: it takes a quarter of a second, and most installations sell nothing. */
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

/** Returns the payment provider; throws if it is not configured. */
export function getPayments({ payments }: { payments: Payments | undefined }): Payments {
  if (payments === undefined) throw new Problem('not_configured', 'Payments are not configured.')
  return payments
}
