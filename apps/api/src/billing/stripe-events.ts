import type { Db } from '@probity/database/connection/connect'
import type { FastifyBaseLogger } from 'fastify'
import type Stripe from 'stripe'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import type { Payments } from './payments.ts'
import { receiveEvent } from './receive-event.ts'

type StripeEventsDependencies = {
  db: Db
  payments: Payments | undefined
  log: FastifyBaseLogger
}

/** Events hold whole invoices; those we have seen described stay far below this. */
const BODY_BYTES_MAX = 512 * 1024

/** How old an event may be, by the time that is signed with it. */
const TOLERANCE_S = 300

/** Where Stripe tells what was paid. There is no key at this door: the signature says who it is. Not there while payments are off. */
export const stripeEvents: Route<StripeEventsDependencies> = async (app, services) => {
  const { payments } = services
  if (payments === undefined) return
  // The signature is over the bytes as they came.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const options = { schema: { hide: true }, bodyLimit: BODY_BYTES_MAX }
  app.post('/billing/stripe-events', options, async ({ body, headers }) => {
    const event = await readEvent(payments, body, headers['stripe-signature'])
    await receiveEvent(services, payments, event)
    return { received: true }
  })
}

const BAD_SIGNATURE = 'The signature is missing, wrong or too old.'

async function readEvent(
  { client, webhookSecret }: Payments,
  body: unknown,
  signature: string | string[] | undefined,
): Promise<Stripe.Event> {
  if (!Buffer.isBuffer(body) || typeof signature !== 'string') throw new Problem('invalid_request', BAD_SIGNATURE)
  const { webhooks } = await client()
  try {
    return webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_S)
  } catch (error) {
    const { type } = error as { type?: string }
    if (type === 'StripeSignatureVerificationError') throw new Problem('invalid_request', BAD_SIGNATURE)
    throw error
  }
}
