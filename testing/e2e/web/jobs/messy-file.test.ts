import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { expectNoSidewaysScroll, onePage, startBrowser } from '../../browser/browser.ts'
import { dropFiles, readCells } from '../../browser/files.ts'
import { signUpUser } from '../../browser/users.ts'
import { readInLibreOffice } from '../../environment/libreoffice.ts'
import { createMessyList, HEADER_ROW, type MessyList, TITLES, writeWindows1252 } from '../../environment/messy-list.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const folder = makeFolder('probity-messy')
whenDone(() => removeFolder(folder))

const stepHeading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })

type Form = { name: string; filename: string; list: MessyList; content(list: MessyList): Promise<Buffer> }

const FORMS: Form[] = [
  {
    name: 'CSV in Windows-1252',
    filename: 'messy.csv',
    list: createMessyList({ isUnicode: false }),
    content: async ({ cells }) => writeWindows1252(cells),
  },
  {
    name: 'XLSX',
    filename: 'messy.xlsx',
    list: createMessyList({ isUnicode: true }),
    content: ({ cells }) => writeTestWorkbook({ sheets: [{ name: 'Contacts', rows: cells }] }),
  },
]

/** Counts what the user does: clicks, and keys that are pressed. */
async function countActions(page: Page): Promise<() => Promise<{ clicks: number; keys: number }>> {
  await page.addInitScript(() => {
    const counted = { clicks: 0, keys: 0 }
    Object.assign(window, { counted })
    document.addEventListener('click', ({ isTrusted }) => (counted.clicks += isTrusted ? 1 : 0), true)
    document.addEventListener('keydown', () => (counted.keys += 1), true)
  })
  return () => page.evaluate(() => Reflect.get(window, 'counted'))
}

async function download(page: Page, button: string): Promise<string[][]> {
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const file = await coming
  const path = join(folder, file.suggestedFilename())
  await copyFile(await file.path(), path)
  const csv = path.endsWith('.xlsx') ? await readInLibreOffice(path, folder) : await readFile(path, 'utf8')
  return readCells(csv.replace(/^\uFEFF/, ''))
}

/** The cells of a column, without its head. */
function column([head = [], ...rows]: string[][], name: string): string[] {
  const index = head.indexOf(name)
  expect(index, `${name} in ${head.join()}`).toBeGreaterThanOrEqual(0)
  return rows.map((row) => row[index] ?? '')
}

const bare = (email: string) => email.replace(/.*<(.*)>/, '$1').toLowerCase()

test.each(FORMS)('every address of a messy file ends in one of three files after six clicks: $name', async (form) => {
  const { rows, cells } = form.list
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const actions = await countActions(page)
  await page.goto('/app/lists/new?mode=test')
  await stepHeading(page, 'Upload a file').waitFor()
  await dropFiles(page, [{ name: form.filename, content: [...(await form.content(form.list))] }])

  await stepHeading(page, 'Choose the email column').waitFor()
  const header = page.getByLabel('Header row')
  expect(await header.locator('option:checked').textContent()).toBe('Row 4: Name, E-mail, City')
  await page.getByText('Left out above it: row 1 “Contacts export 2026”, row 3 “as of 2 November, internal”.').waitFor()
  expect(await page.getByRole('radio', { name: 'E-mail' }).isChecked()).toBe(true)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.getByText('4 domains look mistyped.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Accept all 4' }).click()
  await page.getByText('4 domains corrected.').waitFor()
  await page.getByText('4 domains look mistyped.').waitFor({ state: 'detached' })

  const keep = rows.flatMap((row) => row.keep ?? []).map(bare)
  const remove = rows.flatMap((row) => row.remove ?? [])
  const leftOut = rows.flatMap((row) => row.leftOut ?? [])
  const unique = keep.length + remove.length
  const lines = cells.length - HEADER_ROW
  const sum = `${lines} lines and 5 second addresses: 4 blank, 5 without an address, 3 malformed, 5 duplicates, ${unique}`
  expect(lines + 5).toBe(4 + 5 + 3 + 5 + unique)
  await page.getByText(`${sum} to validate.`).waitFor()
  await page.getByText(/^\d+ addresses were repaired/).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: `Validate ${unique} addresses in test mode` }).click()

  await page.getByText(`${sum} validated.`).waitFor()
  await expectAccessible(page)
  const kept = await download(page, `Download ${keep.length} to keep`)
  const removed = await download(page, `Download ${remove.length} to remove`)
  const third = await download(page, `Download ${leftOut.length} not validated`)
  expect(await actions()).toEqual({ clicks: 6, keys: 0 })

  expect(column(kept, 'E-mail').map(bare).toSorted()).toEqual(keep.toSorted())
  expect(column(removed, 'probity_email').toSorted()).toEqual(remove.toSorted())
  const titles = TITLES.slice(0, -1).filter((row) => row.length > 0)
  expect(column(third, 'probity_left_out').filter((reason) => reason === 'above_header')).toHaveLength(titles.length)
  expect(column(third, 'probity_value').slice(titles.length)).toEqual(leftOut)
  // The numbers are those of the uploaded file.
  const rowOf = (index: number) => String(HEADER_ROW + 1 + index)
  const numbers = rows.flatMap((row, n) => (row.leftOut ?? []).map(() => rowOf(n)))
  expect(column(third, 'probity_row').slice(titles.length)).toEqual(numbers)
  expect(new Set(column(kept, 'City'))).toEqual(new Set(['Málaga', 'Köln', 'Besançon', 'Østerbro']))
  await page.setViewportSize({ width: 320, height: 700 })
  await expectNoSidewaysScroll(page)
})

test('another header row, single suggestions and malformed values are choices of the user', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context, { width: 390, height: 844 })
  await page.goto('/app/lists/new?mode=test')
  await stepHeading(page, 'Upload a file').waitFor()
  const content = [
    'Export 2026,',
    'Name,E-mail',
    'Ada,ada+valid@gmial.com',
    'Bo,bo+valid@hotmial.com; cy+valid@example.com',
    'Di,di.@example.com',
  ].join('\n')
  await dropFiles(page, [{ name: 'choices.csv', content }])
  const header = page.getByLabel('Header row')
  await header.selectOption('No header')
  await page.getByText('no header row, columns are numbered').waitFor()
  expect(await page.getByRole('radio', { name: 'column_2' }).isChecked()).toBe(true)
  await header.selectOption('Row 2: Name, E-mail')
  await page.getByText('header in row 2').waitFor()
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Continue' }).click()

  const sum = '3 lines and 1 second address:'
  await page.getByText(`${sum} 1 malformed, 3 to validate.`).waitFor()
  await page.getByRole('button', { name: 'Accept ada+valid@gmail.com' }).click()
  await page.getByText('1 domain looks mistyped.').waitFor()
  await page.getByLabel('Validate malformed values, too').check()
  await page.getByText(`${sum} 4 to validate.`).waitFor()
  await page.getByLabel('Validate only the first address of a cell').check()
  await page.getByText(`${sum} 1 left out, 3 to validate.`).waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.reload()
  await page.getByText(`${sum} 1 left out, 3 to validate.`).waitFor()
  await page.getByRole('button', { name: 'Validate 3 addresses in test mode' }).click()
  await page.getByText(`${sum} 1 left out, 3 validated.`).waitFor()
  await page.getByRole('tab', { name: 'Results' }).click()
  for (const email of ['ada+valid@gmail.com', 'bo+valid@hotmial.com', 'di.@example.com']) {
    await page.getByRole('link', { name: email }).waitFor()
  }
})

test('a second address of a cell has a result with its own link', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new?mode=test')
  await stepHeading(page, 'Upload a file').waitFor()
  await dropFiles(page, [
    { name: 'pairs.csv', content: 'name,email\nAda,ada+valid@example.com; bo+invalid@example.com\n' },
  ])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Validate 2 addresses in test mode' }).click()
  await page.getByText('1 line and 1 second address: 2 validated.').waitFor()
  await page.getByRole('tab', { name: 'Results' }).click()
  await page.getByRole('link', { name: 'bo+invalid@example.com' }).click()
  const drawer = page.getByRole('dialog', { name: 'bo+invalid@example.com' })
  await drawer.getByText('Row 2 of the file, address 2 of its cell').waitFor()
  await drawer.getByRole('button', { name: 'Previous result (k)' }).click()
  await page.getByRole('dialog', { name: 'ada+valid@example.com' }).waitFor()
  await page.goto(`${page.url()}&position=2`)
  await drawer.waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Select ada+valid@example.com').check()
  await page.getByText('1 result selected').waitFor()
})
