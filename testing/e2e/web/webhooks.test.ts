import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { startReceivingInstance } from '../environment/open-instance.ts'

const NAME = 'hooks.journey.example'
const SOON = { timeout: 15_000, interval: 100 }
const instance = await startReceivingInstance(NAME)
const { receiver } = instance
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)

async function openWebhooks(person: TestUser = owner, path = '/app/webhooks'): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(path)
  await page.locator('h1').waitFor() // not found by role while a dialog is open
  return page
}

const urlOf = (path: string) => `https://${NAME}/${path}`

/** Fills the form, saves the secret, and ends on the page of the new webhook. */
async function createWebhook(page: Page, path: string, events: string[] = []): Promise<string> {
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  await form.getByLabel('URL').fill(urlOf(path))
  if (events.length > 0) await form.getByRole('radio', { name: 'Selected events' }).check()
  for (const event of events) await form.getByRole('checkbox', { name: event }).check()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  return saveSecret(page, 'Your new webhook')
}

async function saveSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title })
  const secret = await dialog.getByLabel(/^Signing secret for/).inputValue()
  await dialog.getByRole('button', { name: 'Copy secret', exact: true }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

/** Creates a webhook by API and opens its page. */
async function openNew(path: string, settings: object = {}): Promise<Page> {
  const made = await owner.sendRequest('POST', '/webhooks', { url: urlOf(path), ...settings })
  expect(made.status).toBe(201)
  const page = await openWebhooks(owner, `/app/webhooks/${made.body['id']}`)
  await page.getByRole('heading', { name: urlOf(path) }).waitFor()
  return page
}

/** Sets the response for one path: every test uses its own. */
function answer(path: string, status: number): void {
  answers.set(`/${path}`, status)
  receiver.answer((received) => answers.get(received.path) ?? 200)
}
const answers = new Map<string, number>()

const receivedAt = (path: string) => receiver.received.filter((one) => one.path === `/${path}`)
const sendTest = (page: Page) => page.getByRole('button', { name: 'Send test event' }).click()
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('a new webhook shows its secret once and receives a signed test event', async () => {
  const page = await openWebhooks()
  await page.getByText('No webhooks yet').waitFor()
  const secret = await createWebhook(page, 'first', ['job.completed', 'credits.low'])
  await page.getByRole('heading', { name: urlOf('first') }).waitFor()
  await page.getByText('No deliveries yet').waitFor()
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered', { exact: true }).waitFor()

  const [received] = receivedAt('first')
  const { headers = {}, body = '' } = received ?? {}
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test', livemode: true })

  await page.getByRole('link', { name: 'webhook.test' }).click()
  const drawer = page.getByRole('dialog', { name: 'webhook.test' })
  await drawer.getByText(String(headers['webhook-id'])).first().waitFor()
  await row(page, '200').getByLabel('Accepted', { exact: true }).waitFor()
  const shown = await drawer.getByRole('region', { name: 'Body' }).textContent()
  expect(JSON.parse(String(shown))).toEqual(JSON.parse(body))
  await drawer.getByRole('button', { name: 'Copy raw body' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(body)

  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const listed = row(page, urlOf('first'))
  await listed.getByText('job.completed, credits.low').waitFor()
  await listed.getByText('Enabled').waitFor()
  await listed.getByText('Delivered', { exact: true }).waitFor()
})

test('the secret is not stored after its dialog closes, and closing asks for confirmation', async () => {
  const page = await openWebhooks(owner, '/app/webhooks?create=true')
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  await form.getByLabel('URL').fill(urlOf('nowhere-else'))
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new webhook' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByText('You will not see this secret again').waitFor()
  await dialog.getByRole('button', { name: 'Stay' }).click()

  const secret = await saveSecret(page, 'Your new webhook')
  await page.getByRole('heading', { name: urlOf('nowhere-else') }).waitFor()
  const left = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, window.location.href]),
  )
  expect(left).not.toContain(secret.slice('whsec_'.length))
  expect(await page.content()).not.toContain(secret)
  await page.goBack()
  expect(await page.content()).not.toContain(secret)
})

test('a failed delivery shows its response and succeeds when it is resent', async () => {
  answer('fails', 503)
  const page = await openNew('fails')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Retrying').waitFor()
  await page.getByText('Deliveries to this webhook are failing').waitFor()
  await page.getByRole('link', { name: 'webhook.test' }).click()
  const drawer = page.getByRole('dialog', { name: 'webhook.test' })
  await drawer.getByRole('row').filter({ hasText: '503' }).first().getByLabel('Not accepted').waitFor()

  answer('fails', 200)
  await drawer.getByRole('button', { name: 'Resend delivery' }).click()
  await drawer.getByText('Delivered').waitFor()
  await drawer.getByRole('row').filter({ hasText: '200' }).getByLabel('Accepted', { exact: true }).first().waitFor()
  const ids = receivedAt('fails').map(({ headers }) => headers['webhook-id'])
  expect(ids.length).toBeGreaterThanOrEqual(2)
  expect(new Set(ids).size).toBe(1)
  await page.getByText('Deliveries to this webhook are failing').waitFor({ state: 'detached' })
})

test('a disabled webhook shows the reason, and failed deliveries can be resent after it is enabled', async () => {
  answer('to-and-fro', 500)
  const page = await openNew('to-and-fro')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Retrying').waitFor()
  await choose(page, 'Disable')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable webhook' }).click()
  await page.getByText('Disabled by a member.').waitFor()
  await row(page, 'webhook.test').getByText('Failed', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Resend failed deliveries' }).isDisabled()).toBe(true)

  const before = receivedAt('to-and-fro').length
  answer('to-and-fro', 204)
  await page.getByRole('button', { name: 'Enable webhook' }).click()
  await page.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resend deliveries' }).click()
  await page.getByText('1 delivery resent.').waitFor()
  await row(page, 'webhook.test').getByText('Delivered', { exact: true }).waitFor()
  expect(receivedAt('to-and-fro').length).toBe(before + 1)
})

test('a webhook disabled by a 410 response shows the reason', async () => {
  answer('gone', 410)
  const page = await openNew('gone')
  await sendTest(page)
  await page.getByText('The endpoint returned 410 Gone').waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const listed = row(page, urlOf('gone'))
  await listed.getByText('Disabled').waitFor()
  await listed.getByText('The endpoint returned 410 Gone').waitFor()
})

test('the filters and the open delivery are part of the URL', async () => {
  const page = await openNew('filtered')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered', { exact: true }).waitFor()
  await page.getByLabel('Status', { exact: true }).selectOption('Failed')
  await page.getByText('No deliveries match these filters').waitFor()
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
  await page.getByRole('button', { name: 'Show all deliveries' }).click()
  await page.getByLabel('Event', { exact: true }).selectOption('webhook.test')
  await page.getByRole('link', { name: 'webhook.test' }).click()
  await page.getByRole('dialog', { name: 'webhook.test' }).waitFor()

  const colleague = await openWebhooks(owner, page.url())
  await colleague.getByRole('dialog', { name: 'webhook.test' }).getByText('Delivered').waitFor()
  await colleague.keyboard.press('Escape')
  await colleague.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await colleague.getByLabel('Event', { exact: true }).inputValue()).toBe('webhook.test')
})

test('events are signed with both secrets after a rotation', async () => {
  const page = await openWebhooks()
  const before = await createWebhook(page, 'rotated')
  await choose(page, 'Rotate secret')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  const after = await saveSecret(page, 'New signing secret')
  expect(after).not.toBe(before)
  await page.getByText(/2 active signing secrets until .+/).waitFor()
  await sendTest(page)
  await vi.waitFor(() => expect(receivedAt('rotated').length).toBe(1), SOON)
  const [received] = receivedAt('rotated')
  for (const secret of [before, after]) {
    expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toBeDefined()
  }
})

test('a webhook can be edited, and deleted only after its host is typed', async () => {
  const page = await openNew('changed', { description: 'Before' })
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit webhook' })
  await form.getByLabel('Description').fill('After')
  await form.getByRole('radio', { name: 'Selected events' }).check()
  await form.getByRole('button', { name: 'Save webhook' }).click()
  await form.getByRole('group', { name: 'Please fix 1 field.' }).getByText('Choose at least one event.').waitFor()
  await form.getByRole('checkbox', { name: 'key.revoked' }).check()
  await form.getByRole('button', { name: 'Save webhook' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('After', { exact: true }).waitFor()
  await page.getByText('key.revoked', { exact: true }).first().waitFor()

  await choose(page, 'Delete webhook')
  const dialog = page.getByRole('alertdialog')
  const confirm = dialog.getByRole('button', { name: 'Delete webhook' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type/).fill(NAME)
  await confirm.click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await row(page, urlOf('changed')).waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByText('Webhook not found').waitFor()
})

test('a URL that is not allowed is rejected at its field with the API error', async () => {
  const page = await openWebhooks(owner, '/app/webhooks?create=true')
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  const field = form.getByLabel('URL')
  for (const [url, fault] of [
    ['http://hooks.example.com/', 'Enter a URL that starts with https://.'],
    ['https://127.0.0.1/', 'It must name a host, not an address.'],
  ] as const) {
    await field.fill(url)
    await form.getByRole('button', { name: 'Create webhook' }).click()
    await form.getByRole('group').getByRole('button', { name: fault, exact: true }).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.inputValue()).toBe(url)
  }
})

test('webhooks of test mode and live mode are separate', async () => {
  const page = await openWebhooks(owner, '/app/webhooks?mode=test')
  await page.getByText('No webhooks in test mode yet').waitFor()
  await createWebhook(page, 'sandbox')
  await page.getByRole('heading', { name: urlOf('sandbox') }).waitFor()
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered', { exact: true }).waitFor()
  expect(JSON.parse(receivedAt('sandbox')[0]?.body ?? '{}')).toMatchObject({ livemode: false })
  const live = await openWebhooks(owner, new URL(page.url()).pathname)
  await live.getByText('Webhook not found').waitFor()
})

test('a viewer sees which roles can manage webhooks', async () => {
  const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
  for (const path of ['/app/webhooks', `/app/webhooks/${viewer.accountId}`]) {
    const page = await openWebhooks(viewer, path)
    await page.getByText('This requires the role owner, admin or developer.').waitFor()
    expect(await page.getByRole('button', { name: 'Create webhook' }).count()).toBe(0)
  }
})

test('narrow screens show webhooks in the More menu and as cards', async () => {
  const made = await owner.sendRequest('POST', '/webhooks', { url: urlOf('on-a-phone') })
  expect(made.status).toBe(201)
  const page = await onePage(owner.context, { width: 390, height: 844 })
  await page.goto('/app/lists')
  await loaded(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Webhooks' }).click()
  const card = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem').filter({ hasText: 'on-a-phone' })
  await card.getByText('No deliveries yet').waitFor()
  await card.getByRole('link').click()
  await page.getByRole('heading', { name: urlOf('on-a-phone') }).waitFor()
})

test('several deliveries are resent together, one is copied as curl, and the overview shows the success rate', async () => {
  const page = await openNew('together')
  for (let n = 0; n < 3; n++) {
    await sendTest(page)
    await vi.waitFor(() => expect(receivedAt('together').length).toBe(n + 1), SOON)
  }
  const boxes = page.getByRole('checkbox', { name: /^Select webhook\.test from/ })
  await vi.waitFor(async () => expect(await boxes.count()).toBe(3), SOON)
  await boxes.nth(0).check()
  await boxes.nth(2).check()
  await boxes.nth(1).check()
  await boxes.nth(1).uncheck()
  await page.getByRole('button', { name: 'Resend 2 deliveries' }).click()
  await page.getByText('2 deliveries resent.').waitFor()
  await vi.waitFor(() => expect(receivedAt('together').length).toBe(5), SOON)
  expect(await boxes.nth(0).isChecked()).toBe(false)

  await page.getByRole('link', { name: 'webhook.test' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).toContain(`curl '${urlOf('together')}'`)
  expect(command).toMatch(/-H 'webhook-signature: v1,.+ v1a,/)
  expect(command).toContain("--data-binary '{")

  const overview = await openWebhooks()
  await row(overview, urlOf('together')).getByText('100% of 3 delivered').waitFor()
})
