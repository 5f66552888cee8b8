import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { whenDone } from '@probity/lab/when-done'
import { Stripe } from 'stripe'
import type { PaymentSettings } from '../billing/payments.ts'

type Thing = { id: string } & Record<string, unknown>
export type StripeRequest = { method: string; path: string; form: URLSearchParams; headers: IncomingMessage['headers'] }

/** A fake of the few Stripe calls that we make, on loopback. It stores objects and returns them. */
export type TestStripe = {
  settings: PaymentSettings
  asked: StripeRequest[]
  things: Map<string, Thing>
  /** The lines of invoices, by the invoice. */
  lines: Map<string, object[]>
  /** While unavailable it responds with server errors. */
  state: { isAway: boolean }
  /** URLs of the checkout and billing portal pages. */
  pages: { checkout: string; portal: string }
}

/** Tests of the API alone never open these pages. */
const NO_PAGES = { checkout: 'https://checkout.stripe.test', portal: 'https://billing.stripe.test' }

const WEBHOOK_SECRET = `whsec_${randomUUID().replaceAll('-', '')}`

type FakeStripe = Omit<TestStripe, 'settings'>

export async function startTestStripe(pages = NO_PAGES): Promise<TestStripe> {
  const stripe: FakeStripe = { asked: [], things: new Map(), lines: new Map(), state: { isAway: false }, pages }
  const server = createServer((request, response) => {
    void readQuestion(request).then((asked) => {
      stripe.asked.push(asked)
      const { status, body } = reply(stripe, asked)
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_standin' })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    ...stripe,
    settings: {
      secretKey: 'sk_test_standin',
      webhookSecret: WEBHOOK_SECRET,
      publicUrl: 'http://127.0.0.1:3000',
      suspendsOnDispute: true,
      server: { host: '127.0.0.1', port, protocol: 'http' },
    },
  }
}

async function readQuestion(request: IncomingMessage): Promise<StripeRequest> {
  const { method = '', headers } = request
  const url = new URL(request.url ?? '/', 'http://stripe')
  const form = method === 'POST' ? new URLSearchParams(await text(request)) : url.searchParams
  return { method, path: url.pathname, form, headers }
}

function reply(stripe: FakeStripe, asked: StripeRequest): { status: number; body: object } {
  if (stripe.state.isAway) return { status: 500, body: { error: { type: 'api_error' } } }
  const body = answerTo(stripe, asked)
  if (body !== undefined) return { status: 200, body }
  return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } }
}

function answerTo(stripe: FakeStripe, asked: StripeRequest): object | undefined {
  const { method, path } = asked
  if (`${method} ${path}` === 'POST /v1/customers') return make(stripe, 'cus', {})
  if (`${method} ${path}` === 'POST /v1/checkout/sessions') return makeSession(stripe, asked)
  if (`${method} ${path}` === 'POST /v1/billing_portal/sessions')
    return make(stripe, 'bps', { url: `${stripe.pages.portal}/${asked.form.get('customer')}` })
  if (path === '/v1/checkout/sessions') return listSessions(stripe, asked)
  if (path === '/v1/subscriptions') return listOf(ofCustomer(stripe, 'sub_', asked))
  if (path === '/v1/disputes') return listOf(ofIntent(stripe, 'dp_', asked.form.get('payment_intent')))
  if (path === '/v1/invoice_payments') return listInvoicePayments(stripe, asked)
  const [, place, id = '', part] =
    /^\/v1\/(prices|subscriptions|invoices|checkout\/sessions|payment_intents)\/(\w+)(\/lines|\/expire)?$/.exec(path) ??
    []
  if (place === undefined) return undefined
  if (part === '/lines') return listOf(stripe.lines.get(id) ?? [])
  if (part === '/expire') return expire(stripe, id)
  const thing = stripe.things.get(id)
  if (thing && place === 'payment_intents') return expand(stripe, thing, asked)
  return thing && place === 'checkout/sessions' ? expandSession(stripe, thing, asked) : thing
}

function make({ things }: Pick<FakeStripe, 'things'>, prefix: string, fields: object): Thing {
  const thing = { id: `${prefix}_${randomUUID().replaceAll('-', '')}`, ...fields }
  things.set(thing.id, thing)
  return thing
}

function makeSession(stripe: FakeStripe, { form }: StripeRequest): Thing {
  const { mode, customer, price } = {
    mode: form.get('mode'),
    customer: form.get('customer'),
    price: form.get('line_items[0][price]'),
  }
  const isPack = mode === 'payment'
  const intent = isPack ? make(stripe, 'pi', { latest_charge: null }).id : null
  const [success_url, cancel_url] = [form.get('success_url'), form.get('cancel_url')]
  const fields = { mode, customer, payment_status: 'unpaid', payment_intent: intent, price, success_url, cancel_url }
  const created = Math.floor(Date.now() / 1000)
  const session = make(stripe, 'cs', { ...fields, status: 'open', created })
  session['url'] = `${stripe.pages.checkout}/${session.id}`
  return session
}

/** A page that is no longer open cannot be closed. */
function expire({ things }: FakeStripe, id: string): Thing | undefined {
  const session = things.get(id)
  return session?.['status'] === 'open' ? Object.assign(session, { status: 'expired', url: null }) : undefined
}

function ofCustomer({ things }: FakeStripe, prefix: string, { form }: StripeRequest): Thing[] {
  return [...things.values()].filter(
    ({ id, customer }) => id.startsWith(prefix) && customer === form.get('customer') && customer !== null,
  )
}

const listOf = (data: object[]) => ({ object: 'list', has_more: false, data })

function listSessions(stripe: FakeStripe, asked: StripeRequest): object {
  const intent = asked.form.get('payment_intent')
  if (intent === null) return listOf(ofCustomer(stripe, 'cs_', asked).filter(({ status }) => status === 'open'))
  return listOf(ofIntent(stripe, 'cs_', intent).map((session) => expandSession(stripe, session, asked)))
}

function expandSession(stripe: FakeStripe, session: Thing, asked: StripeRequest): Thing {
  const intent = stripe.things.get(String(session['payment_intent']))
  return intent && wantsCharge(asked) ? { ...session, payment_intent: expand(stripe, intent, asked) } : session
}

function wantsCharge({ form }: StripeRequest): boolean {
  return [...form].some(([name, value]) => name.startsWith('expand') && value.endsWith('latest_charge'))
}

function ofIntent({ things }: FakeStripe, prefix: string, intent: string | null): Thing[] {
  return [...things.values()].filter((thing) => thing.id.startsWith(prefix) && thing['payment_intent'] === intent)
}

function listInvoicePayments({ things }: FakeStripe, { form }: StripeRequest): object {
  const [invoice, intent] = [form.get('invoice'), form.get('payment[payment_intent]')]
  const payments = [...things.values()].filter(({ id }) => id.startsWith('inpay_'))
  return listOf(
    payments.filter(
      (one) => one['invoice'] === invoice || (one['payment'] as { payment_intent: string }).payment_intent === intent,
    ),
  )
}

/** Like Stripe, responds with the id of an object whose expansion was not requested. */
function expand({ things }: FakeStripe, intent: Thing, asked: StripeRequest): Thing {
  return wantsCharge(asked) ? { ...intent, latest_charge: things.get(String(intent['latest_charge'])) ?? null } : intent
}

/** A customer pays for a session: it has a charge from now on. */
export function pay({ things }: Pick<FakeStripe, 'things'>, sessionId: string, amount = 5_000): string {
  const session = things.get(sessionId) as Thing
  Object.assign(session, { payment_status: 'paid', status: 'complete', url: null })
  return makeCharge({ things }, String(session['payment_intent']), amount)
}

function makeCharge({ things }: Pick<FakeStripe, 'things'>, intent: string, amount: number): string {
  const fields = { amount, currency: 'eur', amount_refunded: 0, disputed: false, payment_intent: intent }
  const charge = make({ things }, 'ch', fields)
  things.set(intent, { id: intent, latest_charge: charge.id })
  return charge.id
}

/** A customer pays an invoice. Returns the id of the charge. */
export function payInvoice({ things }: Pick<FakeStripe, 'things'>, invoice: string, amount = 5_000): string {
  const intent = make({ things }, 'pi', { latest_charge: null }).id
  make({ things }, 'inpay', { invoice, status: 'paid', payment: { type: 'payment_intent', payment_intent: intent } })
  return makeCharge({ things }, intent, amount)
}

/** The card holder disputes a charge. The returned object can be changed as Stripe changes it. */
export function dispute({ things }: Pick<FakeStripe, 'things'>, chargeId: string, fields: object = {}): Thing {
  const charge = things.get(chargeId) as Thing
  Object.assign(charge, { disputed: true })
  const { amount, currency, payment_intent } = charge
  return make({ things }, 'dp', {
    charge: chargeId,
    amount,
    currency,
    payment_intent,
    status: 'needs_response',
    ...fields,
  })
}

/** Subscribes on a checkout page. */
export function subscribe({ things }: Pick<FakeStripe, 'things'>, sessionId: string): Thing {
  const session = things.get(sessionId) as Thing
  Object.assign(session, { payment_status: 'paid', status: 'complete', url: null })
  const items = { data: [{ price: { id: session['price'] } }] }
  const created = Math.floor(Date.now() / 1000)
  return make({ things }, 'sub', { customer: session['customer'], status: 'active', items, created })
}

type TestEvent = { id?: string; type: string; object: object }
type Signing = { secret?: string; ageS?: number }

/** An event as Stripe sends it, signed as Stripe signs it. */
export function sendable({ id = `evt_${randomUUID()}`, type, object }: TestEvent, { secret, ageS = 0 }: Signing = {}) {
  const payload = JSON.stringify({ id, object: 'event', type, data: { object } })
  const timestamp = Math.floor(Date.now() / 1000) - ageS
  const webhooks = Stripe.webhooks as unknown as Stripe['webhooks']
  const signature = webhooks.generateTestHeaderString({ payload, secret: secret ?? WEBHOOK_SECRET, timestamp })
  return {
    method: 'POST',
    url: '/billing/stripe-events',
    payload,
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
  } as const
}
