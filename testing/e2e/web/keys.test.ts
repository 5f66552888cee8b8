import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { onePage, startBrowser } from '../browser/browser.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const SOON = { timeout: 15_000 }
const run = promisify(execFile)
const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)

async function openKeys(person: TestUser = owner, path = '/app/keys'): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(path)
  await page
    .getByRole('heading', { name: /API key/ })
    .first()
    .waitFor()
  return page
}

/** Fills in the form and returns the secret that is shown. */
async function createKey(page: Page, name: string, mode: 'Live' | 'Test' = 'Live'): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('radio', { name: mode, exact: true }).check()
  await form.getByRole('button', { name: 'Create key' }).click()
  return page.getByRole('dialog', { name: 'Your new key' }).getByLabel(name).inputValue()
}

async function closeSaved(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy key', exact: true }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page
    .getByRole('button', { name: `Actions for ${name}` })
    .first()
    .click()
  await page.getByRole('menuitem', { name: action }).click()
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

async function useKey(key: string): Promise<{ status: number; code: string | undefined }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'valid@example.com' })
  const answer = await fetch(`${instance.api.url}/api/v1/validation/single`, { method: 'POST', headers, body })
  return { status: answer.status, code: ((await answer.json()) as { code?: string }).code }
}

test('5.2 the keys page creates a key with the entered name, and its example code runs without changes', async () => {
  const page = await openKeys()
  const key = await createKey(page, 'Sign-up form, Zürich', 'Test')
  expect(key).toMatch(/^pb_test_/)
  const command = await page.getByRole('dialog').locator('pre').first().textContent()
  const { stdout } = await run('sh', ['-c', `${command} -sS`])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'valid', livemode: false })

  await page.keyboard.press('Control+C') // the field has the focus, and the whole key is selected
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await page.getByRole('button', { name: 'Done' }).click()
  await row(page, 'Sign-up form, Zürich').getByText('Test', { exact: true }).waitFor()
  await vi.waitFor(
    async () => {
      await page.reload()
      await row(page, 'Sign-up form, Zürich').getByText('In use').waitFor({ timeout: 5_000 })
    },
    { timeout: 40_000, interval: 500 },
  )
})

test('the secret is in no storage, URL, history or markup once the dialog is closed', async () => {
  const page = await openKeys()
  const key = await createKey(page, 'Nowhere else')
  await closeSaved(page)
  await row(page, 'Nowhere else').waitFor()
  const secret = key.slice('pb_live_'.length, -4)
  const left = await page.evaluate(async () => {
    const databases = (await indexedDB.databases()).map(({ name }) => name)
    const { href } = window.location
    const fields = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value)
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, href, databases, fields])
  })
  expect(left).not.toContain(secret)
  expect(await page.content()).not.toContain(secret)
  await page.goBack()
  await page.goForward()
  expect(await page.content()).not.toContain(secret)
})

test('the dialog of a new key asks for confirmation before it closes by Esc, a click outside or the close button', async () => {
  const page = await openKeys()
  await createKey(page, 'Guarded')
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const question = dialog.getByText('You will not see this key again')
  const ways = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
    () => dialog.getByRole('button', { name: 'Done' }).click(),
  ]
  for (const leave of ways) {
    await leave()
    await question.waitFor()
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await question.waitFor({ state: 'detached' })
  }
  const isGuarded = () => page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))
  expect(await isGuarded()).toBe(true)
  await dialog.getByLabel('I saved the key').check()
  expect(await isGuarded()).toBe(false)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('a paused key is rejected until it is resumed; a revoked key is rejected permanently', async () => {
  const page = await openKeys()
  const key = await createKey(page, 'To and fro', 'Test')
  await closeSaved(page)
  expect(await useKey(key)).toMatchObject({ status: 200 })
  await act(page, 'To and fro', 'Pause')
  await row(page, 'To and fro').getByText('Paused').waitFor()
  await vi.waitFor(async () => expect(await useKey(key)).toEqual({ status: 403, code: 'paused_api_key' }), SOON)
  await act(page, 'To and fro', 'Resume')
  await row(page, 'To and fro').getByText('Active').waitFor()
  await vi.waitFor(async () => expect(await useKey(key)).toMatchObject({ status: 200 }), SOON)

  await vi.waitFor(
    async () => {
      await page.reload()
      await row(page, 'To and fro').getByText('In use').waitFor({ timeout: 5_000 })
    },
    { timeout: 40_000, interval: 500 },
  )
  await act(page, 'To and fro', 'Revoke')
  const question = page.getByRole('alertdialog', { name: 'Revoke “To and fro”?' })
  await question.getByText(/It was last used/).waitFor()
  const confirm = question.getByRole('button', { name: 'Revoke key' })
  expect(await confirm.isDisabled()).toBe(true) // in use, so its name must be typed
  await question.getByRole('textbox').fill('To and fro')
  await confirm.click()
  await row(page, 'To and fro').waitFor({ state: 'detached' })
  await vi.waitFor(async () => expect(await useKey(key)).toEqual({ status: 401, code: 'revoked_api_key' }), SOON)
  await page.getByLabel(/^Show expired and revoked keys/).check()
  await row(page, 'To and fro').getByText('Revoked', { exact: true }).waitFor()
  expect(page.url()).toContain('ended=true')
})

test('a rotated key and its successor both work until the old key expires, and both are listed', async () => {
  const page = await openKeys()
  const old = await createKey(page, 'Turning', 'Test')
  await closeSaved(page)
  await act(page, 'Turning', 'Rotate')
  const dialog = page.getByRole('dialog', { name: 'Rotate “Turning”' })
  expect(await dialog.getByLabel('Old key expires').inputValue()).toBe('86400')
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  const fresh = await page.getByRole('dialog', { name: 'Your new key' }).getByLabel('Turning').inputValue()
  expect(fresh).not.toBe(old)
  await closeSaved(page)
  await row(page, 'Turning').nth(1).waitFor()
  expect(await row(page, 'Turning').filter({ hasText: 'Rotated' }).count()).toBe(1)
  const times = row(page, 'Turning').filter({ hasText: 'Rotated' }).locator('time')
  const shown = await times.evaluateAll((all) => all.map((time) => Date.parse(time.getAttribute('datetime') ?? '')))
  const expiresInHours = (Math.max(...shown) - Date.now()) / 3_600_000
  expect(expiresInHours).toBeGreaterThan(23)
  expect(expiresInHours).toBeLessThanOrEqual(24)
  expect([await useKey(old), await useKey(fresh)]).toMatchObject([{ status: 200 }, { status: 200 }])

  await act(page, `Turning, ${fresh.slice(0, 8)}…${fresh.slice(-4)}`, 'Rotate')
  await dialog.getByLabel('Old key expires').selectOption('0')
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await closeSaved(page)
  await vi.waitFor(async () => expect(await useKey(fresh)).toEqual({ status: 401, code: 'expired_api_key' }), SOON)
})

test('the limits dialog shows and changes limits and reports errors at the field', async () => {
  const page = await openKeys()
  await createKey(page, 'Within bounds')
  await closeSaved(page)
  await act(page, 'Within bounds', 'Change limits')
  const dialog = page.getByRole('dialog', { name: 'Limits of “Within bounds”' })
  await dialog.getByLabel(/^Allowed IP addresses/).fill('192.0.2.0/24\nnot an address')
  await dialog.getByLabel(/^Monthly cap/).fill('5000')
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  const fault = dialog.getByRole('group').getByRole('button')
  expect(await fault.textContent()).toContain('IP address or a CIDR range')
  await fault.click()
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  expect(await dialog.getByLabel(/^Allowed IP addresses/).inputValue()).toBe('192.0.2.0/24\nnot an address')

  await dialog.getByLabel(/^Allowed IP addresses/).fill('192.0.2.0/24\n2001:db8::7')
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row(page, 'Within bounds').getByText('2 IP addresses').waitFor()
  await row(page, 'Within bounds').getByText('5,000 credits/month').waitFor()
})

test('a key can be created with the keyboard alone', async () => {
  const page = await openKeys()
  await page.getByRole('button', { name: 'Create key' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('By hand') // the name has the focus
  await page.keyboard.press('Enter')
  const field = page.getByRole('dialog', { name: 'Your new key' }).getByLabel('By hand')
  await field.waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter') // copies it
  await page.getByText('Copied', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row(page, 'By hand').waitFor()
})

test('the key form reports errors above the form and at the field, and keeps the input', async () => {
  const page = await openKeys(owner, '/app/keys?create=true')
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel(/^Monthly cap/).fill('many')
  await form.getByRole('button', { name: 'Create key' }).click()
  const summary = form.getByRole('group', { name: /^Please fix \d fields/ })
  await summary.waitFor()
  expect(await summary.getByRole('button').allTextContents()).toEqual([
    'Enter a name for the key.',
    'Enter a whole number of credits.',
  ])
  expect(await form.getByLabel(/^Monthly cap/).inputValue()).toBe('many')
})

test('a viewer sees which roles can manage keys', async () => {
  const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
  const page = await openKeys(viewer)
  await page.getByText('This requires the role owner, admin or developer.').waitFor()
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
})

test('the key table shows the scopes that were chosen one by one', async () => {
  const page = await openKeys(owner, '/app/keys?create=true')
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel('Name').fill('Nightly import')
  await form.getByRole('radio', { name: 'Custom' }).check()
  await form.getByRole('checkbox', { name: 'Validate addresses', exact: true }).uncheck()
  await form.getByRole('checkbox', { name: 'Manage lists' }).check()
  await form.getByRole('checkbox', { name: 'Read keys' }).check()
  await form.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
  await closeSaved(page)
  await row(page, 'Nightly import').getByText('Manage lists, read keys').waitFor()
})

test('only test keys are offered in test mode', async () => {
  const page = await openKeys(owner, '/app/keys?mode=test&create=true')
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.waitFor()
  expect(await form.getByRole('radio', { name: 'Live', exact: true }).count()).toBe(0)
  expect(await form.getByRole('radio', { name: 'Test', exact: true }).isChecked()).toBe(true)
})
