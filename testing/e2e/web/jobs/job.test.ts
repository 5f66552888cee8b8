import { readFile } from 'node:fs/promises'
import type { BulkJob } from '@probity/sdk'
import type { Locator, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { expectNoSidewaysScroll, onePage, startBrowser } from '../../browser/browser.ts'
import { expectFocus, tabTo } from '../../browser/keyboard.ts'
import { finishListAs, startListAs } from '../../browser/user-jobs.ts'
import { signUpUser, type TestUser } from '../../browser/users.ts'
import { startOpenSimulation } from '../../environment/open-instance.ts'

const ROWS = 4_000
const CREDITS = 10_000
const SOON = { timeout: 20_000, interval: 100 }

const instance = await startOpenSimulation(ROWS)
const browser = await startBrowser()

/** Sandbox cases with known results. */
const KINDS = { valid: 40, role: 10, risky: 12, 'mailbox-full': 5, invalid: 20, 'provider-unverifiable': 8, unknown: 5 }
const ALL = Object.values(KINDS).reduce((sum, count) => sum + count, 0)
const REPEATED = 3

function sandboxCsv(): string {
  const emails = Object.entries(KINDS).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => `person${n}+${name}@domain${n % 3}.example`),
  )
  return `name,email\n${[...emails, ...emails.slice(0, REPEATED)].map((email, n) => `Person ${n},${email}\n`).join('')}`
}

async function finishedList(owner: TestUser): Promise<string> {
  const jobId = await finishListAs(owner, sandboxCsv(), { filename: 'members.csv' })
  return `/app/lists/${jobId}?mode=test`
}

function worldCsv(rows: number): string {
  const emails = instance.simulation.draw(rows).map(({ email }) => `${email}\n`)
  return `email\n${emails.join('')}`
}

async function getJob(person: TestUser, jobId: string): Promise<BulkJob> {
  return (await person.sendRequest('GET', `/bulk/jobs/${jobId}`)).body as unknown as BulkJob
}

const heading = (page: Page, text: RegExp) => page.getByRole('heading', { level: 1, name: text })

test('without the event stream the page polls and shows changes and the end', async () => {
  const owner = await signUpUser(browser, instance)
  const jobId = await startListAs(owner, worldCsv(500), { mode: 'live' })
  expect(await owner.sendRequest('POST', `/bulk/jobs/${jobId}/pause`)).toMatchObject({ status: 200 })
  const page = await onePage(owner.context, { allows: /ERR_FAILED/ })
  await page.route('**/events', (route) => route.abort())
  await page.goto(`/app/lists/${jobId}`)
  await heading(page, /Paused/).waitFor()
  await page.getByText(/^Updating every \d+ s$/).waitFor()
  expect(await owner.sendRequest('POST', `/bulk/jobs/${jobId}/resume`)).toMatchObject({ status: 200 })
  await heading(page, /Completed/).waitFor({ timeout: 60_000 })
  await page
    .getByText(/ valid, .* invalid/)
    .first()
    .waitFor()
})

test('filters are kept in the URL: they survive a reload, and a colleague sees the same', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto(await finishedList(owner))
  await page.getByText('50 valid, 17 risky, 20 invalid, 13 unknown.').waitFor()
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Breakdown' }).click()
  await page.getByRole('link', { name: 'Mailbox not found' }).click()
  const found = page.getByText(`20 of ${ALL} addresses found.`)
  await found.waitFor()
  await page.getByLabel('Domain', { exact: true }).fill('domain1.example')
  const fewer = page.getByText(`7 of ${ALL} addresses found.`)
  await fewer.waitFor()
  await page.getByLabel('Address contains').fill('PERSON1+')
  await page.getByText(`1 of ${ALL} addresses found.`).waitFor()
  await page.goBack()
  await fewer.waitFor()
  expect(await page.getByLabel('Address contains').inputValue()).toBe('')
  await page.reload()
  await fewer.waitFor()
  expect(await page.getByLabel('Reason', { exact: true }).inputValue()).toBe('mailbox_not_found')
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    mode: 'test',
    tab: 'results',
    sub_status: 'mailbox_not_found',
    domain: 'domain1.example',
  })

  const colleague = await signUpUser(browser, instance, { name: 'Mary Somerville', invitedBy: owner, role: 'viewer' })
  const theirs = await onePage(colleague.context)
  await theirs.goto(page.url())
  await theirs.getByText(`7 of ${ALL} addresses found.`).waitFor()
  await theirs.getByText('Pausing, canceling and deleting require the role owner').waitFor()
  await theirs.getByRole('button', { name: 'More actions' }).click()
  expect(await theirs.getByRole('menuitem').allTextContents()).toEqual(['Compare with an earlier list'])

  await page.getByLabel('Verdict', { exact: true }).selectOption('risky')
  await page.getByText('No results match these filters').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText(`${ALL} addresses.`, { exact: true }).waitFor()
})

test('a result opens with its evidence under its own URL, and returns the focus', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  const address = await finishedList(owner)
  await page.goto(address)
  await page.getByRole('tab', { name: 'Results' }).click()
  const link = page.getByRole('link', { name: 'person1+valid@domain1.example' })
  await link.click()
  const drawer = page.getByRole('dialog', { name: 'person1+valid@domain1.example', exact: true })
  await drawer.getByRole('heading', { name: 'Evidence' }).waitFor()
  await drawer.getByText('Row 3 of the file').waitFor()
  await expectAccessible(page)
  expect(new URL(page.url()).searchParams.get('row')).toBe('3')

  // Next and previous, over the end of the page of 50.
  await page.keyboard.press('j')
  await page.getByRole('dialog', { name: 'person2+valid@domain2.example', exact: true }).waitFor()
  await page.keyboard.press('k')
  await drawer.waitFor()
  await page.goto(`${address}&row=51`)
  await page.getByRole('dialog').getByRole('heading', { name: 'Evidence' }).waitFor()
  await page.getByRole('button', { name: /^Next result/ }).click()
  await page.getByText('Row 52 of the file').waitFor()
  expect(new URL(page.url()).searchParams.get('skip')).toBe('50')
  await page.getByRole('button', { name: /^Previous result/ }).click()
  await page.getByText('Row 51 of the file').waitFor()
  await page.goto(`${address}&tab=results`)
  await link.click()
  await drawer.waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).searchParams.get('row')).toBeNull()
  await expectFocus(link)

  await page.goto(`${address}&row=3`)
  await drawer.getByRole('heading', { name: 'Evidence' }).waitFor()
  await page.goto(`${address}&row=99999`)
  await page.getByRole('dialog').getByRole('heading', { name: 'Not found', exact: true }).waitFor()
})

const PLANS = [
  { name: 'Safest', keeps: /\+valid@/ },
  { name: 'Balanced', keeps: /\+(valid|role|risky|provider-unverifiable)@/ },
  { name: 'All but bounces', keeps: /\+(?!invalid@)/ },
]

test('the keep and remove files of a preset match the page and add up to the whole list', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto(await finishedList(owner))
  for (const { name, keeps } of PLANS) {
    const card = page.locator('label').filter({ has: page.getByRole('radio', { name: new RegExp(name) }) })
    await card.click()
    const [, kept = '', removed = ''] = /(\d+)kept, (\d+) removed/.exec((await card.textContent()) ?? '') ?? []
    const keep = await download(page, page.getByRole('button', { name: `Download ${kept} to keep` }))
    const remove = await download(page, page.getByRole('button', { name: `Download ${removed} to remove` }))
    expect([emailsOf(keep.text).size, emailsOf(remove.text).size]).toEqual([Number(kept), Number(removed)])
    expect([...emailsOf(keep.text)].filter((email) => !keeps.test(email))).toEqual([])
    expect([...emailsOf(remove.text)].filter((email) => keeps.test(email))).toEqual([])
    expect(linesOf(keep.text).length + linesOf(remove.text).length).toBe(ALL) // without duplicates
    expect([keep.text.includes('probity_status'), remove.text.includes('probity_status')]).toEqual([false, true])
    const plan = name.toLowerCase().replaceAll(' ', '-')
    expect([keep.name, remove.name]).toEqual([`members-to-keep-${plan}.csv`, `members-to-remove-${plan}.csv`])
  }
})

test('results are filtered, opened and downloaded by keyboard alone', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto(`${await finishedList(owner)}&tab=results`)
  await page.getByRole('table', { name: 'Results', exact: true }).waitFor()

  await tabTo(page, page.getByRole('button', { name: 'Download', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Download' }).waitFor()
  await tabTo(page, page.getByRole('radio', { name: 'Original file with result columns' }))
  await page.keyboard.press('ArrowUp')
  expect(await page.getByRole('radio', { name: 'JSON Lines' }).isChecked()).toBe(true)
  const coming = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await coming).suggestedFilename()).toBe('members-results.ndjson')
  await page.keyboard.press('Escape')

  await tabTo(page, page.getByLabel('Verdict', { exact: true }))
  await page.keyboard.press('i')
  await page.getByText(`20 of ${ALL} addresses found.`).waitFor()
  await expectFocus(page.getByLabel('Verdict', { exact: true }))
  await tabTo(page, page.getByRole('link', { name: /\+invalid@/ }).first())
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('heading', { name: 'Evidence' }).waitFor()
})

test('results are sorted, selected, blocked, downloaded and validated again', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto(`${await finishedList(owner)}&tab=results`)
  const first = page.getByRole('table', { name: 'Results', exact: true }).locator('tbody tr').first()
  await first.waitFor()
  await page.getByRole('button', { name: 'Verdict' }).click()
  await page.getByRole('button', { name: 'Verdict' }).click()
  await first.getByText('Unknown', { exact: true }).waitFor()
  await page.reload()
  await first.getByText('Unknown', { exact: true }).waitFor()
  await page.getByLabel('Results per page').selectOption('25')
  await page.getByText(`1–25 of ${ALL}`).waitFor()

  await page.getByRole('checkbox', { name: 'Select person0+unknown@domain0.example' }).check()
  await page.getByRole('checkbox', { name: 'Select person1+unknown@domain1.example' }).check()
  const bar = page.getByRole('region', { name: 'Actions for the selected results' })
  await bar.getByText('2 results selected').waitFor()
  await expectAccessible(page)
  const { text } = await download(page, bar.getByRole('button', { name: 'Download' }))
  expect([...emailsOf(text)]).toEqual(['person0+unknown@domain0.example', 'person1+unknown@domain1.example'])
  await bar.getByRole('button', { name: 'Block' }).click()
  await page.getByText('2 addresses blocked.').waitFor()
  const overrides: { action: string }[] = JSON.parse((await owner.sendRequest('GET', '/overrides')).text)
  expect(overrides.map(({ action }) => action)).toEqual(['block', 'block'])
  await bar.getByRole('button', { name: 'Validate again' }).click()
  await page.getByRole('heading', { name: 'Review and confirm' }).waitFor()
  await page.getByText('members-again.csv').waitFor()
})

test('a deleted list is not found when it is opened', async () => {
  const owner = await signUpUser(browser, instance)
  const page = await onePage(owner.context, { width: 320, height: 700 })
  const address = await finishedList(owner)
  await page.goto(address)
  await page.getByRole('tab', { name: 'Results', exact: true }).click()
  await page.getByRole('heading', { name: 'Results', exact: true }).waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete list' }).click()
  await page.getByRole('button', { name: 'Delete list' }).click()
  await page.waitForURL(/\/app\/lists\?/)
  await page.goto(address)
  await page.getByRole('heading', { name: 'List not found' }).waitFor()
})

test('a list is paused, resumed and canceled, and its unused credits are released', async () => {
  const owner = await signUpUser(browser, instance)
  const jobId = await startListAs(owner, worldCsv(ROWS), { mode: 'live' })
  await vi.waitFor(async () => expect((await getJob(owner, jobId)).done_count).toBeGreaterThan(0), SOON)
  // The last test of this file: without a worker the list keeps its state while it is examined.
  await instance.worker.kill()
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}`)
  await page.getByText('Updating', { exact: true }).waitFor()
  await page.getByText('You can close this page. Validation continues in the background.').waitFor()
  expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).not.toBe('0')

  await page.getByRole('button', { name: 'Pause' }).click()
  const pause = page.getByRole('alertdialog', { name: 'Pause this list?' })
  expect(await pause.textContent()).toMatch(/Results so far are kept\. [\d,]+ credits stay reserved/)
  await pause.getByRole('button', { name: 'Pause' }).click()
  await heading(page, /Paused/).waitFor()
  await expectAccessible(page)

  // Escape closes the dialog and returns the focus.
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Cancel list' }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expectFocus(page.getByRole('button', { name: 'More actions' }))

  await page.getByRole('button', { name: 'Resume' }).click()
  await heading(page, /Validating/).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Cancel list' }).click()
  const cancel = page.getByRole('alertdialog', { name: 'Cancel this list?' })
  expect(await cancel.textContent()).toMatch(/[\d,]+ results are kept\. [\d,]+ unused credits are released\./)
  await cancel.getByRole('button', { name: 'Cancel list' }).click()
  await heading(page, /Canceled/).waitFor()

  const { credits, done_count: done } = await getJob(owner, jobId)
  expect(credits).toMatchObject({ reserved: 0, used: done })
  const left = CREDITS - done + credits.refunded
  const account = (await owner.sendRequest('GET', '/account')).body['credits']
  expect(account).toMatchObject({ available: left, reserved: 0 })
  await page.getByRole('banner').getByText(left.toLocaleString('en-GB')).waitFor()
  await page
    .getByText(/addresses have a result\. [\d,]+ addresses were not validated, and the credits were released\./)
    .waitFor()
})

async function download(page: Page, button: Locator): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent('download')
  await button.click()
  const file = await coming
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

function linesOf(sheet: string): string[] {
  return sheet
    .split('\r\n')
    .slice(1)
    .filter((line) => line !== '')
}

function emailsOf(sheet: string): Set<string> {
  return new Set(linesOf(sheet).map((line) => line.split(',')[1]?.replaceAll('"', '') ?? ''))
}
