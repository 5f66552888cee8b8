import { createServer } from 'node:http'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { choose, testCases } from '../browser/page-states.ts'
import { signUpUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const port = await freePort()
const SITE = `http://localhost:${port}`

/** A customer's site with the copied tag on its pages. */
let tag = ''
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Sign up</title><link rel="icon" href="data:,">
    <form action="/"><label>Email <input type="email" name="email"></label><button>Sign up</button></form>${tag}</html>`)
})
await new Promise<void>((resolve) => site.listen(port, '127.0.0.1', resolve))
whenDone(() => site.close())

async function openKeys(query = ''): Promise<Page> {
  const page = await onePage(owner.context)
  await page.goto(`/app/keys${query}`)
  await loaded(page)
  return page
}

async function make(page: Page, name: string, origins: string) {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill(name)
  await form.getByRole('radio', { name: 'Publishable key' }).check()
  await form.getByLabel('Allowed origins').fill(origins)
  await form.getByLabel('Allowed policies').fill('signup, newsletter')
  await form.getByRole('button', { name: 'Create key' }).click()
  return form
}

test('the script tag of a new publishable key works unchanged on a page of the allowed origin', async () => {
  const page = await openKeys('?mode=test')
  await make(page, 'Sign-up page', SITE)
  const shown = page.getByRole('dialog', { name: 'Embed code for “Sign-up page”' })
  const key = await shown.getByLabel('Publishable key').inputValue()
  expect(key).toMatch(/^pb_pub_[0-9A-Za-z]{38}$/)
  await shown.getByRole('button', { name: 'Copy: Script tag' }).click()
  tag = await page.evaluate(() => navigator.clipboard.readText())
  expect(tag).toBe(`<script src="${instance.api.url}/form.js" data-key="${key}" defer></script>`)
  // A publishable key is not secret, so the dialog closes without confirmation.
  await page.keyboard.press('Escape')
  await shown.waitFor({ state: 'detached' })
  await page
    .getByRole('row', { name: /^Sign-up page/ })
    .getByText('Publishable key')
    .waitFor()

  const visitor = await onePage(await browser.newContext())
  await visitor.goto(SITE)
  await visitor.getByLabel('Email').fill('disposable@example.com')
  await visitor.getByLabel('Email').press('Enter')
  await visitor.getByText('Disposable email addresses are not accepted.').waitFor()
})

test('a publishable key can be shown again with another policy, and its origins can be changed', async () => {
  const page = await openKeys('?mode=test')
  await make(page, 'Shop', 'https://shop.example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await choose(/^Actions for Shop/, 'Get embed code')(page)
  const shown = page.getByRole('dialog', { name: 'Embed code for “Shop”' })
  await shown.getByLabel('Policy').selectOption('newsletter')
  await shown.getByText('data-policy="newsletter"').waitFor()
  await shown.getByText('https://shop.example.com').waitFor()
  await shown.getByRole('button', { name: 'Done' }).click()

  await choose(/^Actions for Shop/, 'Change limits')(page)
  const limits = page.getByRole('dialog')
  await limits.waitFor()
  expect(await limits.getByLabel('Allowed IP addresses').count()).toBe(0)
  await limits.getByLabel('Allowed origins').fill('https://shop.example.com\nhttps://www.example.com')
  await limits.getByLabel('Requests per visitor per hour').fill('5')
  await limits.getByRole('button', { name: 'Save limits' }).click()
  const row = page.getByRole('row', { name: /^Shop/ })
  await row.getByText('2 origins').waitFor()
  await row.getByText('5 requests/hour per visitor').waitFor()
})

test.each([
  ['', 'Enter at least one origin.'],
  ['https://www.example.com/sign-up', 'https://www.example.com/sign-up is not an origin'],
  ['www.example.com', 'www.example.com is not an origin'],
])('origins %j are rejected at their field, and no key is created', async (origins, said) => {
  const before = (await owner.sendRequest('GET', '/keys')).text
  const page = await openKeys('?mode=test')
  const form = await make(page, 'Refused', origins)
  await form.locator('p').filter({ hasText: said }).first().waitFor()
  expect(await form.getByLabel('Allowed origins').getAttribute('aria-invalid')).toBe('true')
  expect((await owner.sendRequest('GET', '/keys')).text).toBe(before)
})

test('a publishable key can be created with the keyboard alone', async () => {
  const page = await openKeys('?mode=test')
  await page.getByRole('button', { name: 'Create key' }).first().focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.getByLabel('Allowed origins').waitFor()
  await page.keyboard.press('Tab') // past the mode
  await page.keyboard.press('Tab')
  await page.keyboard.type('https://www.example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Embed code for “By keyboard”' }).waitFor()
})

const live = { name: 'Landing page', type: 'publishable', allowed_origins: ['https://www.example.com'] }
expect(await owner.sendRequest('POST', '/keys', live)).toMatchObject({ status: 201 })

testCases([{ what: 'keys, with a publishable one', as: owner.context, path: '/app/keys' }])
