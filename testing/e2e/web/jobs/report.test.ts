import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../../browser/accessibility.ts'
import { expectNoSidewaysScroll, onePage, openWindow, startBrowser } from '../../browser/browser.ts'
import { choose } from '../../browser/page-states.ts'
import { finishListAs } from '../../browser/user-jobs.ts'
import { heading, signUpUser } from '../../browser/users.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance, { organisation: 'Analytical Engines' })

/** More reasons than a table of the report has rows, and a domain that must not be published. */
const CASES = [
  'valid',
  'role',
  'risky',
  'mailbox-full',
  'invalid',
  'provider-unverifiable',
  'unknown',
  'disposable',
  'mailbox-not-found',
  'greylisted-not',
]
const DOMAIN = `d-${randomUUID()}.example`
const csv = `name,email\n${CASES.flatMap((name) => [1, 2].map((n) => `Ada Canary,canary${n}+${name}@${DOMAIN}\n`)).join('')}`
const jobId = await finishListAs(owner, csv, { filename: `${'Members of the autumn fair '.repeat(7)}.csv` })

async function shareReport(): Promise<string> {
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Share a report')(page)
  await page.getByRole('button', { name: 'Create link' }).click()
  const url = await page.getByLabel(/^Link, expires/).inputValue()
  await expectAccessible(page)
  return url
}

test('a shared report opens without a login, shows sums only, and prints on one sheet', async () => {
  const url = await shareReport()
  expect(url).toMatch(/^http:\/\/[^/]+\/app\/report#[\w-]{43}$/)
  const page = await onePage(await openWindow(browser, instance))
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`))
  const responses: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/app/api/')) void response.text().then((text) => responses.push(text))
  })
  await page.goto(url)
  await heading(page, /^Members of the autumn fair/).waitFor()
  await page.getByText('Results by reason').first().waitFor()
  await expectAccessible(page)
  await vi.waitFor(() => expect(responses.join()).toContain('by_reason'))
  const shown = `${await page.content()} ${responses.join()}`
  for (const secret of ['canary', 'Canary', DOMAIN, owner.accountId, owner.email, 'Analytical', jobId]) {
    expect(shown).not.toContain(secret)
  }
  const [, token = ''] = url.split('#')
  // The token is part of no URL that is sent.
  expect(requests.filter((request) => request.split(' ')[0]?.split('#')[0]?.includes(token))).toEqual([])

  for (const format of ['A4', 'Letter']) {
    const pdf = (await page.pdf({ format })).toString('latin1')
    expect([format, pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length]).toEqual([format, 1])
  }
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSidewaysScroll(page)
})

test('a revoked link shows no report', async () => {
  const url = await shareReport()
  const page = await onePage(owner.context)
  await page.goto(`/app/lists/${jobId}?mode=test`)
  await choose('More actions', 'Share a report')(page)
  const revoke = page.getByRole('button', { name: /^Revoke the link/ })
  await revoke.first().waitFor()
  const links = await revoke.count()
  for (let n = links; n > 0; n--) {
    await revoke.first().click()
    await vi.waitFor(async () => expect(await revoke.count()).toBe(n - 1))
  }
  await page.getByText('No links. The report is not shared.').waitFor()
  const reader = await onePage(await openWindow(browser, instance))
  await reader.goto(url)
  await heading(reader, 'Report not available').waitFor()
})
