import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { NewKey } from '@probity/database/accounts/keys'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { onePage, startBrowser } from '../browser/browser.ts'
import { hasFocus } from '../browser/keyboard.ts'
import { createApiClient, startInstance } from '../environment/instance.ts'

/** A customer's site on another origin than the service. Its form is connected to the service by a script tag only. */
const port = await freePort()
const SITE = `http://localhost:${port}`
const instance = await startInstance()
const browser = await startBrowser()
const pageKey = {
  mode: 'test',
  kind: 'publishable',
  scopes: ['validations:write'],
  visitorCap: 1_000,
} satisfies Partial<NewKey>
const apiClient = await createApiClient(instance, { key: { ...pageKey, allowedOrigins: [SITE] } })
const SERVICE = instance.api.url

/** The strictest policy of a site: it allows only this script and requests to this service. */
const POLICY = `default-src 'none'; script-src ${SERVICE}; connect-src ${SERVICE}; form-action 'self'; img-src data:`

/** The script tag of the guide. */
const GUIDE = readFileSync(fileURLToPath(new URL('../../../docs/guides/sign-up-form.md', import.meta.url)), 'utf8')
const [, TAG = ''] = /<!-- test: form -->\s*```html\n(.*?)```/s.exec(GUIDE) ?? []

function signUpPage(): string {
  return `<!doctype html><html lang="en"><title>Sign up</title><link rel="icon" href="data:,">
    <main><h1>Sign up</h1>
      <form action="/welcome"><label>Email <input type="email" name="email"></label>
        <label>Name <input name="name"></label><button>Sign up</button></form></main>
    ${TAG.replace('https://probity.example.com', SERVICE).replace('pb_pub_…', apiClient.key)}</html>`
}

const site = createServer((request, response) => {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }
  const isWelcome = request.url?.startsWith('/welcome')
  response.writeHead(200, headers).end(isWelcome ? '<!doctype html><title>Welcome</title>' : signUpPage())
})
await new Promise<void>((resolve) => site.listen(port, '127.0.0.1', resolve))
whenDone(() => site.close())

/** Without test headers: they would cause CORS preflight requests. */
const context = await browser.newContext()
context.setDefaultTimeout(15_000)

async function openForm(allows?: RegExp) {
  const page = await onePage(context, allows ? { allows } : {})
  await page.goto(SITE)
  return { page, email: page.getByLabel('Email'), message: page.getByRole('status') }
}

const welcomed = (page: Page) => page.waitForURL(/\/welcome/)

test('a typo suggestion is announced and can be accepted with the keyboard', async () => {
  const { page, email, message } = await openForm()
  await email.focus()
  await page.keyboard.type('typo@gmial.com')
  await page.keyboard.press('Tab')
  const button = message.getByRole('button', { name: 'typo@gmail.com' })
  await button.waitFor()
  expect(await message.textContent()).toMatch(/Did you mean typo@gmail\.com\?$/)
  expect(await email.getAttribute('aria-describedby')).toBe(await message.getAttribute('id'))
  await expectAccessible(page)

  await page.keyboard.press('Shift+Tab')
  expect(await hasFocus(button)).toBe(true)
  await page.keyboard.press('Enter')
  expect(await email.inputValue()).toBe('typo@gmail.com')
  expect(await hasFocus(email)).toBe(true)
  expect(await message.textContent()).toBe('')
})

test('a disposable address is blocked with a message and another address is allowed', async () => {
  const { page, email, message } = await openForm()
  await email.fill('disposable@example.com')
  await email.press('Enter')
  await vi.waitFor(
    async () => expect(await message.textContent()).toBe('Disposable email addresses are not accepted.'),
    5_000,
  )
  expect(await email.getAttribute('aria-invalid')).toBe('true')
  await email.press('Enter')
  await page.getByRole('button', { name: 'Sign up' }).click()
  expect(page.url()).toBe(`${SITE}/`)

  await email.fill('valid@example.com')
  expect(await message.textContent()).toBe('')
  expect(await email.getAttribute('aria-invalid')).toBeNull()
  await email.press('Enter')
  await welcomed(page)
  expect(new URL(page.url()).searchParams.get('email')).toBe('valid@example.com')
})

test('an address without a mailbox is allowed, so that the form does not reveal whether a mailbox exists', async () => {
  const { page, email } = await openForm()
  await email.fill('mailbox-not-found@example.com')
  await email.press('Enter')
  await welcomed(page)
})

test.each(['slow-5s', 'error-402', 'error-429', 'error-500', 'error-503'])(
  'the form is submitted when the service is slow or responds with an error: %s',
  { tags: ['timed'] },
  async (local) => {
    const { page, email } = await openForm(/Failed to load resource|CORS/)
    await email.fill(`${local}@example.com`)
    const began = performance.now()
    await email.press('Enter')
    await welcomed(page)
    expect(performance.now() - began).toBeLessThan(4_000)
  },
)

test('form.js is small, served to all origins, and immutable when requested by version', async () => {
  const built = readFileSync(fileURLToPath(new URL('../../../apps/web/dist/form.js', import.meta.url)))
  const plain = await fetch(`${SERVICE}/form.js`)
  const text = Buffer.from(await plain.arrayBuffer())
  expect(text.equals(built)).toBe(true)
  expect(text.length).toBeLessThan(5_000)
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(plain.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(plain.headers.get('cache-control')).toBe('public, max-age=3600')
  const version = plain.headers.get('etag')?.replaceAll('"', '')
  const versioned = await fetch(`${SERVICE}/form.js?v=${version}`)
  expect(versioned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const other = await fetch(`${SERVICE}/form.js?v=0123456789abcdef`)
  expect(other.headers.get('cache-control')).toBe('public, max-age=3600')
})

// The last test, because it stops the service.
test('the form is submitted when the service is down', async () => {
  const { page, email, message } = await openForm(/Failed to load resource|CORS/)
  await email.focus()
  await instance.api.stop()
  await email.fill('disposable@example.com')
  await email.press('Enter')
  await welcomed(page)
  expect(await message.count()).toBe(0)
})
