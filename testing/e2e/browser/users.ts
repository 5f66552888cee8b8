import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { Instance } from '../environment/instance.ts'
import { openWindow } from './browser.ts'

export const PASSWORD = 'correct horse battery staple'

type RunningApi = { api: Pick<Instance['api'], 'url' | 'readLog'> }
type Role = 'owner' | 'admin' | 'developer' | 'marketer' | 'viewer'

export type Answer = { status: number; body: Record<string, unknown>; text: string }

/** A signed-in user with a browser context. */
export type TestUser = {
  name: string
  email: string
  context: BrowserContext
  /** URL of the web app. */
  url: string
  accountId: string
  slug: string
  /** Sends a request under /app/api as a page of the web app does, for the account of the user. */
  sendRequest(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
}

type UserOptions = {
  name?: string
  /** Name of the account that the user creates; null for none. */
  organisation?: string | null
  /** The inviting user and the role; the user then creates no account. */
  invitedBy?: TestUser
  role?: Role
}

/** Others have signed up before where the product is lent. */
const FILE = randomUUID().slice(0, 8)
let people = 0

/** A user who signed up, confirmed the address by the link, and created an account or was invited to one. */
export async function signUpUser(browser: Browser, instance: RunningApi, options: UserOptions = {}): Promise<TestUser> {
  const { name = 'Ada Lovelace', organisation = 'Analytical Engines', invitedBy, role = 'viewer' } = options
  people += 1
  const email = `person-${people}-${FILE}@people.example`
  const context = await openWindow(browser, instance)
  const sendRequest = askerIn(context, instance)
  await verifiedSignUp(instance, sendRequest, { name, email })
  if (invitedBy) await join(invitedBy, sendRequest, { email, role })
  else if (organisation !== null) {
    expect(await sendRequest('POST', '/accounts', { name: organisation })).toMatchObject({ status: 201 })
  }

  const { memberships } = (await sendRequest('GET', '/session')).body as {
    memberships: { account_id: string; slug: string }[]
  }
  const [{ account_id: accountId, slug } = { account_id: '', slug: '' }] = memberships
  const askHere: TestUser['sendRequest'] = (method, path, body, headers = {}) =>
    sendRequest(method, path, body, { 'probity-account': accountId, ...headers })
  return { name, email, context, url: instance.api.url, accountId, slug, sendRequest: askHere }
}

function askerIn(context: BrowserContext, { api }: RunningApi): TestUser['sendRequest'] {
  return async (method, path, body, headers = {}) => {
    const answer = await context.request.fetch(`${api.url}/app/api${path}`, {
      method,
      headers: { origin: api.url, 'probity-app': '1', ...headers },
      ...(body && { data: body }),
    })
    const text = await answer.text()
    return { status: answer.status(), text, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
}

async function verifiedSignUp(
  instance: RunningApi,
  sendRequest: TestUser['sendRequest'],
  who: { name: string; email: string },
): Promise<void> {
  const before = listLinks(instance, 'verification').length
  expect(await sendRequest('POST', '/auth/sign-up/email', { ...who, password: PASSWORD })).toMatchObject({
    status: 200,
  })
  const link = await vi.waitFor(() => {
    const found = listLinks(instance, 'verification').at(before)
    expect(found).toBeDefined()
    return String(found)
  })
  const token = link.slice(link.indexOf('=') + 1)
  expect(await sendRequest('POST', '/verify-email', { token, password: PASSWORD })).toMatchObject({ status: 200 })
}

async function join(
  owner: TestUser,
  sendRequest: TestUser['sendRequest'],
  invited: { email: string; role: Role },
): Promise<void> {
  const asked = await owner.sendRequest('POST', '/auth/organization/invite-member', {
    ...invited,
    organizationId: owner.accountId,
  })
  expect(asked).toMatchObject({ status: 200, body: { id: expect.any(String) } })
  const { status, text } = await sendRequest('POST', '/auth/organization/accept-invitation', {
    invitationId: asked.body['id'],
  })
  expect([status, text]).toEqual([200, expect.any(String)])
}

/** Links of emails of one kind (verification, reset, invitation), which are logged without an SMTP relay. */
export function listLinks({ api }: RunningApi, kind: string): string[] {
  const logged = api
    .readLog()
    .split('\n')
    .filter((line) => line.includes('"link"'))
    .map((line) => JSON.parse(line) as { kind: string; link: string })
  return logged.filter((line) => line.kind === kind).map(({ link }) => link)
}

/** Signs in by the page, as people do. */
export async function signIn(page: Page, { email, password = PASSWORD }: { email: string; password?: string }) {
  await page.goto('/app/sign-in')
  await page.getByLabel(/^e-?mail/i).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/\/app\/(?!sign-in)/)
}

/** The path of the next link of a kind in the log, which has the links of emails without an SMTP relay. */
export async function nextLink(instance: RunningApi, kind: string, act: () => Promise<unknown>): Promise<string> {
  const before = listLinks(instance, kind).length
  await act()
  return vi.waitFor(() => {
    const found = listLinks(instance, kind).at(before)
    expect(found).toBeDefined()
    return new URL(String(found)).href.replace(/^https?:\/\/[^/]+/, '')
  })
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()

export async function fillSignUp(page: Page, name: string, email?: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  if (email) await page.getByLabel('Email address', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
}
