import { randomUUID } from 'node:crypto'
import { getAccount } from '@probity/database/accounts/accounts'
import { listDrift, postCredits } from '@probity/database/billing/ledger'
import { offerPayment, saveCustomer, savePrice, withdrawPrice } from '@probity/database/billing/payments'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { openTestAccount } from '@probity/database/connection/test-database'
import { afterEach, expect, test } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'
import { pay, sendable, startTestStripe } from '../testing/test-stripe.ts'

const stripe = await startTestStripe()
const api = await startTestApi({ config: { payments: stripe.settings } })
const { db, app } = api

await asOwner(db, async (trx) => {
  await savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 500 })
  await savePrice(trx, { id: 'price_scale', plan: 'scale', credits: 0 })
})

afterEach(async () => {
  stripe.state.isAway = false
  expect(await asOwner(db, listDrift)).toEqual([])
})

type Event = Parameters<typeof sendable>[0]
const send = (event: Event, signing?: Parameters<typeof sendable>[1]) => callApp(app, sendable(event, signing))

/** An account with a Stripe customer. */
async function openBuyer(credits = 0, plan = 'payg') {
  const { id: accountId } = await openTestAccount(db, credits, { plan })
  const customer = `cus_${randomUUID().replaceAll('-', '')}`
  await inTenant(db, accountId, (trx) => saveCustomer(trx, accountId, customer))
  return { accountId, customer }
}

/** An unpaid session for a pack, as the checkout route leaves it. */
async function openSession({ accountId, customer }: { accountId: string; customer: string }, credits = 1_000) {
  const id = `cs_${randomUUID().replaceAll('-', '')}`
  const intent = `pi_${id.slice(3)}`
  stripe.things.set(intent, { id: intent, latest_charge: null })
  const session = { id, mode: 'payment', customer, payment_status: 'unpaid', payment_intent: intent }
  stripe.things.set(id, session)
  await inTenant(db, accountId, (trx) => offerPayment(trx, accountId, { reference: id, credits }))
  return session
}

async function accountOf(accountId: string) {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return account
}

const creditsOf = async (accountId: string) => (await accountOf(accountId)).available

function listLedger(accountId: string) {
  const rows = (trx: Parameters<Parameters<typeof inTenant>[2]>[0]) =>
    trx.selectFrom('ledger').select(['kind', 'dAvailable']).where('accountId', '=', accountId).orderBy('id').execute()
  return inTenant(db, accountId, rows)
}

function outcomeOf(id: string) {
  return asOwner(db, async (trx) => {
    const row = await trx.selectFrom('stripeEvents').select('outcome').where('id', '=', id).executeTakeFirst()
    return row?.outcome
  })
}

const completed = (object: object, id?: string) => ({
  type: 'checkout.session.completed',
  object,
  ...(id !== undefined && { id }),
})

test('a pack that was paid is granted, with the payment in the ledger', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  pay(stripe, session.id)
  expect(await send(completed(session))).toMatchObject({ status: 200, body: { received: true } })
  expect(await listLedger(buyer.accountId)).toEqual([{ kind: 'grant', dAvailable: 1_000 }])
})

const WAVES = 10
const WAVE = 100
const ATTEMPTS = 5

/** Sends an event, and repeats it after a 503, as Stripe does: a busy machine cannot accept a hundred at once. */
async function sendUntilTaken(event: Event) {
  let answer = await send(event)
  for (let n = 1; n < ATTEMPTS && answer.status === 503; n++) answer = await send(event)
  return answer
}

test('a thousand copies of one event, a hundred at a time, make one grant', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  pay(stripe, session.id)
  const id = `evt_${randomUUID()}`
  for (let wave = 0; wave < WAVES; wave++) {
    const answers = await Promise.all(Array.from({ length: WAVE }, () => sendUntilTaken(completed(session, id))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(WAVE)
  }
  expect(await listLedger(buyer.accountId)).toEqual([{ kind: 'grant', dAvailable: 1_000 }])
  // The ledger alone would also prevent a second grant, so the outcome shows that only the first copy did anything.
  expect(await outcomeOf(id)).toBe('granted')
})

test('different events about one payment make one grant, also concurrently', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  pay(stripe, session.id)
  const types = ['checkout.session.completed', 'checkout.session.async_payment_succeeded']
  const events = Array.from({ length: 20 }, (_, n) => ({
    id: `evt_${randomUUID()}`,
    type: types[n % 2] as string,
    object: session,
  }))
  const answers = await Promise.all(events.map((event) => send(event)))
  expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200))
  expect(await creditsOf(buyer.accountId)).toBe(1_000)
  const outcomes = await Promise.all(events.map(({ id }) => outcomeOf(id)))
  expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'granted_before')).toHaveLength(19)
})

test('the payload of an event is not trusted: nothing is granted until the Stripe API confirms the payment', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  expect((await send(completed({ ...session, payment_status: 'paid' }))).status).toBe(200)
  expect(await creditsOf(buyer.accountId)).toBe(0)

  pay(stripe, session.id)
  await send({ type: 'checkout.session.async_payment_succeeded', object: session })
  expect(await creditsOf(buyer.accountId)).toBe(1_000)
})

test('a wrong, an old and a missing signature are rejected without effect', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  pay(stripe, session.id)
  const good = sendable(completed(session))
  const { 'stripe-signature': _, ...unsigned } = good.headers
  const forged = [
    sendable(completed(session), { secret: 'whsec_of_another_endpoint' }),
    sendable(completed(session), { ageS: 301 }),
    { ...good, headers: unsigned },
    { ...good, payload: good.payload.replace('completed', 'complete_') },
  ]
  for (const request of forged) {
    const { status, body } = await callApp(app, request)
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  }
  expect(await creditsOf(buyer.accountId)).toBe(0)
  expect((await send(completed(session), { ageS: 200 })).status).toBe(200)
  expect(await creditsOf(buyer.accountId)).toBe(1_000)
})

test('events of unknown customers, unknown sessions and unused types are accepted, recorded and change nothing', async () => {
  const buyer = await openBuyer()
  const foreign = { id: 'cs_foreign', mode: 'payment', customer: 'cus_foreign', payment_status: 'paid' }
  const elsewhere = { id: 'cs_elsewhere', mode: 'payment', customer: buyer.customer, payment_status: 'paid' }
  for (const session of [foreign, elsewhere]) stripe.things.set(session.id, session)
  const events = [completed(foreign, 'evt_a'), completed(elsewhere, 'evt_b')]
  const other = { id: 'evt_c', type: 'customer.created', object: { id: buyer.customer } }
  for (const event of [...events, other]) expect((await send(event)).status).toBe(200)
  expect(await Promise.all(['evt_a', 'evt_b', 'evt_c'].map(outcomeOf))).toEqual([
    'unknown_customer',
    'unknown_checkout',
    'event_not_used',
  ])
  expect(await creditsOf(buyer.accountId)).toBe(0)
})

test('while Stripe is unavailable an event is rejected, and its next copy is processed', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  pay(stripe, session.id)
  stripe.state.isAway = true
  const event = completed(session, `evt_${randomUUID()}`)
  expect(await send(event)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
  stripe.state.isAway = false
  expect((await send(event)).status).toBe(200)
  expect(await creditsOf(buyer.accountId)).toBe(1_000)
})

function refund(chargeId: string, amount: number): Event {
  const charge = stripe.things.get(chargeId) as { id: string }
  Object.assign(charge, { amount_refunded: amount })
  return { type: 'charge.refunded', object: { ...charge } }
}

test('a refund takes back its share of the credits, and several refunds together at most all', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  const charge = pay(stripe, session.id, 5_000)
  await send(completed(session))
  await send(refund(charge, 1_000))
  expect(await creditsOf(buyer.accountId)).toBe(800)
  await send(refund(charge, 1_000))
  expect(await creditsOf(buyer.accountId)).toBe(800)
  await send(refund(charge, 5_000))
  await send(completed(session))
  expect(await listLedger(buyer.accountId)).toEqual([
    { kind: 'grant', dAvailable: 1_000 },
    { kind: 'adjust', dAvailable: -200 },
    { kind: 'adjust', dAvailable: -800 },
  ])
})

test('a refund never makes the balance negative, and the next grants pay the spent credits', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  const charge = pay(stripe, session.id)
  await send(completed(session))
  const { accountId } = buyer
  await inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'charge', credits: 700, subject: randomUUID() }))
  await send(refund(charge, 5_000))
  expect(await creditsOf(accountId)).toBe(0)
  for (const [credits, left] of [
    [650, 0],
    [100, 50],
  ] as const) {
    await inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'grant', credits, subject: randomUUID() }))
    await send(refund(charge, 5_000))
    expect(await creditsOf(accountId)).toBe(left)
  }
})

test('a refund event before the payment event leads to the same state', async () => {
  const buyer = await openBuyer()
  const session = await openSession(buyer)
  await send(refund(pay(stripe, session.id), 5_000))
  await send(completed(session))
  expect(await creditsOf(buyer.accountId)).toBe(0)
})

let created = 1_700_000_000

function subscribe(customer: string, price: string) {
  const id = `sub_${randomUUID().replaceAll('-', '')}`
  const subscription = {
    id,
    customer,
    status: 'active',
    created: created++,
    items: { data: [{ price: { id: price } }] },
  }
  stripe.things.set(id, subscription)
  const tell = (kind: 'created' | 'updated' | 'deleted', claimed: object = {}) =>
    send({ type: `customer.subscription.${kind}`, object: { ...subscription, ...claimed } })
  return { subscription, tell }
}

const planOf = async (accountId: string) => (await accountOf(accountId)).plan

test('a subscription sets its plan, a change sets another, and its end restores the previous plan', async () => {
  const { accountId, customer } = await openBuyer(0, 'starter')
  const { subscription, tell } = subscribe(customer, 'price_growth')
  await tell('created')
  expect(await planOf(accountId)).toBe('growth')

  subscription.items = { data: [{ price: { id: 'price_scale' } }] }
  await tell('updated')
  expect(await planOf(accountId)).toBe('scale')

  subscription.status = 'past_due'
  await tell('updated')
  expect(await planOf(accountId)).toBe('scale')

  subscription.status = 'canceled'
  await tell('deleted')
  expect(await planOf(accountId)).toBe('starter')
})

test('a late event of an ended subscription does not restore its plan', async () => {
  const { accountId, customer } = await openBuyer()
  const { subscription, tell } = subscribe(customer, 'price_growth')
  subscription.status = 'canceled'
  await tell('deleted')
  await tell('created', { status: 'active' })
  expect(await planOf(accountId)).toBe('payg')
})

test('of two subscriptions the newer sets the plan, and the older does when the newer ends', async () => {
  const { accountId, customer } = await openBuyer()
  const older = subscribe(customer, 'price_growth')
  const younger = subscribe(customer, 'price_scale')
  await younger.tell('created')
  await older.tell('created')
  expect(await planOf(accountId)).toBe('scale')
  younger.subscription.status = 'unpaid'
  await younger.tell('updated')
  expect(await planOf(accountId)).toBe('growth')
})

test('a plan that is no longer sold stays with its subscribers', async () => {
  const { accountId, customer } = await openBuyer()
  await asOwner(db, (trx) => savePrice(trx, { id: 'price_old', plan: 'growth', credits: 1 }))
  const { tell } = subscribe(customer, 'price_old')
  await tell('created')
  await asOwner(db, (trx) => withdrawPrice(trx, 'price_old'))
  await tell('updated')
  expect(await planOf(accountId)).toBe('growth')
})

function lineOf(price: string, { amount = 4_900, proration = false, quantity = 1 } = {}) {
  const pricing = { type: 'price_details', price_details: { price } }
  return { amount, quantity, pricing, parent: { subscription_item_details: { proration } } }
}

function invoice(customer: string, lines: object[], fields: object = {}): Event {
  const id = `in_${randomUUID().replaceAll('-', '')}`
  const object = { id, customer, status: 'paid', parent: { type: 'subscription_details' }, ...fields }
  stripe.things.set(id, object)
  stripe.lines.set(id, lines)
  return { type: 'invoice.paid', object }
}

test('each paid period of a plan grants its credits once', async () => {
  const { accountId, customer } = await openBuyer()
  const first = invoice(customer, [lineOf('price_growth')])
  await Promise.all(Array.from({ length: 20 }, () => send(first)))
  expect(await creditsOf(accountId)).toBe(500)
  await send(invoice(customer, [lineOf('price_growth')]))
  expect(await creditsOf(accountId)).toBe(1_000)
})

test.each<[string, object[], object?]>([
  ['a settlement between two plans', [lineOf('price_growth', { proration: true })]],
  ['a trial', [lineOf('price_growth', { amount: 0 })]],
  ['a plan without credits', [lineOf('price_scale')]],
  ['something else that the operator sells', [lineOf('price_of_a_book')]],
  ['an invoice that is open again', [lineOf('price_growth')], { status: 'open' }],
  ['an invoice beside subscriptions', [lineOf('price_growth')], { parent: null }],
])('%s gives no credits', async (_, lines, fields) => {
  const { accountId, customer } = await openBuyer()
  expect((await send(invoice(customer, lines, fields))).status).toBe(200)
  expect(await creditsOf(accountId)).toBe(0)
})

test('the route does not exist without payment settings', async () => {
  const off = await startTestApi()
  const { status, body } = await callApp(off.app, sendable(completed({ id: 'cs_x' })))
  expect([status, body['code']]).toEqual([404, 'not_found'])
})
