import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from './test-browser.ts'
import { startOpenReceiver } from './test-open-product.ts'
import { openPerson, type Person } from './test-people.ts'

const NAME = 'hooks.journey.example'
const SOON = { timeout: 15_000, interval: 100 }
const product = await startOpenReceiver(NAME)
const { receiver } = product
const browser = await startBrowser()
const owner = await openPerson(browser, product)

async function openWebhooks(person: Person = owner, path = '/app/webhooks'): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(path)
  await page.locator('h1').waitFor() // by its role it is not there while a dialog is open
  return page
}

const urlOf = (path: string) => `https://${NAME}/${path}`

/** Fills the form, saves the secret, and ends on the page of the new webhook. */
async function createWebhook(page: Page, path: string, events: string[] = []): Promise<string> {
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  await form.getByLabel('URL').fill(urlOf(path))
  if (events.length > 0) await form.getByRole('radio', { name: 'Chosen events' }).check()
  for (const event of events) await form.getByRole('checkbox', { name: event }).check()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  return saveSecret(page, 'Your new webhook')
}

async function saveSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title })
  const secret = await dialog.getByLabel(/^Secret of/).inputValue()
  await dialog.getByRole('button', { name: 'Copy the secret', exact: true }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

/** A webhook that was made beforehand, with its page open. */
async function openNew(path: string, settings: object = {}): Promise<Page> {
  const made = await owner.ask('POST', '/webhooks', { url: urlOf(path), ...settings })
  expect(made.status).toBe(201)
  const page = await openWebhooks(owner, `/app/webhooks/${made.body['id']}`)
  await page.getByRole('heading', { name: urlOf(path) }).waitFor()
  return page
}

/** Only this path is answered so: every test has one of its own. */
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

test('a webhook is made, its secret is shown once, and a test event that it signed arrives', async () => {
  const page = await openWebhooks()
  await page.getByText('No webhooks yet').waitFor()
  const secret = await createWebhook(page, 'first', ['job.completed', 'credits.low'])
  await page.getByRole('heading', { name: urlOf('first') }).waitFor()
  await page.getByText('Nothing was sent yet').waitFor()
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered').waitFor()

  const [received] = receivedAt('first')
  const { headers = {}, body = '' } = received ?? {}
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test', livemode: true })

  await page.getByRole('link', { name: 'webhook.test' }).click()
  const drawer = page.getByRole('dialog', { name: 'webhook.test' })
  await drawer.getByText(String(headers['webhook-id'])).first().waitFor()
  await row(page, '200').getByLabel('Taken', { exact: true }).waitFor()
  const shown = await drawer.getByRole('region', { name: 'Body' }).textContent()
  expect(JSON.parse(String(shown))).toEqual(JSON.parse(body))
  await drawer.getByRole('button', { name: 'Copy as it was sent' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(body)

  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const listed = row(page, urlOf('first'))
  await listed.getByText('job.completed, credits.low').waitFor()
  await listed.getByText('Enabled').waitFor()
  await listed.getByText('Delivered').waitFor()
})

test('the secret stays nowhere once its dialog is closed, which does not happen by accident', async () => {
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

test('what fails is told with its answer, and arrives when it is sent again', async () => {
  answer('fails', 503)
  const page = await openNew('fails')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Trying again').waitFor()
  await page.getByText('Nothing arrives at this webhook').waitFor()
  await page.getByRole('link', { name: 'webhook.test' }).click()
  const drawer = page.getByRole('dialog', { name: 'webhook.test' })
  await drawer.getByRole('row').filter({ hasText: '503' }).first().getByLabel('Not taken').waitFor()

  answer('fails', 200)
  await drawer.getByRole('button', { name: 'Send again' }).click()
  await drawer.getByText('Delivered').waitFor()
  await drawer.getByRole('row').filter({ hasText: '200' }).getByLabel('Taken', { exact: true }).first().waitFor()
  const ids = receivedAt('fails').map(({ headers }) => headers['webhook-id'])
  expect(ids.length).toBeGreaterThanOrEqual(2)
  expect(new Set(ids).size).toBe(1)
  await page.getByText('Nothing arrives at this webhook').waitFor({ state: 'detached' })
})

test('a disabled webhook says who disabled it; enabled again, it gets what failed', async () => {
  answer('to-and-fro', 500)
  const page = await openNew('to-and-fro')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Trying again').waitFor()
  await choose(page, 'Disable')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText('Somebody of the organisation switched it off.').waitFor()
  await row(page, 'webhook.test').getByText('Failed').waitFor()
  expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Recover what failed' }).isDisabled()).toBe(true)

  const before = receivedAt('to-and-fro').length
  answer('to-and-fro', 204)
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await page.getByRole('button', { name: 'Recover what failed' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1 delivery is sent again.').waitFor()
  await row(page, 'webhook.test').getByText('Delivered').waitFor()
  expect(receivedAt('to-and-fro').length).toBe(before + 1)
})

test('a receiver that wants nothing more is the reason that is shown', async () => {
  answer('gone', 410)
  const page = await openNew('gone')
  await sendTest(page)
  await page.getByText('Its receiver answered 410').waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const listed = row(page, urlOf('gone'))
  await listed.getByText('Disabled').waitFor()
  await listed.getByText('Its receiver answered 410').waitFor()
})

test('the filters and the open delivery stand in the address', async () => {
  const page = await openNew('filtered')
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered').waitFor()
  await page.getByLabel('Status', { exact: true }).selectOption('Failed')
  await page.getByText('No delivery is like that').waitFor()
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

test('after a rotation both secrets sign', async () => {
  const page = await openWebhooks()
  const before = await createWebhook(page, 'rotated')
  await choose(page, 'Rotate the secret')
  await page.getByRole('button', { name: 'Make the new secret' }).click()
  const after = await saveSecret(page, 'The new secret')
  expect(after).not.toBe(before)
  await page.getByText(/The new one and, until .+, the one before sign/).waitFor()
  await sendTest(page)
  await vi.waitFor(() => expect(receivedAt('rotated').length).toBe(1), SOON)
  const [received] = receivedAt('rotated')
  for (const secret of [before, after]) {
    expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toBeDefined()
  }
})

test('a webhook is changed and told of less, and deleted only when its host is typed', async () => {
  const page = await openNew('changed', { description: 'Before' })
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit the webhook' })
  await form.getByLabel('Description').fill('After')
  await form.getByRole('radio', { name: 'Chosen events' }).check()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('group', { name: 'One field needs a look.' }).getByText('Choose at least one event.').waitFor()
  await form.getByRole('checkbox', { name: 'key.revoked' }).check()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('After', { exact: true }).waitFor()
  await page.getByText('key.revoked', { exact: true }).first().waitFor()

  await choose(page, 'Delete this webhook')
  const dialog = page.getByRole('alertdialog')
  const confirm = dialog.getByRole('button', { name: 'Delete the webhook' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type/).fill(NAME)
  await confirm.click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await row(page, urlOf('changed')).waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByText('This webhook is not here').waitFor()
})

test('a URL that is not sent to is refused beside its field, in the words of the service', async () => {
  const page = await openWebhooks(owner, '/app/webhooks?create=true')
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  const field = form.getByLabel('URL')
  for (const [url, fault] of [
    ['http://hooks.example.com/', 'The URL begins with https:// and names a host.'],
    ['https://127.0.0.1/', 'It must name a host, not an address.'],
  ] as const) {
    await field.fill(url)
    await form.getByRole('button', { name: 'Create webhook' }).click()
    await form.getByRole('group').getByRole('button', { name: fault, exact: true }).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.inputValue()).toBe(url)
  }
})

test('webhooks of test mode are others than those of live mode', async () => {
  const page = await openWebhooks(owner, '/app/webhooks?mode=test')
  await page.getByText('No webhooks in test mode yet').waitFor()
  await createWebhook(page, 'sandbox')
  await page.getByRole('heading', { name: urlOf('sandbox') }).waitFor()
  await sendTest(page)
  await row(page, 'webhook.test').getByText('Delivered').waitFor()
  expect(JSON.parse(receivedAt('sandbox')[0]?.body ?? '{}')).toMatchObject({ livemode: false })
  const live = await openWebhooks(owner, new URL(page.url()).pathname)
  await live.getByText('This webhook is not here').waitFor()
})

test('who may not manage webhooks is told who may', async () => {
  const viewer = await openPerson(browser, product, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
  for (const path of ['/app/webhooks', `/app/webhooks/${viewer.accountId}`]) {
    const page = await openWebhooks(viewer, path)
    await page.getByText('This needs the role owner, admin or developer.').waitFor()
    expect(await page.getByRole('button', { name: 'Create webhook' }).count()).toBe(0)
  }
})

test('on a phone webhooks are behind “More”, and their fields in cards', async () => {
  const made = await owner.ask('POST', '/webhooks', { url: urlOf('on-a-phone') })
  expect(made.status).toBe(201)
  const page = await onePage(owner.context, { width: 390, height: 844 })
  await page.goto('/app/lists')
  await loaded(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Webhooks' }).click()
  const card = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem').filter({ hasText: 'on-a-phone' })
  await card.getByText('Nothing sent yet').waitFor()
  await card.getByRole('link').click()
  await page.getByRole('heading', { name: urlOf('on-a-phone') }).waitFor()
})

test('several deliveries are sent again together, one is copied as a command, and the overview says how much arrived', async () => {
  const page = await openNew('together')
  for (let n = 0; n < 3; n++) {
    await sendTest(page)
    await vi.waitFor(() => expect(receivedAt('together').length).toBe(n + 1), SOON)
  }
  const boxes = page.getByRole('checkbox', { name: /^Choose webhook\.test of/ })
  await vi.waitFor(async () => expect(await boxes.count()).toBe(3), SOON)
  await boxes.nth(0).check()
  await boxes.nth(2).check()
  await boxes.nth(1).check()
  await boxes.nth(1).uncheck()
  await page.getByRole('button', { name: 'Send 2 deliveries again' }).click()
  await page.getByText('2 deliveries are sent again.').waitFor()
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
  await row(overview, urlOf('together')).getByText('100% of 3 arrived').waitFor()
})
