import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import type { Download, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { expectNoSidewaysScroll, onePage, startBrowser } from '../../browser/browser.ts'
import { readCells } from '../../browser/files.ts'
import { hasFocus, tabTo } from '../../browser/keyboard.ts'
import { signUpUser } from '../../browser/users.ts'
import { readInLibreOffice } from '../../environment/libreoffice.ts'
import { startOpenSimulation } from '../../environment/open-instance.ts'

const instance = await startOpenSimulation(10)
const browser = await startBrowser()
const folder = makeFolder('probity-workbook')
whenDone(() => removeFolder(folder))

const stepHeading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })

/** A messy sheet: names around addresses, blank and repeated rows, texts like formulas and numbers, text without an address. */
const CONTACTS = [
  ['Kunde', 'E-Mail', 'Ort'],
  ['Müller, Jürgen', 'Jürgen Müller <juergen+valid@example.com>', 'Köln'],
  [],
  ['=1+1', 'ada+valid@example.com', 'Łódź'],
  ['Ada again', 'ADA+valid@example.com', 'Łódź'],
  ['Nobody', 'n/a', ''],
  ['Gone', 'gone+mailbox-not-found@example.com', '北京'],
  ['007', 'leo+valid@example.com', '-2+3'],
  ['=HYPERLINK("http://example.com","張 “偉”")', 'mei+valid@example.com', '1-2'],
]
/** The rows to keep, as LibreOffice shows them. */
const KEPT = [
  ['Kunde', 'E-Mail', 'Ort'],
  ['Müller, Jürgen', 'juergen+valid@example.com', 'Köln'],
  ['=1+1', 'ada+valid@example.com', 'Łódź'],
  ['007', 'leo+valid@example.com', '-2+3'],
  ['=HYPERLINK("http://example.com","張 “偉”")', 'mei+valid@example.com', '1-2'],
]

async function workbook(): Promise<string> {
  const path = join(folder, 'Kunden März.xlsx')
  await writeFile(
    path,
    await writeTestWorkbook({
      sheets: [
        { name: 'Archive', rows: [['email'], ['old+valid@example.com']] },
        { name: 'Contacts', rows: CONTACTS },
      ],
    }),
  )
  return path
}

test('a workbook becomes a file to keep in five clicks: file, sheet, column, confirmation, download', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context, { width: 320, height: 700 })
  await page.goto('/app/lists/new?mode=test')
  await stepHeading(page, 'Upload a file').waitFor()

  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /Choose a file/ }).click()
  await (await choosing).setFiles(await workbook())
  await stepHeading(page, 'Choose the email column').waitFor()
  await page.getByText('sheet “Archive”').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.getByLabel('Sheet', { exact: true }).selectOption('Contacts')
  await page.getByText('sheet “Contacts”').waitFor()
  expect(await page.getByRole('radio', { name: 'E-Mail' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.getByRole('button', { name: 'Validate 5 addresses in test mode' }).click()
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 4 to keep' }).click()
  const download = await coming
  expect(download.suggestedFilename()).toBe('Kunden März-to-keep-balanced.xlsx')
  expect(await openDownload(download)).toEqual(KEPT)
})

test('a workbook becomes a file to keep with the keyboard alone', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const { keyboard } = page
  await page.goto('/app/lists/new?mode=test')
  const choosing = page.waitForEvent('filechooser')
  await tabTo(page, page.getByRole('button', { name: /Choose a file/ }))
  await keyboard.press('Enter')
  await (await choosing).setFiles(await workbook())

  await page.getByText('sheet “Archive”').waitFor()
  const sheet = page.getByLabel('Sheet', { exact: true })
  await tabTo(page, sheet)
  await keyboard.press('ArrowDown')
  await page.getByText('sheet “Contacts”').waitFor()
  expect(await hasFocus(sheet)).toBe(true)
  await tabTo(page, page.getByRole('radio', { name: 'E-Mail' }))
  await tabTo(page, page.getByRole('button', { name: 'Continue' }))
  await keyboard.press('Enter')

  await tabTo(page, page.getByRole('button', { name: 'Validate 5 addresses in test mode' }))
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Download 4 to keep' }))
  const coming = page.waitForEvent('download')
  await keyboard.press('Enter')
  expect(await openDownload(await coming)).toEqual(KEPT)
})

/** The cells of a downloaded workbook, opened in LibreOffice. */
async function openDownload(download: Download): Promise<string[][]> {
  const path = join(folder, 'keep.xlsx')
  await copyFile(await download.path(), path)
  return readCells(await readInLibreOffice(path, folder))
}

test('the rows of one verdict are downloaded with one click, and the format is remembered', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new?mode=test')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /Choose a file/ }).click()
  await (await choosing).setFiles({
    name: 'members.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('email\na+valid@example.com\nb+invalid@example.com\n'),
  })
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Validate 2 addresses in test mode' }).click()
  const first = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 1 invalid' }).click()
  expect((await first).suggestedFilename()).toBe('members-invalid.csv')

  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Download' })
  await dialog.getByLabel('Format').selectOption('xlsx')
  await expectAccessible(page)
  const second = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download all rows' }).click()
  expect((await second).suggestedFilename()).toBe('members-results.xlsx')
  await page.reload()
  const third = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 1 invalid' }).click()
  expect((await third).suggestedFilename()).toBe('members-invalid.xlsx')

  await page.goto('/app/lists/new?mode=test')
  const again = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /Choose a file/ }).click()
  await (await again).setFiles({
    name: 'copy.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('email\na+valid@example.com\nb+invalid@example.com\n'),
  })
  await page.getByText('You validated the same file before.').waitFor()
  await page.getByRole('link', { name: 'Open that list' }).click()
  await page.getByRole('heading', { level: 1, name: /members\.csv/ }).waitFor()
})
