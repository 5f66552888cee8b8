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

test('unknown addresses are validated again and compared with the earlier list', async () => {
  const jobId = await finishListAs(owner, CSV, { filename: 'members.csv' })
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Validate 1 unknown address again')(page)
  await page.getByText('Cost: Free in test mode.').waitFor()
  await expectAccessible(page)
  await press(page, 'Validate 1 address')
  await page.getByRole('link', { name: 'an earlier list' }).waitFor()
  expect(page.url()).not.toContain(jobId)
  await heading(page, /Completed/).waitFor()
  await page.getByText('1 address validated: 1 unknown.').waitFor()

  await choose('More actions', 'Compare with an earlier list')(page)
  await page.getByText('1 address is in both lists; 0 changed their verdict.').waitFor()
  await page.getByText('Only in this list: 0. Only in the earlier list: 2.').waitFor()
  await expectAccessible(page)
})
