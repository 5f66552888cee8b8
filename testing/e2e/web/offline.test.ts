import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { heading, signUpUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

/** The web app on a device that loses its network. */
const instance = await useSharedInstance()
const browser = await startBrowser()

/** Chromium reports each request that fails without a network. */
const OFFLINE = /net::ERR_INTERNET_DISCONNECTED|Failed to fetch|net::ERR_FAILED/

async function openOffline(path: string) {
  const { context } = await signUpUser(browser, instance)
  const page = await onePage(context, { allows: OFFLINE })
  await page.goto(path)
  await loaded(page)
  return { context, page }
}

test('a navigation link whose script cannot be loaded keeps the page and its form, and Retry opens it later', async () => {
  const { context, page } = await openOffline('/app/validate?mode=test')
  const field = page.getByLabel('Email address')
  await field.fill('unsent@example.com')
  const url = page.url()
  await context.setOffline(true)
  const bar = page.getByRole('status').filter({ hasText: 'You are offline.' })
  await bar.waitFor()

  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await bar.getByText('The page could not be loaded.').waitFor()
  expect([page.url(), await field.inputValue()]).toEqual([url, 'unsent@example.com'])

  // Still offline: nothing is lost by trying again.
  await bar.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => page.url()).toBe(url)
  await bar.getByText('The page could not be loaded.').waitFor()
  expect(await field.inputValue()).toBe('unsent@example.com')

  await context.setOffline(false)
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await heading(page, 'Webhooks').waitFor()
})

test('a navigation fails in place while the service is down, and Retry opens the page when it is back', async () => {
  const { page } = await openOffline('/app/validate?mode=test')
  await page.getByLabel('Email address').fill('unsent@example.com')
  const isDown = (url: URL) => url.pathname.startsWith('/app/assets/') || url.pathname === '/livez'
  await page.route(isDown, (route) => route.abort())
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  const bar = page.getByRole('status').filter({ hasText: 'The service cannot be reached.' })
  await bar.waitFor()
  expect(await page.getByLabel('Email address').inputValue()).toBe('unsent@example.com')
  await page.unroute(isDown)
  await bar.getByRole('button', { name: 'Retry' }).click()
  await heading(page, 'Webhooks').waitFor()
  await bar.waitFor({ state: 'detached' })
})

test('pages open offline once their scripts are prefetched', async () => {
  const { context, page } = await openOffline('/app/validate?mode=test')
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /assets\/UsagePage-/.test(name)),
  )
  // One of the last routes: those before it have arrived.
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.waitForURL(/\/app\/webhooks/)
  await heading(page, 'Webhooks').waitFor()
})
