import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { Product } from '../environment/instance.ts'
import { openWindow } from './browser.ts'

export const PASSWORD = 'correct horse battery staple'

type Doors = { api: Pick<Product['api'], 'url' | 'readLog'> }
type Role = 'owner' | 'admin' | 'developer' | 'marketer' | 'viewer'

export type Answer = { status: number; body: Record<string, unknown>; text: string }

/** A signed-in user with a browser context. */
export type Person = {
  name: string
  email: string
  context: BrowserContext
  /** URL of the web app. */
  url: string
  accountId: string
  slug: string
  /** Sends a request under /app/api as a page of the web app does, for the account of the user. */
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
}

type PersonOptions = {
  name?: string
  /** Name of the account that the user creates; null for none. */
  organisation?: string | null
  /** The inviting user and the role; the user then creates no account. */
  invitedBy?: Person
  role?: Role
}

/** Others have signed up before where the product is lent. */
const FILE = randomUUID().slice(0, 8)
let people = 0

/** A user who signed up, confirmed the address by the link, and created an account or was invited to one. */
export async function openPerson(browser: Browser, product: Doors, options: PersonOptions = {}): Promise<Person> {
  const { name = 'Ada Lovelace', organisation = 'Analytical Engines', invitedBy, role = 'viewer' } = options
  people += 1
  const email = `person-${people}-${FILE}@people.example`
  const context = await openWindow(browser, product)
  const ask = askerIn(context, product)
  await verifiedSignUp(product, ask, { name, email })
  if (invitedBy) await join(invitedBy, ask, { email, role })
  else if (organisation !== null) {
    expect(await ask('POST', '/accounts', { name: organisation })).toMatchObject({ status: 201 })
  }

  const { memberships } = (await ask('GET', '/session')).body as { memberships: { account_id: string; slug: string }[] }
  const [{ account_id: accountId, slug } = { account_id: '', slug: '' }] = memberships
  const askHere: Person['ask'] = (method, path, body, headers = {}) =>
    ask(method, path, body, { 'probity-account': accountId, ...headers })
  return { name, email, context, url: product.api.url, accountId, slug, ask: askHere }
}

function askerIn(context: BrowserContext, { api }: Doors): Person['ask'] {
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

async function verifiedSignUp(product: Doors, ask: Person['ask'], who: { name: string; email: string }): Promise<void> {
  const before = listLinks(product, 'verification').length
  expect(await ask('POST', '/auth/sign-up/email', { ...who, password: PASSWORD })).toMatchObject({ status: 200 })
  const link = await vi.waitFor(() => {
    const found = listLinks(product, 'verification').at(before)
    expect(found).toBeDefined()
    return String(found)
  })
  const token = link.slice(link.indexOf('=') + 1)
  expect(await ask('POST', '/verify-email', { token, password: PASSWORD })).toMatchObject({ status: 200 })
}

async function join(owner: Person, ask: Person['ask'], invited: { email: string; role: Role }): Promise<void> {
  const asked = await owner.ask('POST', '/auth/organization/invite-member', {
    ...invited,
    organizationId: owner.accountId,
  })
  expect(asked).toMatchObject({ status: 200, body: { id: expect.any(String) } })
  const { status, text } = await ask('POST', '/auth/organization/accept-invitation', { invitationId: asked.body['id'] })
  expect([status, text]).toEqual([200, expect.any(String)])
}

/** Links of emails of one kind (verification, reset, invitation), which are logged without an SMTP relay. */
export function listLinks({ api }: Doors, kind: string): string[] {
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
export async function nextLink(product: Doors, kind: string, act: () => Promise<unknown>): Promise<string> {
  const before = listLinks(product, kind).length
  await act()
  return vi.waitFor(() => {
    const found = listLinks(product, kind).at(before)
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
