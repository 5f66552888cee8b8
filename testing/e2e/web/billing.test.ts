import { savePrice } from '@probity/database/billing/payments'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { startStripeInstance } from '../environment/stripe-instance.ts'

const shop = await startStripeInstance()
const browser = await startBrowser()
await asOwner(shop.db, async (trx) => {
  await savePrice(trx, { id: 'price_small', plan: null, credits: 1_000 })
  await savePrice(trx, { id: 'price_large', plan: null, credits: 10_000 })
  await savePrice(trx, { id: 'price_starter', plan: 'starter', credits: 5_000 })
  await savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 0 })
})
const month = { currency: 'eur', recurring: { interval: 'month' } }
shop.stripe.things.set('price_small', { id: 'price_small', unit_amount: 900, currency: 'eur', recurring: null })
shop.stripe.things.set('price_large', { id: 'price_large', unit_amount: 4_900, currency: 'eur', recurring: null })
shop.stripe.things.set('price_starter', { id: 'price_starter', unit_amount: 1_900, ...month })
shop.stripe.things.set('price_growth', { id: 'price_growth', unit_amount: 9_900, ...month })

const owner = await signUpUser(browser, shop)
const viewer = await signUpUser(browser, shop, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const unsold = await useSharedInstance()
const operatorsGuest = await signUpUser(browser, unsold, { name: 'Alan Turing', organisation: 'Bletchley' })

async function openBilling(person: TestUser, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app/billing${query}`)
  await loaded(page)
  return page
}

const pageOf = (id: string) => shop.stripe.things.get(id)
const newest = (prefix: string) => [...shop.stripe.things.keys()].filter((id) => id.startsWith(prefix)).at(-1) as string

test('a checkout adds credits, and the page waits for them', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/usage')
  await page.getByRole('link', { name: 'Plans & credits' }).click()
  await page.getByRole('heading', { name: 'Plans & credits', level: 1 }).waitFor()
  await page.getByText('€9.00 per 1,000').waitFor()
  await page.getByRole('radio', { name: '10,000 credits' }).check()
  await page.getByLabel('Quantity').selectOption('3')
  await page.getByText('30,000 credits: €147.00').waitFor()
  await page.getByRole('button', { name: 'Buy 30,000 credits' }).click()

  await page.getByRole('heading', { name: 'Pay for price_large' }).waitFor()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.waitForURL(/\/app\/billing\?.*checkout=paid/)
  await page.getByText('Payment received').waitFor()
  await page.getByText('The credits are added within a minute.').waitFor()
  expect(await page.getByText(/credits added/).count()).toBe(0)

  const session = newest('cs_')
  expect(await shop.tell({ type: 'checkout.session.completed', object: { id: session } })).toBe(200)
  await page.getByText('30,000 credits added').waitFor()
  // The balance in the header is refetched automatically.
  await page.getByRole('banner').getByText('30,000', { exact: false }).waitFor()

  await page.getByRole('link', { name: 'Close notice' }).click()
  await vi.waitFor(() => expect(page.url()).not.toMatch(/checkout|session/))
  expect(await page.getByText(/credits added/).count()).toBe(0)
})

test('a canceled checkout shows that nothing was charged', async () => {
  const page = await openBilling(owner)
  await page.getByRole('button', { name: 'Buy 1,000 credits' }).click()
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByText('Checkout canceled').waitFor()
  expect(pageOf(newest('cs_'))?.['status']).toBe('open')
})

test('a slow payment shows a notice and adds the credits later', async () => {
  const page = await onePage(owner.context)
  await page.clock.install()
  await page.goto('/app/billing')
  await loaded(page)
  await page.getByRole('button', { name: 'Buy 1,000 credits' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByText('Payment received').waitFor()
  await page.clock.fastForward('02:10')
  await page.getByText('Payment is taking longer than usual').waitFor()
  expect(await shop.tell({ type: 'checkout.session.async_payment_succeeded', object: { id: newest('cs_') } })).toBe(200)
  await page.clock.fastForward('00:31')
  await page.getByText('1,000 credits added').waitFor()
})

test('a subscription changes the plan, a second one is not offered, and the billing portal opens', async () => {
  const buyer = await signUpUser(browser, shop, { name: 'Mary Shelley', organisation: 'Geneva' })
  const [page, other] = [await openBilling(buyer), await openBilling(buyer)]
  expect(await page.getByRole('button', { name: 'Open billing portal' }).count()).toBe(0)
  await other.getByRole('button', { name: 'Choose Starter' }).click()
  await other.getByRole('heading', { name: 'Pay for price_starter' }).waitFor()
  Object.assign(pageOf(newest('cs_')) ?? {}, { created: 0 }) // opened long before the next one
  await page.getByRole('button', { name: 'Choose Growth' }).click()
  await page.getByRole('heading', { name: 'Pay for price_growth' }).waitFor()
  await other.getByRole('button', { name: 'Pay', exact: true }).click()
  await other.getByRole('heading', { name: 'This page has expired' }).waitFor()

  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByText('The plan is activated within a minute.').waitFor()
  const id = newest('sub_')
  expect(await shop.tell({ type: 'customer.subscription.created', object: { id } })).toBe(200)
  await page.getByText('Plan changed to Growth').waitFor()
  await page.getByText('€99.00 per month, credits not included.').waitFor()
  await page.getByText(/^To change or cancel the plan/).waitFor()
  expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
  await page.getByRole('listitem').filter({ hasText: 'Growth' }).getByText('Current plan').waitFor()

  await page.getByRole('button', { name: 'Open billing portal' }).click()
  await page.getByRole('heading', { name: 'Your payments' }).waitFor()
})

test('a disputed payment is shown as a debt', async () => {
  const buyer = await signUpUser(browser, shop, { name: 'Ada Byron', organisation: 'Ockham' })
  const page = await openBilling(buyer)
  await page.getByRole('button', { name: 'Buy 1,000 credits' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  const session = newest('cs_')
  expect(await shop.tell({ type: 'checkout.session.completed', object: { id: session } })).toBe(200)
  await page.getByText('1,000 credits added').waitFor()
  expect(await page.getByText(/owed/).count()).toBe(0)

  await asOwner(shop.db, (trx) =>
    sql`update accounts set debt = 300 where id = (select account_id from payments where reference = ${session})`.execute(
      trx,
    ),
  )
  await (await openBilling(buyer)).getByText('300 credits owed').waitFor()
})

test('a viewer sees the prices and the roles that can buy', async () => {
  const page = await openBilling(viewer)
  await page.getByText('You need the role owner or admin to buy plans and credits.').waitFor()
  await page.getByText('€19.00 per month').waitFor()
  expect(await page.getByRole('button', { name: /^(Buy|Choose)/ }).count()).toBe(0)
})

test('every plan has the same rows in the same order', async () => {
  const page = await openBilling(owner)
  const plans = page.getByRole('list', { name: 'Plans' }).getByRole('listitem')
  const rows = await plans.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('dt')].map((name) => name.textContent)),
  )
  expect(rows).toHaveLength(2)
  expect(rows[0]).toHaveLength(6)
  expect(rows[1]).toEqual(rows[0])
})

test('the page says when billing is not enabled and whom to contact', async () => {
  const page = await openBilling(operatorsGuest)
  await page.getByRole('heading', { name: 'Billing is not enabled' }).waitFor()
  await page.getByText(/^Credits are granted by the operator/).waitFor()
})

test('the page shows an error when the payment provider is unavailable', async () => {
  const page = await onePage(owner.context, { allows: /status of 503/ })
  await page.goto('/app/billing')
  await loaded(page)
  shop.stripe.state.isAway = true
  await page.getByRole('button', { name: 'Choose Starter' }).click()
  await page.getByText(/^The payment provider is unavailable/).waitFor()
  shop.stripe.state.isAway = false
  expect(page.url()).toMatch(/\/app\/billing$/)
})

test('credits can be bought with the keyboard alone', async () => {
  const page = await openBilling(owner)
  await page.getByRole('radio', { name: '1,000 credits' }).first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.getByText('20,000 credits: €98.00').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pay for price_large' }).waitFor()
})

testCases([{ what: 'plans and credits', as: owner.context, path: '/app/billing' }])
