import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { callApi } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const newcomer = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })

const form = await makeKey(owner, 'Sign-up form')
const shop = await makeKey(owner, 'Shop')

async function makeKey(
  person: TestUser,
  name: string,
): Promise<(method: string, path: string, body?: object) => Promise<string>> {
  const made = await person.sendRequest('POST', '/keys', {
    name,
    livemode: true,
    scopes: ['validations:write', 'account:read'],
  })
  return async (method, path, body) => {
    const { headers } = await callApi(`${instance.api.url}/api/v1${path}`, method, body, {
      'x-api-key': String(made.body['key']),
    })
    return headers.get('request-id') ?? ''
  }
}

const found = await form('POST', '/validation/single', { email: 'ada@null-mx.example' })
const refused = await form('POST', '/validation/single', { email: 7 })
await shop('GET', '/bulk/jobs')
await vi.waitFor(async () => {
  const { body } = await owner.sendRequest('GET', '/requests')
  expect((body['data'] as object[]).length).toBe(3)
})

async function openRequests(person: TestUser, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app/requests${query}`)
  await loaded(page)
  return page
}

const rows = (page: Page) => page.getByRole('table', { name: 'Requests' }).locator('tbody tr')

test('a developer sees why a request was rejected and copies it as code', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/lists')
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
  await rows(page).first().waitFor()
  const texts = await rows(page).allInnerTexts()
  expect(texts.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^GET \/bulk\/jobs 403 missing_scope – Shop/),
    expect.stringMatching(/^POST \/validation\/single 400 invalid_request – Sign-up form/),
    expect.stringMatching(/^POST \/validation\/single 200 Invalid Sign-up form .* 1 /),
  ])
  await page.getByRole('link', { name: 'POST /validation/single' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'POST /api/v1/validation/single' })
  await drawer.getByText(refused).waitFor()
  const docs = drawer.getByRole('link', { name: 'Open error documentation' })
  expect(await docs.getAttribute('href')).toBe('/docs/errors#invalid_request')
  await drawer.getByRole('button', { name: 'Copy: Request as code, curl' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(`curl '${instance.api.url}/api/v1/validation/single'`)
  expect(copied).toContain('"X-API-Key: $PROBITY_API_KEY"')
  await drawer.getByRole('tab', { name: 'Python' }).click()
  await drawer.getByText('requests.request(').waitFor()
  await drawer.getByRole('tab', { name: 'curl' }).click()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  expect(page.url()).not.toContain('request=')
})

test('a pasted ID opens its request with the evidence, and a viewer does not see the address', async () => {
  const page = await openRequests(owner)
  await page.getByLabel('Request ID').fill('nothing')
  await page.getByRole('button', { name: 'Find request' }).click()
  await page.getByText('No request ID found').waitFor()
  await page.getByLabel('Request ID').fill(`{"request_id": "${found}"}`)
  await page.getByRole('button', { name: 'Find request' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('ada@null-mx.example').first().waitFor()

  const same = await onePage(viewer.context)
  await same.goto(new URL(page.url()).pathname + new URL(page.url()).search)
  await same.getByRole('dialog').getByText('The result has expired').waitFor()
  expect(await same.content()).not.toContain('ada@null-mx')

  const other = await openRequests(newcomer, `?request=${found}`)
  await other.getByRole('dialog').getByRole('heading', { name: 'Not found' }).waitFor()
})

test('filters are kept in the URL, and another member sees the same requests', async () => {
  const page = await openRequests(owner)
  await page.getByLabel('Status class').selectOption({ label: 'Client error (4xx)' })
  await page.waitForURL(/class=client_error/)
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(2))
  await page.getByLabel('Key', { exact: true }).selectOption({ label: 'Shop' })
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(1))
  const same = await openRequests(viewer, new URL(page.url()).search)
  expect(await rows(same).count()).toBe(1)
  await same.getByLabel('Status class').selectOption({ label: 'Server error (5xx)' })
  await same.getByRole('heading', { name: 'No requests match these filters' }).waitFor()
  await same.getByRole('button', { name: 'Show all requests' }).click()
  await vi.waitFor(async () => expect(await rows(same).count()).toBe(3))
})

test('new requests appear automatically until updates are paused', async () => {
  const person = await signUpUser(browser, instance, { name: 'Mary Shelley', organisation: 'Diodati' })
  const call = await makeKey(person, 'Novel')
  const page = await openRequests(person)
  await page.getByRole('heading', { name: 'No requests in live mode yet' }).waitFor()
  await call('GET', '/account')
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(1), 15_000)
  await page.getByRole('button', { name: 'Pause updates' }).click()
  await page.getByText('Updates paused.').waitFor()
  await call('GET', '/account')
  await vi.waitFor(
    async () => expect((await person.sendRequest('GET', '/requests')).text.match(/"id"/g)).toHaveLength(2),
    15_000,
  )
  await page.waitForTimeout(2_500) // longer than the polling interval
  expect(await rows(page).count()).toBe(1)
  await page.getByRole('button', { name: 'Resume updates' }).click()
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(2), 15_000)
})

test('the requests page works with the keyboard alone', async () => {
  const page = await openRequests(owner)
  await page.getByLabel('Status class').focus()
  await page.keyboard.press('ArrowDown') // a native select: the next choice
  await page.waitForURL(/class=success/)
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(1)) // the previous rows stay visible until then
  await page.getByRole('link', { name: 'POST /validation/single' }).first().focus()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog')
  await drawer.getByText(found).waitFor()
  expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await vi.waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('POST /validation/single'),
  )
})

testCases([
  { what: 'the requests', as: owner.context, path: '/app/requests' },
  {
    what: 'an open request with its evidence',
    as: owner.context,
    path: `/app/requests?request=${found}`,
    doing: (page) => page.getByRole('dialog').getByText('ada@null-mx.example').first().waitFor(),
  },
])
