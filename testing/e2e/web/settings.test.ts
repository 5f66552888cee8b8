import { readFile } from 'node:fs/promises'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { hasFocus, tabTo } from '../browser/keyboard.ts'
import { testCases } from '../browser/page-states.ts'
import { PASSWORD, signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const fresh = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })

const LISTS = '/app/settings/allow-and-block'
const NETWORK = '/app/settings/network'
const DATA = '/app/settings/data'

async function openSettings(person: TestUser, path: string, look: { width?: number } = {}): Promise<Page> {
  const page = await onePage(person.context, look)
  await page.goto(path)
  await loaded(page)
  return page
}

const rows = (page: Page) => page.getByRole('table', { name: 'Allowed and blocked' }).locator('tbody tr')

test('a member blocks a domain, and results show the override', async () => {
  const page = await openSettings(owner, '/app/settings/profile')
  await page.getByRole('link', { name: 'Allow & block lists' }).click()
  await page.getByRole('heading', { name: 'No entries yet' }).waitFor()
  expect(await page.title()).toBe('Allow & block lists · Settings · Probity')

  await page.getByRole('button', { name: 'Add entries' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add entries' })
  await dialog.getByLabel('Addresses and domains').fill('Null-MX.example\nnot a domain\n')
  await dialog.getByLabel('Note').fill('Does not accept mail')
  await dialog.getByRole('button', { name: 'Add entries' }).click()
  await dialog.getByText('Not an address or a domain: “not a domain”.').first().waitFor()
  await dialog.getByLabel('Addresses and domains').fill('Null-MX.example')
  await dialog.getByRole('button', { name: 'Add entries' }).click()
  await page.getByText('1 entry blocked.').waitFor()
  await rows(page).filter({ hasText: 'null-mx.example (entire domain)' }).waitFor()
  expect(await rows(page).first().textContent()).toMatch(/Does not accept mail[\s\S]*Blocked[\s\S]*Ada Lovelace/)

  await page.goto('/app/validate')
  await page.getByRole('textbox').first().fill('ada@null-mx.example')
  await page.keyboard.press('Enter')
  await page.getByText('On your blocklist', { exact: true }).waitFor()
  await page.getByText('The address or its domain is on your blocklist.').waitFor()
  await page.getByText('The address or its domain is on the blocklist of the account.').waitFor()
})

test('entries can be searched, downloaded and removed, and the filters are kept in the URL', async () => {
  const many = Array.from({ length: 25 }, (_, n) => `person-${n}@partner.example`)
  const put = { action: 'allow', targets: many }
  expect((await owner.sendRequest('POST', '/overrides', put)).status).toBe(200)
  const page = await openSettings(owner, `${LISTS}?action=allow`)
  await page.getByText('1–20 of 25').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('21–25 of 25').waitFor()
  await page.getByLabel('Search entries').fill('PERSON-7@')
  await page.waitForURL(/search=PERSON-7/)
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(1))

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toEqual([
    '"action","target","note","created_by","created_at"',
    expect.stringContaining('"allow","person-7@partner.example"'),
  ])

  await page.getByRole('button', { name: 'Remove person-7@partner.example' }).click()
  await page.getByRole('heading', { name: 'No entries match these filters' }).waitFor()
  const colleague = await openSettings(viewer, `${LISTS}?action=allow&search=person-8`)
  await vi.waitFor(async () => expect(await rows(colleague).count()).toBe(1))
  await colleague.getByText('Owners and admins can change these lists.').waitFor()
  expect(await colleague.getByRole('button', { name: /Add entries|Remove/ }).count()).toBe(0)
})

test('allow & block lists work with the keyboard alone', async () => {
  const page = await openSettings(fresh, LISTS)
  await tabTo(page, page.getByRole('button', { name: 'Add entries' }).first())
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Add entries' }).waitFor()
  await tabTo(page, page.getByRole('radio', { name: 'Block' }))
  await page.keyboard.press('ArrowRight')
  await tabTo(page, page.getByRole('textbox', { name: /^Addresses and domains/ }))
  await page.keyboard.type('partner@example.com')
  await tabTo(page, page.getByRole('button', { name: 'Add entries' }))
  await page.keyboard.press('Enter')
  await rows(page).filter({ hasText: 'Allowed' }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Remove partner@example.com' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No entries yet' }).waitFor()
  expect(await hasFocus(page.getByLabel('Search entries'))).toBe(true)
})

test('an IP allowlist that excludes the user needs a confirmation, and an operator can clear it', async () => {
  const person = await signUpUser(browser, instance, { name: 'Edith Clarke', organisation: 'Schenectady' })
  const page = await openSettings(person, NETWORK)
  const field = page.getByLabel('Allowed IP addresses')
  await field.fill('192.0.2.0/24')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alertdialog', { name: 'You will lose access' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Add my IP address' }).click()
  expect(await field.inputValue()).toMatch(/^192\.0\.2\.0\/24\n198\.18\.\d+\.\d+$/)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  await field.fill('192.0.2.0/24')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.goto('/app/lists')
  await page
    .getByText(/allowlists of the key and the account/)
    .first()
    .waitFor()

  await asOwner(instance.db, (trx) =>
    sql`update accounts set ip_allow_list = '{}' where id = ${person.accountId}`.execute(trx),
  )
  await page.goto(NETWORK)
  await loaded(page)
  expect(await page.getByLabel('Allowed IP addresses').inputValue()).toBe('')
})

test('an owner exports all data after entering the password', async () => {
  const page = await openSettings(owner, '/app/settings/profile')
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByRole('button', { name: 'Export all data' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export all data' })
  await dialog.getByLabel('Your password').fill('not the right one')
  await dialog.getByRole('button', { name: 'Export data', exact: true }).click()
  await dialog.getByText('The password is incorrect.').first().waitFor()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export data', exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toBe('probity-export.ndjson')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  const records = lines.map((line) => (JSON.parse(line) as { record: string }).record)
  expect(records[0]).toBe('export')
  expect(records).toContain('override')
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ record: 'end', records: lines.length - 2 })
})

test('an owner erases an address after a confirmation and sees what was deleted', async () => {
  const person = await signUpUser(browser, instance, { name: 'Sophie Germain', organisation: 'Montmartre' })
  const email = 'erase-me@example.com'
  await person.sendRequest('POST', '/overrides', { action: 'block', targets: [email, 'stays@example.com'] })
  const page = await openSettings(person, DATA)
  await page.getByLabel('Email address').fill('erase-me')
  await page.getByRole('button', { name: 'Erase address' }).click()
  await page.getByText('Enter an email address.').first().waitFor()
  await page.getByLabel('Email address').fill(email.toUpperCase())
  await page.getByRole('button', { name: 'Erase address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase this address?' })
  await dialog.getByRole('button', { name: 'Erase address' }).click()
  await page.getByText('Erased: 1 override.').waitFor()
  const { rows } = await asOwner(instance.db, (trx) =>
    sql<{ row: string }>`select o::text as row from overrides o where account_id = ${person.accountId}`.execute(trx),
  )
  expect(rows).toEqual([{ row: expect.stringContaining('stays@example.com') }])
})

test('an owner deletes an account with its name and the password, with the keyboard alone, and keeps the profile', async () => {
  const person = await signUpUser(browser, instance, { name: 'Mary Somerville', organisation: 'Jedburgh' })
  await person.sendRequest('POST', '/keys', { name: 'Sign-up form', livemode: true, scopes: ['validations:write'] })
  const page = await openSettings(person, DATA)
  expect(
    await page
      .locator('main')
      .getByRole('listitem')
      .filter({ hasText: /API key|credits/ })
      .allTextContents(),
  ).toEqual(['1 API key', '10,000 unused credits'])
  await page.getByRole('button', { name: 'Delete account' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete Jedburgh?' })
  await dialog.getByLabel('Account name').focus()
  await page.keyboard.type('Jedborough')
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await dialog.getByText('This is not the name of the account.').first().waitFor()
  await dialog.getByLabel('Account name').fill('Jedburgh')
  await dialog.getByLabel('Account name').press('Enter')
  await page
    .getByText(/account/i)
    .first()
    .waitFor()
  await dialog.waitFor({ state: 'detached' })
  await vi.waitFor(async () => expect((await person.sendRequest('GET', '/session')).body['memberships']).toEqual([]))
  expect((await person.sendRequest('GET', '/account')).status).toBe(404)
  expect(await person.sendRequest('POST', '/accounts', { name: 'Another' })).toMatchObject({ status: 201 })
})

test('the open settings tab is visible on a narrow screen', async () => {
  for (const path of ['/app/settings/profile', NETWORK, DATA]) {
    const page = await openSettings(owner, path, { width: 320 })
    const tab = page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current=page]')
    const box = await tab.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
  }
})

testCases([
  { what: 'allow and block lists', as: owner.context, path: LISTS },
  { what: 'network settings', as: owner.context, path: NETWORK },
  { what: 'export and deletion', as: owner.context, path: DATA },
])
