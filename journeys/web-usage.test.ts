import { readFile } from 'node:fs/promises'
import { asOwner } from '@probity/database/connect'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { loaded, onePage, startBrowser } from './test-browser.ts'
import { openPerson, type Person } from './test-people.ts'
import { finishListAs } from './test-person-lists.ts'

const product = await borrowProduct()
const browser = await startBrowser()
const owner = await openPerson(browser, product)
const viewer = await openPerson(browser, product, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })

// A domain that takes no mail decides at once, and what is decided costs a credit.
const CSV = 'email\nada@null-mx.example\ngrace@null-mx.example\n'
const list = await finishListAs(owner, CSV, { mode: 'live', filename: 'spring.csv' })
const made = await owner.ask('POST', '/keys', { name: 'Sign-up form', livemode: true, scopes: ['validations:write'] })
const asked = await fetch(`${product.api.url}/api/v1/validation/single`, {
  method: 'POST',
  headers: { 'x-api-key': String(made.body['key']), 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'not an address' }),
})
expect(asked.status).toBe(200)

async function openUsage(person: Person, query = ''): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app/usage${query}`)
  await loaded(page)
  return page
}

const movements = (page: Page) => page.getByRole('table', { name: 'Movements of credits' }).locator('tbody tr')

test('what is left, where each credit went and what it was for stand on one page, found from the navigation', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/lists')
  await page.getByRole('link', { name: 'Usage & credits' }).click()
  await page.getByRole('heading', { name: 'Usage & credits', level: 1 }).waitFor()
  await page.getByText('9,997', { exact: true }).first().waitFor()
  await page.getByText(/^At the pace of the last 7 days, less than one a day/).waitFor()

  await movements(page).first().waitFor()
  const rows = await movements(page).allInnerTexts()
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').replace(/^.*?\d\d:\d\d /, ''))).toEqual([
    expect.stringMatching(/^Addresses validated −1.* 9,997 Sign-up form/),
    expect.stringMatching(/^Results of a list paid spring\.csv 2 from what was set aside 9,998/),
    expect.stringMatching(/^Set aside for a list spring\.csv −2.* 9,998/),
    expect.stringMatching(/^Credits added \+10,000.* 10,000/),
  ])
  await movements(page).getByRole('link', { name: 'spring.csv' }).first().click()
  await page.waitForURL(new RegExp(`/app/lists/${list}`))
})

test('usage is drawn and can be read as a table, and a key leads to its own movements', async () => {
  const page = await openUsage(owner)
  await page.getByRole('img', { name: /3 credits used, 0 given back/ }).waitFor()
  await page.getByText('Show as a table').click()
  const days = page.getByRole('table', { name: 'Usage by day' }).locator('tbody tr')
  expect(await days.count()).toBe(1)
  expect(await days.first().getByRole('cell').nth(2).textContent()).toBe('3')

  const keys = page.getByRole('table', { name: 'Usage by key' })
  await keys.getByRole('row', { name: /^Web application/ }).waitFor()
  await keys.getByRole('link', { name: /^Sign-up form/ }).click()
  await page.waitForURL(/[?&]key=[0-9a-f-]{36}/)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
})

test('what is chosen stands in the address, and a colleague who may only look sees the same', async () => {
  const page = await openUsage(owner)
  await page.getByLabel('Kind').selectOption({ label: 'Set aside for a list' })
  await page.waitForURL(/kind=reserve/)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
  await page.getByRole('radio', { name: '90 days' }).check()
  await page.waitForURL(/days=90/)

  const { search } = new URL(page.url())
  const same = await openUsage(viewer, search)
  await vi.waitFor(async () => expect(await movements(page).count()).toBe(1))
  expect(await movements(same).allInnerTexts()).toEqual(await movements(page).allInnerTexts())
  expect(await same.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true)
  await same.getByLabel('Kind').selectOption({ label: 'Correction' })
  await same.getByRole('heading', { name: 'No movement matches' }).waitFor()
  await same.getByRole('link', { name: 'Show all movements' }).click()
  await vi.waitFor(async () => expect(await movements(same).count()).toBe(4))
  expect(same.url()).toMatch(/days=90/)
})

test('a day can be typed, figure by figure, also over another', async () => {
  const page = await openUsage(owner)
  // Whichever of the first two figures the browser takes for the month.
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
  await page.getByRole('heading', { name: 'No movement matches' }).waitFor()
})

test('the file holds what the filters let through', async () => {
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

test('nothing is said to be spent in test mode, nor that the credits of an unlimited organisation run out', async () => {
  const sandbox = await openUsage(owner, '?mode=test')
  await sandbox.getByText('Test mode charges nothing.').waitFor()
  await sandbox.getByRole('heading', { name: 'Nothing was used in these days' }).waitFor()
  expect(await sandbox.getByRole('heading', { name: 'Movements of credits' }).count()).toBe(0)

  const other = await openPerson(browser, product, { name: 'Alan Turing', organisation: 'Bletchley' })
  await asOwner(product.db, (trx) =>
    sql`update accounts set unlimited = true where id = ${other.accountId}`.execute(trx),
  )
  const page = await openUsage(other)
  await page.getByText('its credits do not run out').waitFor()
  expect(await page.getByText(/they last/).count()).toBe(0)
})

test('below how many credits to be told is set by hand or left to the service, and kept', async () => {
  const page = await openUsage(owner)
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Told when credits run low' }) })
  expect(await card.getByLabel('Credits', { exact: true }).inputValue()).toBe('1000') // a tenth of what was given
  await card.getByLabel('Credits', { exact: true }).fill('many')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Enter a whole number of credits.').first().waitFor()
  await card.getByLabel('Credits', { exact: true }).fill('2500')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Saved.').waitFor()
  const lowAt = async () => ((await owner.ask('GET', '/account')).body['credits'] as { low_at: number }).low_at
  expect(await lowAt()).toBe(2_500)
  await card.getByRole('radio', { name: /^Below a tenth/ }).check()
  await card.getByRole('button', { name: 'Save' }).click()
  await vi.waitFor(async () => expect(await lowAt()).toBe(1_000))

  const looking = await openUsage(viewer)
  await looking.getByText('Told below 1,000 credits.').waitFor()
})
