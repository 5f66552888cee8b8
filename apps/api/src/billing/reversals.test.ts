import { randomUUID } from 'node:crypto'
import { getAccount } from '@probity/database/accounts/accounts'
import { listDrift, postCredits } from '@probity/database/billing/ledger'
import { offerPayment, saveCustomer, savePrice } from '@probity/database/billing/payments'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { afterEach, expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'
import { dispute, pay, payInvoice, sendable, startTestStripe } from '../testing/test-stripe.ts'

const stripe = await startTestStripe()
const api = await startTestApi({ config: { payments: stripe.settings } })
const { db, app } = api

await asOwner(db, async (trx) => {
  await savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 500 })
  await savePrice(trx, { id: 'price_scale', plan: 'scale', credits: 0 })
})

afterEach(async () => expect(await asOwner(db, listDrift)).toEqual([]))

type Event = Parameters<typeof sendable>[0]

const ATTEMPTS = 5

/** Sends an event, and repeats it after a 503, as Stripe does. */
async function send(event: Event): Promise<void> {
  let status = 503
  for (let n = 0; n < ATTEMPTS && status === 503; n++) ({ status } = await callApp(app, sendable(event)))
  expect(status).toBe(200)
}

async function openBuyer() {
  const caller = await api.openCaller()
  const { accountId } = caller
  const customer = `cus_${randomUUID().replaceAll('-', '')}`
  await inTenant(db, accountId, (trx) => saveCustomer(trx, accountId, customer))
  const account = async () => (await inTenant(db, accountId, (trx) => getAccount(trx, accountId))).account
  const spend = (credits: number) =>
    inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'charge', credits, subject: randomUUID() }))
  return { ...caller, customer, account, spend }
}

type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** A paid pack of 1,000 credits for 50 euros. Returns the id of its charge. */
async function buyPack({ accountId, customer }: Buyer): Promise<string> {
  const id = `cs_${randomUUID().replaceAll('-', '')}`
  stripe.things.set(id, {
    id,
    mode: 'payment',
    customer,
    payment_status: 'unpaid',
    payment_intent: `pi_${id.slice(3)}`,
  })
  await inTenant(db, accountId, (trx) => offerPayment(trx, accountId, { reference: id, credits: 1_000 }))
  const charge = pay(stripe, id)
  await send({ type: 'checkout.session.completed', object: { id } })
  return charge
}

/** A paid period of a plan, with one line at this price. Returns the id of its charge. */
async function buyPeriod({ customer }: Buyer, price = 'price_growth'): Promise<string> {
  const id = `in_${randomUUID().replaceAll('-', '')}`
  stripe.things.set(id, { id, customer, status: 'paid', parent: { type: 'subscription_details' } })
  const pricing = { type: 'price_details', price_details: { price } }
  const item = { subscription_item_details: { proration: false } }
  stripe.lines.set(id, [{ amount: 5_000, quantity: 1, pricing, parent: item }])
  const charge = payInvoice(stripe, id)
  await send({ type: 'invoice.paid', object: { id } })
  return charge
}

function ledgerOf({ accountId }: Buyer) {
  return inTenant(db, accountId, (trx) =>
    trx.selectFrom('ledger').select(['kind', 'dAvailable']).where('accountId', '=', accountId).orderBy('id').execute(),
  )
}

const eventsOf = (dispute: object) =>
  ['created', 'funds_withdrawn', 'updated', 'closed', 'funds_reinstated'].map((kind) => ({
    type: `charge.dispute.${kind}`,
    object: dispute,
  }))

test('a disputed payment takes its credits back, and a won dispute returns them', async () => {
  const buyer = await openBuyer()
  const disputed = dispute(stripe, await buyPack(buyer))
  await send({ type: 'charge.dispute.created', object: disputed })
  expect(await buyer.account()).toMatchObject({ available: 0, debt: 0 })

  Object.assign(disputed, { status: 'won' })
  await send({ type: 'charge.dispute.closed', object: disputed })
  await send({ type: 'charge.dispute.funds_reinstated', object: disputed })
  expect(await buyer.account()).toMatchObject({ available: 1_000, debt: 0, suspendedAt: null })
  expect((await ledgerOf(buyer)).map(({ dAvailable }) => dAvailable)).toEqual([1_000, -1_000, 1_000])
})

test('spent credits of a disputed payment are owed, and the next purchase pays them', async () => {
  const buyer = await openBuyer()
  const charge = await buyPack(buyer)
  await buyer.spend(900)
  const disputed = dispute(stripe, charge)
  await send({ type: 'charge.dispute.funds_withdrawn', object: disputed })
  expect(await buyer.account()).toMatchObject({ available: 0, spent: 900, debt: 900 })
  await buyPack(buyer)
  expect(await buyer.account()).toMatchObject({ available: 100, debt: 0 })
})

test('a dispute suspends the account until it is won', async () => {
  const buyer = await openBuyer()
  const disputed = dispute(stripe, await buyPack(buyer))
  await send({ type: 'charge.dispute.created', object: disputed })
  const use = () => buyer.call({ method: 'GET', url: '/api/v1/account' })
  await vi.waitFor(async () => expect((await use()).body['code']).toBe('account_suspended'))
  Object.assign(disputed, { status: 'won' })
  await send({ type: 'charge.dispute.closed', object: disputed })
  await vi.waitFor(async () => expect((await use()).status).toBe(200))
})

const WAVE = 50
const WAVES = 20

test('1,000 replays of dispute and refund events make one deduction', async () => {
  const buyer = await openBuyer()
  const charge = await buyPack(buyer)
  await buyer.spend(300)
  Object.assign(stripe.things.get(charge) ?? {}, { amount_refunded: 1_000 })
  const disputed = dispute(stripe, charge, { amount: 4_000 })
  const refunded = { id: 're_1', payment_intent: disputed['payment_intent'] }
  const events: Event[] = [
    ...['created', 'funds_withdrawn', 'updated'].map((kind) => ({ type: `charge.dispute.${kind}`, object: disputed })),
    { type: 'charge.refunded', object: { ...stripe.things.get(charge) } },
    { type: 'refund.created', object: refunded },
    { type: 'refund.updated', object: refunded },
  ]
  for (let wave = 0; wave < WAVES; wave++) {
    // Most of them are copies of an earlier event; every tenth is the same event under a new id.
    const copies = Array.from({ length: WAVE }, (_, n) => {
      const event = events[n % events.length] as Event
      return send({ ...event, id: n % 10 === 0 ? `evt_${randomUUID()}` : `evt_${event.type}_${charge}` })
    })
    await Promise.all(copies)
  }
  expect(await buyer.account()).toMatchObject({ available: 0, spent: 300, debt: 300 })
  expect((await ledgerOf(buyer)).filter(({ kind }) => kind === 'adjust')).toEqual([
    { kind: 'adjust', dAvailable: -700 },
  ])
})

test('a refund and a dispute together take no more than was paid', async () => {
  const buyer = await openBuyer()
  const charge = await buyPack(buyer)
  Object.assign(stripe.things.get(charge) ?? {}, { amount_refunded: 2_000 })
  await send({ type: 'charge.refunded', object: { ...stripe.things.get(charge) } })
  expect(await buyer.account()).toMatchObject({ available: 600, suspendedAt: null })
  await send({ type: 'charge.dispute.created', object: dispute(stripe, charge) })
  expect(await buyer.account()).toMatchObject({ available: 0, debt: 0 })
})

test('a refund that fails returns the credits', async () => {
  const buyer = await openBuyer()
  const charge = await buyPack(buyer)
  const object = { id: 're_2', payment_intent: stripe.things.get(charge)?.['payment_intent'] }
  Object.assign(stripe.things.get(charge) ?? {}, { amount_refunded: 5_000 })
  await send({ type: 'refund.created', object })
  expect(await buyer.account()).toMatchObject({ available: 0 })
  Object.assign(stripe.things.get(charge) ?? {}, { amount_refunded: 0 })
  await send({ type: 'refund.failed', object })
  expect(await buyer.account()).toMatchObject({ available: 1_000 })
})

test.each(['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented', 'won'])(
  'a dispute with the status %s takes nothing and suspends nothing',
  async (status) => {
    const buyer = await openBuyer()
    for (const event of eventsOf(dispute(stripe, await buyPack(buyer), { status }))) await send(event)
    expect(await buyer.account()).toMatchObject({ available: 1_000, debt: 0, suspendedAt: null })
  },
)

test.each(['needs_response', 'under_review', 'lost', 'a_status_of_the_future'])(
  'a dispute with the status %s takes the credits once, whatever its events are',
  async (status) => {
    const buyer = await openBuyer()
    for (const event of eventsOf(dispute(stripe, await buyPack(buyer), { status }))) await send(event)
    expect(await buyer.account()).toMatchObject({ available: 0, suspendedAt: expect.any(Date) })
  },
)

test('a dispute in another currency counts for the whole payment', async () => {
  const buyer = await openBuyer()
  const disputed = dispute(stripe, await buyPack(buyer), { amount: 1, currency: 'usd' })
  await send({ type: 'charge.dispute.created', object: disputed })
  expect(await buyer.account()).toMatchObject({ available: 0 })
})

test('a refunded or disputed period of a plan takes its credits back', async () => {
  const buyer = await openBuyer()
  const charge = await buyPeriod(buyer)
  expect(await buyer.account()).toMatchObject({ available: 500 })
  Object.assign(stripe.things.get(charge) ?? {}, { amount_refunded: 1_000 })
  await send({ type: 'charge.refunded', object: { ...stripe.things.get(charge) } })
  expect(await buyer.account()).toMatchObject({ available: 400 })
  await send({ type: 'charge.dispute.created', object: dispute(stripe, charge, { amount: 4_000 }) })
  expect(await buyer.account()).toMatchObject({ available: 0, suspendedAt: expect.any(Date) })
})

test('a dispute that arrives before the invoice was processed leads to the same state', async () => {
  const buyer = await openBuyer()
  const id = `in_${randomUUID().replaceAll('-', '')}`
  stripe.things.set(id, { id, customer: buyer.customer, status: 'paid', parent: { type: 'subscription_details' } })
  const pricing = { type: 'price_details', price_details: { price: 'price_growth' } }
  const item = { subscription_item_details: { proration: false } }
  stripe.lines.set(id, [{ amount: 5_000, quantity: 1, pricing, parent: item }])
  const disputed = dispute(stripe, payInvoice(stripe, id))
  await send({ type: 'charge.dispute.created', object: disputed })
  await send({ type: 'invoice.paid', object: { id } })
  expect(await buyer.account()).toMatchObject({ available: 0, debt: 0 })
})

test('a disputed plan without credits suspends the account', async () => {
  const buyer = await openBuyer()
  const disputed = dispute(stripe, await buyPeriod(buyer, 'price_scale'))
  await send({ type: 'charge.dispute.created', object: disputed })
  expect(await buyer.account()).toMatchObject({ available: 0, suspendedAt: expect.any(Date) })
  Object.assign(disputed, { status: 'won' })
  await send({ type: 'charge.dispute.closed', object: disputed })
  expect(await buyer.account()).toMatchObject({ suspendedAt: null })
})

test('disputes of unknown payments change nothing', async () => {
  const buyer = await openBuyer()
  await buyPack(buyer)
  const events = [
    { type: 'charge.dispute.created', object: { id: 'dp_other', payment_intent: 'pi_other' } },
    { type: 'charge.dispute.created', object: { id: 'dp_none', payment_intent: null } },
  ]
  for (const event of events) await send(event)
  expect(await buyer.account()).toMatchObject({ available: 1_000, suspendedAt: null })
})
