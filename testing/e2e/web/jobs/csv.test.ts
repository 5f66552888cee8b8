import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { onePage, startBrowser } from '../../browser/browser.ts'
import { dropFiles, readCells } from '../../browser/files.ts'
import { signUpUser } from '../../browser/users.ts'
import { startOpenSimulation } from '../../environment/open-instance.ts'

const UNIQUE = 970
const REPEATED = 20
const EMPTY = 10
const CREDITS = 10_000

const instance = await startOpenSimulation(UNIQUE)
const browser = await startBrowser()

const stepHeading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })

/** Quotes, line breaks, separators and characters of other alphabets: cells that a careless writer would change. */
function thousandRows(): { csv: string; cells: string[][] } {
  const emails = instance.simulation.draw(UNIQUE).map(({ email }) => email)
  const all = [...emails, ...emails.slice(0, REPEATED), ...Array.from({ length: EMPTY }, () => '')]
  const odd = ['plain', 'a, b', 'say "yes"', 'two\nlines', 'Žluťoučký kůň', '漢字', '  spaces  ', '']
  const cells = all.map((email, n) => [`C-${1000 + n}`, odd[n % odd.length] ?? '', email, `${n}`])
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const header = ['customer', 'note', 'email', 'row']
  return {
    csv: `${[header, ...cells].map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`,
    cells: [header, ...cells],
  }
}

test('the review shows values that are left out, not charged, and corrected one by one', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const cells = [
    'Ada <ada@example.com>',
    '"Lovelace, A." <ADA@example.com>',
    'mailto:bob@example.com',
    'ada.@example.com',
  ]
  const texts = Array.from({ length: 11 }, (_, n) => `no address ${n}`)
  const rows = [...cells, ...texts].map((cell) => `"${cell.replaceAll('"', '""')}"`)
  await page.goto('/app/lists/new')
  await stepHeading(page, 'Upload a file').waitFor()
  await dropFiles(page, [{ name: 'contacts.csv', content: `email\n${rows.join('\n')}\n` }])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('15 lines: 11 without an address, 1 malformed, 1 duplicate, 2 to validate.').waitFor()
  await page.getByText('3 cells contain an address with a name or other text.').waitFor()
  await page
    .getByText('11 cells without an address and 1 malformed value are left out: not validated and not charged.')
    .waitFor()
  await page.getByText('Show the values').click()
  const values = page.getByRole('table', { name: 'Values that are not addresses' })
  expect(await values.getByRole('row').nth(1).textContent()).toMatch(/Row 5\s*ada\.@example\.com\s*Malformed/)
  expect(await values.getByRole('row').count()).toBe(11)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Correct row 5' }).click()
  expect(await page.getByLabel('Correct address of row 5').inputValue()).toBe('ada.@example.com')
  await page.getByLabel('Correct address of row 5').fill('ada@example.com')
  await page.getByRole('button', { name: 'Save 1 correction' }).click()
  await page.getByText('1 value corrected.').waitFor()
  await page.getByText('15 lines: 11 without an address, 2 duplicates, 2 to validate.').waitFor()
  await page.getByRole('button', { name: 'Validate 2 addresses for 2 credits' }).click()
  await page.waitForURL(/\/app\/lists\/[0-9a-f-]{36}/)
  const job = async () => (await owner.sendRequest('GET', `/bulk/jobs/${page.url().split('/').at(-1)}`)).body
  expect(await job()).toMatchObject({ email_count: 4, unique_count: 2 })
})

test('a file of 1,000 rows is validated at the shown price, and the download keeps its cells in order', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const { csv, cells } = thousandRows()
  await page.goto('/app/lists')
  await stepHeading(page, 'No lists yet').waitFor()
  await expectAccessible(page)
  await dropFiles(page, [{ name: 'customers.csv', content: csv }])

  await stepHeading(page, 'Choose the email column').waitFor()
  await page.getByText('1,000 lines').waitFor()
  expect(await page.getByRole('radio', { name: 'email' }).isChecked()).toBe(true)
  await page.getByText('990 values, 100% addresses.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()

  await stepHeading(page, 'Review and confirm').waitFor()
  const cost = page.getByRole('table', { name: 'Addresses and cost' })
  await cost.waitFor()
  const lines = await cost.getByRole('row').allInnerTexts()
  expect(
    lines
      .map((line) =>
        line
          .split(/\s*[\t\n]\s*/)
          .filter(Boolean)
          .join(' | '),
      )
      .slice(1),
  ).toEqual([
    'Unique addresses to validate | 970 | 970 credits',
    'Available credits | 10,000',
    'Credits after this list | 9,030',
  ])
  await page.getByText('1,000 lines: 10 without an address, 20 duplicates, 970 to validate.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Validate 970 addresses for 970 credits' }).dblclick()

  await page.waitForURL(/\/app\/lists\/[0-9a-f-]{36}/)
  const overview = await onePage(owner.context)
  await overview.goto('/app/lists')
  const row = overview.getByRole('row', { name: /customers\.csv/ })
  await row.getByRole('progressbar').waitFor()
  await page.getByRole('heading', { level: 1, name: /customers\.csv.*Completed/ }).waitFor({ timeout: 120_000 })
  const { refunded } = (await owner.sendRequest('GET', `/bulk/jobs/${page.url().split('/').at(-1)}`)).body[
    'credits'
  ] as {
    refunded: number
  }
  await row.getByText('Completed').waitFor() // the page refreshes automatically
  expect((await owner.sendRequest('GET', '/account')).body['credits']).toMatchObject({
    available: CREDITS - 970 + refunded,
    reserved: 0,
  })
  expect(JSON.parse((await owner.sendRequest('GET', '/bulk/jobs')).text)).toHaveLength(1)

  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download all rows' }).click(),
  ])
  const back = readCells(await readFile(await download.path(), 'utf8'))
  expect(back.map((row) => row.slice(0, 4))).toEqual(cells)
  const status = back[0]?.indexOf('probity_status') ?? -1
  const verdicts = back
    .slice(1)
    .filter((row) => row[2] !== '')
    .map((row) => row[status])
  expect(verdicts.filter((verdict) => !/^(valid|invalid|risky|unknown)$/.test(verdict ?? ''))).toEqual([])
  expect(verdicts).toHaveLength(UNIQUE + REPEATED)
}, 240_000)
