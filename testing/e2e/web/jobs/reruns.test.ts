import { expect, test } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { onePage, startBrowser } from '../../browser/browser.ts'
import { choose } from '../../browser/page-states.ts'
import { finishListAs } from '../../browser/user-jobs.ts'
import { heading, press, signUpUser } from '../../browser/users.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)

const CSV = 'email\nvalid@example.com\ninvalid@example.com\nunknown@example.com\n'

test('a list is renamed, tagged and found by its tag', async () => {
  const jobId = await finishListAs(owner, CSV, { filename: 'export (3).csv' })
  await finishListAs(owner, CSV, { filename: 'other.csv' })
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Rename and tag')(page)
  await page.getByLabel('Name', { exact: true }).fill('Customers')
  await page.getByLabel('Tags').fill('vip, 2026')
  await press(page, 'Save')
  await heading(page, /^Customers/).waitFor()

  await page.getByRole('link', { name: '2026' }).click()
  await heading(page, 'Lists').waitFor()
  await page.getByRole('button', { name: 'Tag: 2026' }).waitFor()
  await page.getByRole('link', { name: 'Customers' }).waitFor()
  expect(await page.getByRole('link', { name: 'other.csv' }).count()).toBe(0)
  await page.reload()
  await page.getByRole('button', { name: 'Tag: 2026' }).click()
  await page.getByRole('link', { name: 'other.csv' }).waitFor()
})

test('unknown addresses are validated again in their list, and no other list appears', async () => {
  const jobId = await finishListAs(owner, `${CSV}provider-unverifiable@example.com\n`, { filename: 'members.csv' })
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Validate 1 of 2 unknown addresses again')(page)
  await page.getByText('1 is at providers that do not reveal mailboxes.').waitFor()
  await page.getByText('Cost: Free in test mode.').waitFor()
  await expectAccessible(page)
  await press(page, 'Validate 1 address')
  await page.getByText(/^1 unknown address validated again on .+: 1 is still unknown\.$/).waitFor()
  expect(page.url()).toContain(jobId)
  await page.getByText('4 addresses validated: 1 valid, 1 invalid, 2 unknown.').waitFor()
  await expectAccessible(page)

  await page.goto('/app/lists?mode=test&search=members.csv')
  await page.getByRole('link', { name: 'members.csv' }).waitFor()
  expect(await page.getByRole('link', { name: 'members.csv' }).count()).toBe(1)
})

test('a list is run again and compared with the earlier one by their common addresses', async () => {
  const earlier = await finishListAs(owner, `${CSV}role@example.com\n`, { filename: 'guests.csv' })
  const jobId = await finishListAs(owner, CSV, { filename: 'guests.csv' })
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Compare with an earlier list')(page)
  await page.getByText('3 addresses are in both lists; 0 changed their verdict.').waitFor()
  await page.getByText('Only in this list: 0. Only in the earlier list: 1.').waitFor()
  await page.getByRole('row', { name: 'Valid 1 1 0', exact: true }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.goto(`/app/lists/${earlier}?mode=test`)
  await choose('More actions', 'Run again')(page)
  await press(page, 'Validate 4 addresses')
  await page.getByRole('link', { name: 'an earlier list' }).waitFor()
  expect(page.url()).not.toContain(earlier)
})
