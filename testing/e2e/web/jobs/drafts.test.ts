import { randomUUID } from 'node:crypto'
import { postCredits } from '@probity/database/billing/ledger'
import { inTenant } from '@probity/database/connection/connect'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { expectNoSidewaysScroll, onePage, startBrowser } from '../../browser/browser.ts'
import { dropFiles } from '../../browser/files.ts'
import { expectFocus, tabTo } from '../../browser/keyboard.ts'
import { startListAs } from '../../browser/user-jobs.ts'
import { signUpUser, type TestUser } from '../../browser/users.ts'
import { startOpenSimulation } from '../../environment/open-instance.ts'

const UNIQUE = 970
const CREDITS = 10_000
const SOON = { timeout: 15_000, interval: 50 }

const instance = await startOpenSimulation(UNIQUE)
const browser = await startBrowser()

const stepHeading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })
const CHOOSE = 'Choose the email column'
const REVIEW = 'Review and confirm'

async function creditsOf(person: TestUser): Promise<Record<string, unknown>> {
  return (await person.sendRequest('GET', '/account')).body['credits'] as Record<string, unknown>
}

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const buffer = Buffer.from(content)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

test('a draft survives a reload, is listed in the overview, and can be discarded there', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new')
  await choose(
    page,
    'contacts.csv',
    'email,work_email\nada@example.com,ada@work.example\nbob@example.com,bob@work.example\n',
  )
  await page.getByText('Several columns contain addresses.').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Choose the column to validate.').waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByText('contacts.csv').waitFor()
  await page.getByRole('radio', { name: 'work_email' }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Validate 2 addresses for 2 credits' }).waitFor()
  await page.reload()
  await page.getByText('2 lines: 2 to validate.').waitFor()
  await page.getByRole('link', { name: 'Change', exact: true }).click()
  await stepHeading(page, CHOOSE).waitFor()
  expect(await page.getByRole('radio', { name: 'work_email' }).isChecked()).toBe(true)

  const other = await onePage(owner.context, { width: 320, height: 640 })
  await other.goto('/app/lists')
  await other.getByRole('link', { name: 'Continue with contacts.csv' }).waitFor()
  await expectAccessible(other)
  await expectNoSidewaysScroll(other)
  await other.getByRole('button', { name: 'Discard contacts.csv' }).click()
  await other.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
  await other.getByText('contacts.csv discarded.').waitFor()
  expect(await other.getByRole('heading', { name: 'Drafts' }).count()).toBe(0)

  await page.reload()
  await page.getByRole('heading', { name: 'Draft not found' }).waitFor()
  expect(await creditsOf(owner)).toMatchObject({ available: CREDITS, reserved: 0 })
})

test('a draft without enough credits is kept and can be confirmed once credits are added', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const emails = Array.from({ length: CREDITS + 1 }, (_, n) => `reader${n}@example.com`)
  await page.goto('/app/lists/new')
  await choose(page, 'long.csv', `email\n${emails.join('\n')}\n`)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Insufficient credits (1 short)').waitFor()
  const confirm = page.getByRole('button', { name: 'Validate 10,001 addresses for 10,001 credits' })
  expect(await confirm.isDisabled()).toBe(true)
  await expectAccessible(page)
  await inTenant(instance.db, owner.accountId, (trx) =>
    postCredits(trx, { kind: 'grant', credits: 1, subject: randomUUID() }),
  )
  await page.getByRole('button', { name: 'Refresh' }).click()
  await vi.waitFor(async () => expect(await confirm.isEnabled()).toBe(true), SOON)

  // Another member uses the credits first.
  await inTenant(instance.db, owner.accountId, (trx) =>
    postCredits(trx, { kind: 'adjust', credits: -5_000, subject: randomUUID() }),
  )
  await confirm.click()
  await page.getByText('Insufficient credits (5,000 short)').waitFor()
  expect(JSON.parse((await owner.sendRequest('GET', '/bulk/jobs')).text)).toEqual([])
})

test('an unsuitable file is rejected with the reason and advice', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new')
  await stepHeading(page, 'Upload a file').waitFor()
  const zip = [0x50, 0x4b, 3, 4, ...Array.from({ length: 500 }, (_, n) => n % 251)]
  const refusals: [string, string | number[], string][] = [
    ['sheet.xlsx', zip, 'Neither CSV nor XLSX'],
    ['empty.csv', '', 'Empty file'],
    ['names.csv', 'name,city\nAda,London\n', 'No email column'],
    ['quote.csv', 'email,note\nada@example.com,"open\n', 'Malformed CSV'],
    ['wide.csv', `email,${','.repeat(300)}\nada@example.com\n`, 'Too many columns'],
  ]
  for (const [name, content, title] of refusals) {
    await dropFiles(page, [{ name, content }])
    await page.getByRole('alert').getByText(title, { exact: true }).waitFor()
  }
  await expectAccessible(page)
  await dropFiles(page, [
    { name: 'one.csv', content: 'email\n' },
    { name: 'two.csv', content: 'email\n' },
  ])
  await page.getByRole('alert').getByText('One file at a time').waitFor()

  const columns = Array.from({ length: 99 }, (_, n) => `column ${n}`)
  await dropFiles(page, [{ name: 'wide.csv', content: `${columns},email\n${columns},ada@example.com\n` }])
  await stepHeading(page, CHOOSE).waitFor()
  await page.getByText('99 columns without addresses').waitFor()
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('a file larger than 50 MiB is rejected before the upload', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new')
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.locator('input[type=file]').evaluate((input: HTMLInputElement) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([new Uint8Array(50 * 1024 * 1024 + 1)], 'large.csv'))
    input.files = dataTransfer.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await page.getByRole('alert').getByText('File too large').waitFor()
  expect(sent.filter((url) => url.includes('preview'))).toEqual([])
})

test('a canceled upload leaves no draft behind', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context, { allows: /ERR_/ })
  await page.goto('/app/lists/new')
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/bulk/upload/preview', (route) => held.then(() => route.abort()))
  await choose(page, 'slow.csv', 'email\nada@example.com\n')
  await page.getByRole('progressbar', { name: 'Upload of slow.csv' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  const zone = page.getByRole('button', { name: /Choose a file/ })
  await expectFocus(zone, SOON)
  expect(await page.getByRole('alert').count()).toBe(0)
  release()
  expect(JSON.parse((await owner.sendRequest('GET', '/bulk/uploads')).text)).toEqual([])
})

test('pasted addresses become a list, wherever the focus is', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new')
  await stepHeading(page, 'Upload a file').waitFor()
  const text =
    'Ada Lovelace <ada@example.com>, bob@example.com\nno address here\n"Carol" carol@example.com;\nADA@example.com'
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.keyboard.press('Control+V')
  await page.getByText('4 addresses found. 1 line without an address skipped.').waitFor()
  await page.getByRole('button', { name: 'Use these addresses' }).click()
  await stepHeading(page, CHOOSE).waitFor()
  await page.getByRole('cell', { name: 'bob@example.com' }).waitFor()
  expect(await page.getByRole('table').getByRole('cell').allInnerTexts()).toEqual([
    'ada@example.com',
    'bob@example.com',
    'carol@example.com',
    'ADA@example.com',
  ])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Validate 3 addresses for 3 credits' }).waitFor()
})

test('page, search and status are kept in the URL of the overview', async () => {
  const owner = await signUpUser(browser, instance)
  const csv = 'email\nvalid@example.com\n'
  await startListAs(owner, csv, { filename: 'Wanted 100%.csv' })
  for (let n = 1; n <= 20; n++) await startListAs(owner, csv, { filename: `list-${n}.csv` })
  const page = await onePage(owner.context)
  await page.goto('/app/lists?mode=test')
  const links = page.getByRole('table', { name: 'Lists' }).getByRole('link')
  await page.getByText('1–20 of 21').waitFor()
  expect(await links.count()).toBe(20)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('21–21 of 21').waitFor()
  await page.reload()
  await vi.waitFor(async () => expect(await links.allTextContents()).toEqual(['Wanted 100%.csv']), SOON)

  const search = page.getByRole('searchbox', { name: 'Search by name' })
  await search.fill('LIST-1')
  await page.getByText('11 lists found.').waitFor()
  expect(await links.count()).toBe(11)
  expect(new URL(page.url()).search).toBe('?mode=test&search=LIST-1')
  await search.fill('100%')
  await vi.waitFor(async () => expect(await links.allTextContents()).toEqual(['Wanted 100%.csv']), SOON)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed')
  await page.getByRole('heading', { name: 'No lists match these filters' }).waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('heading', { name: 'No lists match these filters' }).waitFor()
  expect(await search.inputValue()).toBe('100%')
  await page.getByRole('link', { name: 'Show all lists' }).click()
  await page.getByText('1–20 of 21').waitFor()
  expect(await search.inputValue()).toBe('')
  expect(new URL(page.url()).search).toBe('?mode=test')
})

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

test('a list is created from the sample file by keyboard alone', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists?mode=test')
  await stepHeading(page, 'No lists in test mode yet').waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Use sample file', exact: true }))
  await page.keyboard.press('Enter')
  await stepHeading(page, CHOOSE).waitFor()
  await tabTo(page, page.locator('input[type=radio][value="email"]'))
  await page.keyboard.press('Enter')

  await page.getByText('free in test mode').waitFor()
  expect(await focusedText(page)).toBe(REVIEW)
  expect(await page.locator('[aria-current=step]').textContent()).toContain('Review')
  await expectAccessible(page)
  await tabTo(page, page.getByRole('button', { name: 'Validate 117 addresses in test mode', exact: true }))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/lists\/[0-9a-f-]{36}\?mode=test/)
  await page.getByRole('heading', { level: 1, name: /sample\.csv/ }).waitFor()
  expect(await creditsOf(owner)).toMatchObject({ available: CREDITS, reserved: 0 })

  await page.goto('/app/lists?mode=test')
  await page.getByRole('link', { name: 'sample.csv' }).first().waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('the sample file is uploaded with one click from live mode, and only once', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/lists/new')
  await page.getByRole('link', { name: 'Use sample file in test mode' }).click()
  await page.waitForURL(/\/app\/lists\/new\?.*upload=/)
  await page.getByText('sample.csv').first().waitFor()
  expect(new URL(page.url()).searchParams.get('mode')).toBe('test')
  await page.goBack()
  await page.getByRole('button', { name: 'Use sample file' }).waitFor()
  expect(new URL(page.url()).searchParams.get('sample')).toBeNull()
})

test('a viewer sees lists and drafts, and which roles may create them', async () => {
  const owner = await signUpUser(browser, instance)
  const viewer = await signUpUser(browser, instance, { name: 'Mary Somerville', invitedBy: owner, role: 'viewer' })
  const uploader = await onePage(owner.context)
  await uploader.goto('/app/lists/new')
  await choose(uploader, 'contacts.csv', 'email\nada@example.com\n')
  await stepHeading(uploader, CHOOSE).waitFor()

  const page = await onePage(viewer.context)
  await page.goto('/app/lists')
  await page.getByText('contacts.csv').waitFor()
  await page.getByText('Creating one requires the role owner, admin, developer or marketer.').waitFor()
  expect(await page.getByRole('link', { name: /Continue|New list/ }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /Discard|Choose a file/ }).count()).toBe(0)
  await expectAccessible(page)
  await page.goto('/app/lists/new')
  await page.getByRole('heading', { name: 'You cannot create lists' }).waitFor()
})
