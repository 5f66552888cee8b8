import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance, { name: 'Ada Lovelace' })
const admin = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'admin' })
const developer = await signUpUser(browser, instance, { name: 'Alan Turing', invitedBy: owner, role: 'developer' })

const LOG = '/app/settings/audit-log'

async function open(person: TestUser, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`${LOG}${query}`)
  await loaded(page)
  return page
}

const rows = (page: Page) => page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')

test('an action of a member appears in the audit log with name and IP address', async () => {
  const page = await onePage(admin.context)
  await page.goto('/app/keys')
  await loaded(page)
  await admin.sendRequest('POST', '/keys', { name: 'Sign-up form', livemode: true, scopes: ['validations:write'] })

  await page.goto('/app/settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click()
  await page.waitForURL(/settings\/audit-log/)
  await loaded(page)
  const first = rows(page).first()
  await first.getByText('API key created').waitFor()
  await first.getByText('Sign-up form').first().waitFor()
  await first.getByText('Grace Hopper').waitFor()
  await first.getByText(/198\.18\.\d+\.\d+/).waitFor()
  await rows(page)
    .filter({ hasText: 'Invitation created' })
    .filter({ hasText: 'Role: developer' })
    .getByText('Ada Lovelace')
    .waitFor()
})

test('filters are kept in the URL, and the CSV contains the matching entries', async () => {
  const page = await open(owner)
  await page.getByLabel('Category').selectOption({ label: 'Invitations' })
  await page.waitForURL(/action=invitation/)
  await page.getByRole('searchbox', { name: 'Search by actor' }).fill('ada')
  await page.waitForURL(/by=ada/)
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(2))

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('audit-log.csv')
  const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(head).toMatch(/^"id","at","account_id","actor"/)
  expect(lines).toHaveLength(2)
  expect(lines.every((line) => line.includes('"invitation.created"'))).toBe(true)

  const { search } = new URL(page.url())
  const same = await open(admin, search)
  expect(await rows(same).count()).toBe(2)
  await same.getByRole('searchbox', { name: 'Search by actor' }).fill('nobody')
  await same.getByRole('heading', { name: 'No entries match these filters' }).waitFor()
  await same.getByRole('button', { name: 'Show all entries' }).click()
  await vi.waitFor(async () => expect(await rows(same).count()).toBeGreaterThan(3))
})

test('the filters work by keyboard', async () => {
  const page = await open(owner)
  await page.getByRole('searchbox', { name: 'Search by actor' }).focus()
  await page.keyboard.type('grace')
  await page.waitForURL(/by=grace/)
  await page.keyboard.press('Tab')
  await page.keyboard.type('API keys') // a native select jumps to the typed text
  await page.waitForURL(/action=key/)
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(1))
})

test('a developer sees which roles may view the log', async () => {
  const page = await open(developer)
  await page.getByText(/This requires the role owner or admin/).waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
})

testCases([{ what: 'the audit log', as: owner.context, path: LOG }])
