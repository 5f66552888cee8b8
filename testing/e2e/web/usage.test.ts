import { readFile } from 'node:fs/promises'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { finishListAs } from '../browser/user-jobs.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })

// A domain with null MX gives a verdict at once, and a verdict costs a credit.
const CSV = 'email\nada@null-mx.example\ngrace@null-mx.example\n'
const list = await finishListAs(owner, CSV, { mode: 'live', filename: 'spring.csv' })
const made = await owner.sendRequest('POST', '/keys', {
  name: 'Sign-up form',
  livemode: true,
  scopes: ['validations:write'],
})
const asked = await fetch(`${instance.api.url}/api/v1/validation/single`, {
  method: 'POST',
  headers: { 'x-api-key': String(made.body['key']), 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'not an address' }),
})
expect(asked.status).toBe(200)

async function openUsage(person: TestUser, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app/usage${query}`)
  await loaded(page)
  return page
}

const movements = (page: Page) => page.getByRole('table', { name: 'Credit transactions' }).locator('tbody tr')

test('the usage page shows the balance and all credit transactions', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/lists')
  await page.getByRole('link', { name: 'Usage & credits' }).click()
  await page.getByRole('heading', { name: 'Usage & credits', level: 1 }).waitFor()
  await page.getByText('9,997', { exact: true }).first().waitFor()
  await page.getByText(/^Based on the last 7 days \(less than 1 per day\)/).waitFor()

  await movements(page).first().waitFor()
  const rows = await movements(page).allInnerTexts()
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').replace(/^.*?\d\d:\d\d /, ''))).toEqual([
    expect.stringMatching(/^Validation charge −1.* 9,997 Sign-up form/),
    expect.stringMatching(/^List results charged spring\.csv 2 from reserved credits 9,998/),
    expect.stringMatching(/^Reserved for list spring\.csv −2.* 9,998/),
    expect.stringMatching(/^Credits added \+10,000.* 10,000/),
  ])
  await movements(page).getByRole('link', { name: 'spring.csv' }).first().click()
  await page.waitForURL(new RegExp(`/app/lists/${list}`))
})

test('usage is shown as a chart and as a table, and a key links to its transactions', async () => {
  const page = await openUsage(owner)
  await page.getByRole('img', { name: /3 credits used, 0 refunded/ }).waitFor()
  await page.getByText('Show as a table').click()
  const days = page.getByRole('table', { name: 'Usage by day' }).locator('tbody tr')
  expect(await days.count()).toBe(1)
  expect(await days.first().getByRole('cell').nth(2).textContent()).toBe('3')

  const keys = page.getByRole('table', { name: 'Usage by key' })
  await keys.getByRole('row', { name: /^Web app/ }).waitFor()
  await keys.getByRole('link', { name: /^Sign-up form/ }).click()
  await page.waitForURL(/[?&]key=[0-9a-f-]{36}/)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
})

test('filters are kept in the URL, and a viewer sees the same transactions', async () => {
  const page = await openUsage(owner)
  await page.getByLabel('Type').selectOption({ label: 'Reserved for list' })
  await page.waitForURL(/kind=reserve/)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
  await page.getByRole('radio', { name: '90 days' }).check()
  await page.waitForURL(/days=90/)

  const { search } = new URL(page.url())
  const same = await openUsage(viewer, search)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
  expect(await movements(same).allInnerTexts()).toEqual(await movements(page).allInnerTexts())
  expect(await same.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true)
  await same.getByLabel('Type').selectOption({ label: 'Adjustment' })
  await same.getByRole('heading', { name: 'No transactions match these filters' }).waitFor()
  await same.getByRole('link', { name: 'Show all transactions' }).click()
  await vi.waitFor(async () => expect(await movements(same).count()).toBe(4))
  expect(same.url()).toMatch(/days=90/)
})

test('a date can be typed digit by digit, also over an existing date', async () => {
  const page = await openUsage(owner)
  // Works for both orders of day and month.
  for (const [typed, day] of [
    ['02022050', '2050-02-02'],
    ['03032051', '2051-03-03'],
  ] as const) {
    await page.getByLabel('To', { exact: true }).focus()
    await page.getByLabel('From', { exact: true }).focus()
    await page.keyboard.type(typed)
    await page.waitForURL(new RegExp(`from=${day}`))
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(day)
  }
  await page.getByRole('heading', { name: 'No transactions match these filters' }).waitFor()
})

test('the CSV file contains the filtered transactions', async () => {
  const page = await openUsage(owner, '?kind=grant')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('ledger.csv')
  const [head, ...rows] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(head).toMatch(/^"id","occurred_at","kind","credits","available_change","available_after"/)
  expect(rows).toEqual([expect.stringMatching(/"grant","10000","10000","10000","account"/)])
})

test('usage shows no credits in test mode, and an account with unlimited credits has no forecast', async () => {
  const sandbox = await openUsage(owner, '?mode=test')
  await sandbox.getByText('Test mode uses no credits.').waitFor()
  await sandbox.getByRole('heading', { name: 'No usage on these days' }).waitFor()
  expect(await sandbox.getByRole('heading', { name: 'Credit transactions' }).count()).toBe(0)

  const other = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })
  await asOwner(instance.db, (trx) =>
    sql`update accounts set unlimited = true where id = ${other.accountId}`.execute(trx),
  )
  const page = await openUsage(other)
  await page.getByText('This account has unlimited credits.').waitFor()
  expect(await page.getByText(/credits last/).count()).toBe(0)
})

test('the low-credit threshold can be set to a number or to the default', async () => {
  const page = await openUsage(owner)
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Low-credit alert' }) })
  expect(await card.getByLabel('Credits', { exact: true }).inputValue()).toBe('1000') // 10% of the credits added
  await card.getByLabel('Credits', { exact: true }).fill('many')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Enter a whole number of credits.').first().waitFor()
  await card.getByLabel('Credits', { exact: true }).fill('2500')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Saved.').waitFor()
  const lowAt = async () => ((await owner.sendRequest('GET', '/account')).body['credits'] as { low_at: number }).low_at
  expect(await lowAt()).toBe(2_500)
  await card.getByRole('radio', { name: /^10% of/ }).check()
  await card.getByRole('button', { name: 'Save' }).click()
  await vi.waitFor(async () => expect(await lowAt()).toBe(1_000))

  const looking = await openUsage(viewer)
  await looking.getByText('Alert threshold: 1,000 credits.').waitFor()
})
