import type { Role } from '@probity/contract/constants/users'
import { keepSubscription, savePrice, withdrawPrice } from '@probity/database/billing/payments'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { expect, test } from 'vitest'
import { callApp } from '../testing/test-api.ts'
import { addMember, openNewAccount, type SignedIn, signUp, startUsersApi } from '../testing/test-browser.ts'
import { pay, sendable, startTestStripe, subscribe } from '../testing/test-stripe.ts'

const stripe = await startTestStripe()
const opening = { plan: 'payg', credits: 0 }
const api = await startUsersApi({ config: { payments: stripe.settings, opening } })
const off = await startUsersApi({ config: { opening } })

await asOwner(api.db, async (trx) => {
  await savePrice(trx, { id: 'price_large', plan: null, credits: 10_000 })
  await savePrice(trx, { id: 'price_small', plan: null, credits: 1_000 })
  await savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 500 })
  await savePrice(trx, { id: 'price_gone', plan: null, credits: 1 })
  await withdrawPrice(trx, 'price_gone')
})
stripe.things.set('price_small', { id: 'price_small', unit_amount: 900, currency: 'eur', recurring: null })
stripe.things.set('price_growth', {
  id: 'price_growth',
  unit_amount: 4_900,
  currency: 'eur',
  recurring: { interval: 'month' },
})

async function openOwner() {
  const owner = await signUp(api)
  const account = await openNewAccount(owner)
  const accountId = account['probity-account']
  const { body } = await owner.get('/session')
  const [membership] = body['memberships'] as { slug: string }[]
  return { owner, account, accountId, slug: membership?.slug ?? '' }
}

/** Fields shared by the plans of these tests. */
const FEATURES = {
  api_access: true,
  ai_enhancement: true,
  catchall_detection: true,
  refund_unknown: true,
  emails_per_file: 100_000,
  requests_per_window: 6_000,
  window_s: 60,
}

const UNTAGGED = { amount: null, currency: null }

test('GET /billing lists prices, and omits amounts that Stripe does not return', async () => {
  const { owner, account } = await openOwner()
  const { status, body } = await owner.get('/billing', account)
  expect([status, body]).toEqual([
    200,
    {
      enabled: true,
      plan: 'payg',
      features: FEATURES,
      debt: 0,
      subscribed_to: null,
      has_portal: false,
      packs: [
        { price: 'price_small', credits: 1_000, amount: 900, currency: 'eur' },
        { price: 'price_large', credits: 10_000, ...UNTAGGED },
      ],
      plans: [
        {
          price: 'price_growth',
          plan: 'growth',
          features: FEATURES,
          credits: 500,
          amount: 4_900,
          currency: 'eur',
          interval: 'month',
        },
      ],
    },
  ])
})

test('a pack is bought through Stripe Checkout, and its credits are granted after the payment', async () => {
  const { owner, account, accountId } = await openOwner()
  const { status, body } = await owner.post('/billing/checkout', { price: 'price_small', quantity: 3 }, account)
  expect([status, body['url']]).toEqual([200, expect.stringMatching(/^https:\/\/checkout\.stripe\.test\/cs_/)])
  const asked = stripe.asked.findLast(({ path }) => path === '/v1/checkout/sessions')
  expect(Object.fromEntries(asked?.form ?? [])).toEqual({
    mode: 'payment',
    customer: expect.stringMatching(/^cus_/),
    client_reference_id: accountId,
    'line_items[0][price]': 'price_small',
    'line_items[0][quantity]': '3',
    success_url: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:3000\/app\/billing\?org=[a-z0-9-]+&checkout=paid&session=\{CHECKOUT_SESSION_ID\}$/,
    ),
    cancel_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/app\/billing\?org=[a-z0-9-]+&checkout=canceled$/),
  })

  const sessionId = String(body['url']).split('/').at(-1) as string
  const told = () =>
    callApp(api.app, sendable({ type: 'checkout.session.completed', object: stripe.things.get(sessionId) as object }))
  await told()
  expect(await creditsSeen(owner, account)).toBe(0)
  pay(stripe, sessionId)
  await told()
  expect(await creditsSeen(owner, account)).toBe(3_000)
})

async function creditsSeen(person: SignedIn, account: Record<string, string>): Promise<unknown> {
  const { body } = await person.get('/account', account)
  return (body['credits'] as { available: number }).available
}

test('the checkout status is visible to the account that started it and to no other', async () => {
  const { owner, account } = await openOwner()
  const { body } = await owner.post('/billing/checkout', { price: 'price_small', quantity: 2 }, account)
  const sessionId = sessionOf(body)
  const path = `/billing/checkout/${sessionId}`
  expect((await owner.get(path, account)).body).toEqual({ credits: 2_000, granted: false })
  pay(stripe, sessionId)
  await callApp(api.app, sendable({ type: 'checkout.session.completed', object: { id: sessionId } }))
  expect((await owner.get(path, account)).body).toEqual({ credits: 2_000, granted: true })

  const outsider = await openOwner()
  expect((await outsider.owner.get(path, outsider.account)).status).toBe(404)
  expect((await owner.get('/billing/checkout/cs_unknown', account)).status).toBe(404)
})

test('GET /billing/checkout/{session} responds with 404 to an id with NUL, which PostgreSQL rejects', async () => {
  const { owner, account } = await openOwner()
  expect((await owner.get('/billing/checkout/cs_%00', account)).status).toBe(404)
})

function sessionOf(body: Record<string, unknown>): string {
  return String(body['url']).split('/').at(-1) as string
}

test('the credits promised at checkout are granted, even if the price changes before the payment', async () => {
  const { owner, account } = await openOwner()
  await asOwner(api.db, (trx) => savePrice(trx, { id: 'price_moving', plan: null, credits: 70 }))
  const { body } = await owner.post('/billing/checkout', { price: 'price_moving' }, account)
  await asOwner(api.db, (trx) => savePrice(trx, { id: 'price_moving', plan: null, credits: 7 }))
  await asOwner(api.db, (trx) => withdrawPrice(trx, 'price_moving'))
  const sessionId = String(body['url']).split('/').at(-1) as string
  pay(stripe, sessionId)
  await callApp(api.app, sendable({ type: 'checkout.session.completed', object: { id: sessionId } }))
  expect(await creditsSeen(owner, account)).toBe(70)
})

test('an account is one Stripe customer, and Stripe receives only the account id', async () => {
  const { owner, account, accountId } = await openOwner()
  const answers = await Promise.all(
    [1, 2, 3].map(() => owner.post('/billing/checkout', { price: 'price_small' }, account)),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const made = stripe.asked.filter(
    ({ path, form }) => path === '/v1/customers' && [...form.values()].includes(accountId),
  )
  expect(new Set(made.map(({ headers }) => headers['idempotency-key']))).toEqual(
    new Set([`probity-customer-${accountId}`]),
  )
  for (const { form } of made) expect(Object.fromEntries(form)).toEqual({ 'metadata[account_id]': accountId })
  const sessions = stripe.asked.filter(({ form }) => form.get('client_reference_id') === accountId)
  expect(new Set(sessions.map(({ form }) => form.get('customer'))).size).toBe(1)
})

test('the billing portal is available after the first purchase', async () => {
  const { owner, account } = await openOwner()
  expect(await owner.post('/billing/portal', {}, account)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  await owner.post('/billing/checkout', { price: 'price_growth' }, account)
  const { status, body } = await owner.post('/billing/portal', {}, account)
  expect([status, body['url']]).toEqual([200, expect.stringMatching(/^https:\/\/billing\.stripe\.test\/cus_/)])
  expect((await owner.get('/billing', account)).body).toMatchObject({ has_portal: true })
})

test('a subscribed account cannot subscribe to a second plan', async () => {
  const { owner, account, accountId } = await openOwner()
  expect((await owner.post('/billing/checkout', { price: 'price_growth' }, account)).status).toBe(200)
  const state = { id: `sub_${accountId}`, price: 'price_growth', isPaid: true, beganAt: new Date() }
  await inTenant(api.db, accountId, (trx) => keepSubscription(trx, { ...state, checkedAt: new Date().toISOString() }))
  const again = await owner.post('/billing/checkout', { price: 'price_growth' }, account)
  expect(again).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
  expect((await owner.get('/billing', account)).body).toMatchObject({ plan: 'growth', subscribed_to: 'price_growth' })
  expect((await owner.post('/billing/checkout', { price: 'price_small' }, account)).status).toBe(200)
})

const planPage = async ({ owner, account }: Awaited<ReturnType<typeof openOwner>>) =>
  owner.post('/billing/checkout', { price: 'price_growth' }, account)

/** Checkout pages on which the user's account could still subscribe. */
function listOpenPages({ slug }: { slug: string }): string[] {
  return [...stripe.things.values()]
    .filter(({ mode, status }) => mode === 'subscription' && status === 'open')
    .filter(({ success_url }) => String(success_url).includes(`org=${slug}&`))
    .map(({ id }) => id)
}

test('opening a second subscription page closes the first, so that an account cannot pay twice', async () => {
  const person = await openOwner()
  await planPage(person)
  const second = sessionOf((await planPage(person)).body)
  expect(listOpenPages(person)).toEqual([second]) // within one second the first page may stay open and be returned again
})

test('of subscription pages opened at the same time one stays open, and it is the returned one', async () => {
  const person = await openOwner()
  await planPage(person) // creates the customer
  const answers = await Promise.all(Array.from({ length: 5 }, () => planPage(person)))
  const open = listOpenPages(person)
  expect(open).toHaveLength(1)
  expect(answers.map(({ body }) => sessionOf(body))).toContain(open[0])
})

test('a subscribed account cannot check out another plan, even before the Stripe event', async () => {
  const person = await openOwner()
  const sessionId = sessionOf((await planPage(person)).body)
  subscribe(stripe, sessionId)
  expect(await planPage(person)).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
})

test('a payment on the first page while the second opens rejects the second', async () => {
  const person = await openOwner()
  const first = sessionOf((await planPage(person)).body)
  const page = stripe.things.get(first) as object
  // Paid between listing and closing: Stripe lists the page as open and then rejects closing it.
  let looks = 0
  Object.defineProperty(page, 'status', { get: () => (looks++ === 0 ? 'open' : 'complete') })
  Object.assign(page, { created: 0 })
  expect(await planPage(person)).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
  const open = listOpenPages(person).filter((id) => id !== first)
  expect(open).toEqual([])
})

test.each([
  ['a price that is not ours', { price: 'price_other' }, '/price'],
  ['one that was withdrawn', { price: 'price_gone' }, '/price'],
  ['two of a plan', { price: 'price_growth', quantity: 2 }, '/quantity'],
  ['no pack at all', { price: 'price_small', quantity: 0 }, '/quantity'],
  ['more packs than we sell at once', { price: 'price_small', quantity: 101 }, '/quantity'],
])('%s is rejected before Stripe is called', async (_, order, pointer) => {
  const { owner, account } = await openOwner()
  const before = stripe.asked.length
  const { status, body } = await owner.post('/billing/checkout', order, account)
  expect([status, body['errors']]).toEqual([400, [{ pointer, detail: expect.any(String) }]])
  expect(stripe.asked).toHaveLength(before)
})

test('while Stripe is unavailable checkout fails, and the subscription is still shown', async () => {
  const { owner, account } = await openOwner()
  stripe.state.isAway = true
  const refused = await owner.post('/billing/checkout', { price: 'price_small' }, account)
  expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
  expect(await owner.get('/billing', account)).toMatchObject({ status: 200, body: { enabled: true, plan: 'payg' } })
  stripe.state.isAway = false
})

test('all members see prices, and only owners and admins can buy', async () => {
  const { account, accountId } = await openOwner()
  const buys: Record<Exclude<Role, 'owner'>, boolean> = {
    admin: true,
    developer: false,
    marketer: false,
    viewer: false,
  }
  for (const [role, mayBuy] of Object.entries(buys)) {
    const person = await signUp(api)
    await addMember(api, accountId, person, role as Role)
    expect((await person.get('/billing', account)).status).toBe(200)
    const { status } = await person.post('/billing/checkout', { price: 'price_small' }, account)
    expect([role, status]).toEqual([role, mayBuy ? 200 : 403])
    expect((await person.post('/billing/portal', {}, account)).status).toBe(mayBuy ? 200 : 403)
  }
})

test('keys cannot buy anything, whatever their scopes', async () => {
  const { call } = await api.openCaller()
  for (const path of ['/billing/checkout', '/billing/portal']) {
    expect((await call({ method: 'POST', url: `/api/v1${path}`, payload: {} })).status).toBe(404)
    expect((await call({ method: 'POST', url: `/app/api${path}`, payload: {} })).status).toBe(403)
  }
})

test('without payment settings the account sees that payments are off, and checkout is rejected', async () => {
  const owner = await signUp(off)
  const account = await openNewAccount(owner)
  const { body } = await owner.get('/billing', account)
  expect(body).toEqual({
    enabled: false,
    plan: 'payg',
    features: FEATURES,
    debt: 0,
    subscribed_to: null,
    has_portal: false,
    packs: [],
    plans: [],
  })
  for (const path of ['/billing/checkout', '/billing/portal']) {
    const answer = await owner.post(path, { price: 'price_small' }, account)
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_configured' } })
  }
})
