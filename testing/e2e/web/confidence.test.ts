import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { countOutcomes } from '@probity/database/feedback/outcomes'
import { reportOf, testOutcome } from '@probity/database/feedback/test-outcomes'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { expectNoSidewaysScroll, loaded, onePage, startBrowser } from '../browser/browser.ts'
import { finishListAs } from '../browser/user-jobs.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { listSettings } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { OPEN } from '../environment/programs.ts'

/** The deliverability section and the safe-to-send settings, with one catch-all server and one that rejects unknown recipients. */
const ALL_HOST = 'mx.all.example'
const NAMES = {
  'truthful.example': { mx: [[10, 'mx.truthful.example']] },
  'mx.truthful.example': { a: ['127.95.0.1'] },
  'all.example': { mx: [[10, ALL_HOST]] },
  'known.example': { mx: [[10, ALL_HOST]] },
  'off.example': { mx: [[10, ALL_HOST]] },
  [ALL_HOST]: { a: ['127.95.0.2'] },
} satisfies Record<string, object>

const [database, redis, dns, port] = await Promise.all([
  createTestDatabase(),
  startRedis(),
  startDns({ names: NAMES as never, faults: {} }),
  freePort(),
])
whenDone(() => Promise.all([redis.stop(), dns.stop()]))
const isThere = (to: string) => /^(ada|info)/.test(to)
const servers = await Promise.all([
  startScripted(
    { rcpt: (_, to) => (isThere(to) ? '250 2.1.5 Ok' : '550 5.1.1 User unknown') },
    { host: '127.95.0.1', port },
  ),
  startScripted({}, { host: '127.95.0.2', port }),
])
for (const server of servers) whenDone(() => server.stop())
const settings = { ...listSettings(database.url, redis.url), ...OPEN }
const allows = (address: string) => address.startsWith('127.95.')
await startWorkerHere({ settings, dnsPort: dns.port, smtpPort: port, allows })
const api = await startApiProcess(settings)
const browser = await startBrowser()
const ada = await signUpUser(browser, { api })

type Weighed = { deliverability: number; evidence: { log_odds?: number }[] }

/** The result on the page, and the same result as JSON. */
async function sendRequest(
  person: TestUser,
  email: string,
  query = '',
): Promise<{ answer: Locator; page: Page; result: Weighed }> {
  const page = await onePage(person.context)
  await page.goto(`/app/validate${query}`)
  await page.getByLabel('Email address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'JSON' }).click()
  const code = page.getByRole('tabpanel').locator('code, pre').first()
  const result = JSON.parse((await code.textContent()) ?? '') as Weighed
  await page.getByRole('tab', { name: 'Details' }).click()
  return { answer: page.getByRole('tabpanel'), page, result }
}

/** The findings in the calculation of the deliverability. */
function partsOf(answer: Locator): Locator {
  return answer.locator('h4:has-text("Calculation") ~ ol > li')
}

test('a result at a new catch-all domain shows the deliverability, its calculation and why it is not safe to send', async () => {
  const { answer, result } = await sendRequest(ada, 'ada.lovelace@all.example')
  await answer.getByRole('heading', { name: 'Deliverability' }).waitFor()
  const n = Math.round(result.deliverability * 100)
  await answer.getByText(`(about ${n} of 100 messages do not bounce).`).waitFor()
  await answer
    .getByText('above your bounce tolerance of 3%')
    .filter({ hasText: 'only outcomes reported for the domain can improve the estimate' })
    .waitFor()
  await answer.getByText('Not safe to send', { exact: true }).waitFor()

  const parts = await partsOf(answer).allTextContents()
  expect(parts).toHaveLength(result.evidence.filter(({ log_odds }) => log_odds !== undefined).length)
  expect(parts[0]).toMatch(/^Catch-all test.*Base rate for catch-all domains: \d/)
  expect(parts.at(-1)).toMatch(/^Address text/)
  const share = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
  expect(parts.at(-1)).toContain(`Deliverability so far: ${share.format(result.deliverability)}`)
})

test('the log-odds add up to the deliverability and can be opened with the keyboard', async () => {
  const { answer, page, result } = await sendRequest(ada, 'ada.byron@all.example')
  await answer.getByText('Show log-odds').focus()
  await page.keyboard.press('Enter')
  const figures = (await answer.locator('details[open] dd').allTextContents()).map(Number)
  const sum = figures.slice(0, -1).reduce((total, figure) => total + figure, 0)
  const { deliverability: p } = result
  expect(figures.at(-1)).toBeCloseTo(Math.log(p / (1 - p)), 2)
  expect(sum).toBeCloseTo(figures.at(-1) ?? 0, 2)
})

test('an address that looks auto-generated is labeled so, with the name of the model', async () => {
  const { answer } = await sendRequest(ada, 'xk7qzvw9trb4@all.example')
  await answer.getByRole('list', { name: 'Address traits' }).getByText('Looks auto-generated').waitFor()
  const text = partsOf(answer).filter({ hasText: 'Address text' })
  expect(await text.textContent()).toMatch(/Looks auto-generated.*(Strong|Moderate) negative signal/)
  await answer.getByText(/Deliverability adjusted by the model probity-local-\S+/).waitFor()
  await answer.getByText(/Your settings exclude addresses that look auto-generated/).waitFor()
  expect(await answer.textContent()).not.toMatch(/\bfake\b/i)
})

test('reported outcomes make an address at a catch-all domain safe to send, and the page says so', async () => {
  const emails = Array.from({ length: 80 }, (_, n) => `person${n}@known.example`)
  const messages = emails.map((email) => ({ email, delivery: 'delivered' }))
  expect(await ada.sendRequest('POST', '/feedback', { messages })).toMatchObject({ status: 200 })
  const { answer, page } = await sendRequest(ada, 'ada.king@known.example')
  await answer.getByText(/^Confirmed by outcomes reported for the domain/).waitFor()
  await answer.getByText('Safe to send', { exact: true }).waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^Risky\. Safe to send\. / })
    .waitFor()
  const history = partsOf(answer).filter({ hasText: 'Delivery history' })
  expect(await history.textContent()).toMatch(/Mostly delivered.*positive signal/)
})

test('the page says when the model is disabled for the provider', async () => {
  const grace = await signUpUser(browser, { api }, { name: 'Grace Hopper', organisation: 'Often Wrong' })
  const prediction = { p: 0.9, subStatus: 'catch_all', provider: '', isDecided: false }
  // Written directly: otherwise each address would have to be validated first.
  const outcomes = Array.from({ length: 510 }, (_, n) =>
    testOutcome(`person${n}@off.example`, { outcome: 'bounced', prediction }),
  )
  const { accountId } = grace
  await inTenant(database.db, accountId, (trx) => countOutcomes(trx, accountId, reportOf(outcomes)))
  const { answer } = await sendRequest(grace, 'ada.lovelace@off.example')
  await answer.getByText('Model disabled for this provider').waitFor()
  expect(await partsOf(answer).count()).toBe(1)
})

test('a conclusive SMTP reply is the only part of the calculation, and the model is not used', async () => {
  const { answer: valid } = await sendRequest(ada, 'ada@truthful.example')
  await valid.getByText('Estimated deliverability: 98.5% (about 985 of 1,000 messages do not bounce).').waitFor()
  await valid.getByText('The expected bounce rate is about 1.5%, within your bounce tolerance of 3%.').waitFor()
  await valid.getByText('Model not used: the checks are conclusive.').waitFor()
  expect(await partsOf(valid).allTextContents()).toEqual([expect.stringMatching(/^SMTP probe/)])

  const { answer: role } = await sendRequest(ada, 'info@truthful.example')
  await role.getByText('Your settings exclude role addresses.').waitFor()
  const { answer: invalid } = await sendRequest(ada, 'bob@truthful.example')
  await invalid.getByText('Do not send', { exact: true }).waitFor()
  await invalid.getByText('Estimated deliverability: 1% (about 10 of 1,000 messages do not bounce).').waitFor()
})

test('a row of a list is explained like a single address', async () => {
  const id = await finishListAs(ada, 'email\nada.lovelace@all.example\n', { mode: 'live' })
  const page = await onePage(ada.context)
  await page.goto(`/app/lists/${id}?row=2`)
  const drawer = page.getByRole('dialog')
  await drawer.getByText(/\(about \d+ of 100 messages do not bounce\)\.$/).waitFor()
  await drawer.getByText('Not safe to send', { exact: true }).waitFor()
  await drawer.getByText(/^The expected bounce rate is/).waitFor()
  expect(await partsOf(drawer).count()).toBeGreaterThan(1)
  await expectAccessible(page)
})

test('the deliverability section is not shown in test mode', async () => {
  for (const name of ['valid', 'catch-all', 'role']) {
    const { answer } = await sendRequest(ada, `${name}@example.com`, '?mode=test')
    await answer.getByRole('heading', { name: 'Evidence' }).waitFor()
    expect(await answer.getByText(/messages do not bounce|Model not used|Calculation/).count()).toBe(0)
  }
})

test('the explanation is accessible on wide and narrow screens, light and dark, and with reduced motion', async () => {
  const { answer, page } = await sendRequest(ada, 'xk7qzvw9trb4@all.example')
  await answer.getByText('Show log-odds').click()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('an owner changes bounce tolerance and exclusions, and the explanation uses them', async () => {
  const owner = await signUpUser(browser, { api }, { organisation: 'Careful Senders' })
  const page = await onePage(owner.context)
  await page.goto('/app/settings/account')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounce tolerance (%)') })
  const borne = form.getByLabel('Bounce tolerance (%)')
  expect(await borne.inputValue()).toBe('3')
  expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(3)

  for (const wrong of ['0.05', '51', 'three']) {
    await borne.fill(wrong)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Enter a number from 0.1 to 50.' }).waitFor()
  }
  await expectAccessible(page)
  expect((await owner.sendRequest('GET', '/account')).body).toMatchObject({ sending: { threshold: 0.97 } })

  await borne.fill('1')
  await form.getByText(/Stricter than an SMTP confirmation: about 1\.5% of confirmed addresses bounce/).waitFor()
  await form.getByLabel('Role addresses').focus()
  await page.keyboard.press('Space')
  await form.getByLabel('Free providers').check()
  await form.getByText('Unsaved changes.').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Saved.').waitFor()
  expect((await owner.sendRequest('GET', '/account')).body).toMatchObject({
    sending: { threshold: 0.99, excluded_traits: ['disposable', 'machine_generated', 'free'] },
  })
  await page.reload()
  await loaded(page)
  expect(await borne.inputValue()).toBe('1')
  expect(await form.getByLabel('Role addresses').isChecked()).toBe(false)

  const { answer } = await sendRequest(owner, 'ada@truthful.example')
  await answer.getByText(/bounce rate is about 1\.5%, above your bounce tolerance of 1%\./).waitFor()
})

test('a rejected change is shown above the form, and the input stays', async () => {
  const page = await onePage(ada.context, { allows: /status of 500/ })
  await page.goto('/app/settings/account')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounce tolerance (%)') })
  const failure = {
    status: 500,
    contentType: 'application/problem+json',
    body: '{"code":"internal_error","status":500}',
  }
  await page.route('**/app/api/account', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill(failure) : route.fallback(),
  )
  await form.getByLabel('Bounce tolerance (%)').fill('5')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('group').filter({ hasText: /\S/ }).first().waitFor()
  expect(await form.getByLabel('Bounce tolerance (%)').inputValue()).toBe('5')
  expect(await form.getByText('Saved.').count()).toBe(0)
})

test('a viewer sees bounce tolerance and exclusions and cannot change them', async () => {
  const viewer = await signUpUser(browser, { api }, { name: 'Mary Shelley', invitedBy: ada, role: 'viewer' })
  const page = await onePage(viewer.context)
  await page.goto('/app/settings/account')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounce tolerance (%)') })
  expect(await form.getByLabel('Bounce tolerance (%)').isEditable()).toBe(false)
  const boxes = await form.getByRole('checkbox').all()
  expect(await Promise.all(boxes.map((box) => box.isChecked()))).toEqual([true, true, true, false, false, false])
  expect(await Promise.all(boxes.map((box) => box.isDisabled()))).toEqual(boxes.map(() => true))
  expect(await form.getByRole('button', { name: 'Save' }).count()).toBe(0)
})
