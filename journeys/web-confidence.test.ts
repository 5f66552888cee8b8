import { inTenant } from '@probity/database/connect'
import { countOutcomes } from '@probity/database/outcomes'
import { createTestDatabase } from '@probity/database/test-database'
import { reportOf, testOutcome } from '@probity/database/test-outcomes'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { OPEN } from './programs.ts'
import { expectAccessible } from './test-accessible.ts'
import { expectNoSidewaysScroll, loaded, onePage, startBrowser } from './test-browser.ts'
import { listSettings } from './test-lists.ts'
import { openPerson, type Person } from './test-people.ts'
import { finishListAs } from './test-person-lists.ts'
import { startApiProcess } from './test-process.ts'
import { startWorkerHere } from './test-worker.ts'

/** What a chance is made of, as people see it, and what they call safe, over one server that accepts all and one that does not. */
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
const ada = await openPerson(browser, { api })

type Weighed = { deliverability: number; evidence: { log_odds?: number }[] }

/** The answer on the page, and the same answer as a program has it. */
async function ask(person: Person, email: string, query = ''): Promise<{ answer: Locator; page: Page; told: Weighed }> {
  const page = await onePage(person.context)
  await page.goto(`/app/validate${query}`)
  await page.getByLabel('Email address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'JSON' }).click()
  const code = page.getByRole('tabpanel').locator('code, pre').first()
  const told = JSON.parse((await code.textContent()) ?? '') as Weighed
  await page.getByRole('tab', { name: 'Explained' }).click()
  return { answer: page.getByRole('tabpanel'), page, told }
}

/** The findings that the page says the chance is made of. */
function partsOf(answer: Locator): Locator {
  return answer.locator('h4:has-text("What it is made of") ~ ol > li')
}

test('an address at a fresh catch-all: the chance in messages, its parts in order, and why it is not safe', async () => {
  const { answer, told } = await ask(ada, 'ada.lovelace@all.example')
  await answer.getByRole('heading', { name: 'Will it bounce?' }).waitFor()
  const n = Math.round(told.deliverability * 100)
  await answer.getByText(`Of 100 such messages, about ${n} would not bounce.`).waitFor()
  await answer
    .getByText(`you bear 3 bounces in 100, and about`)
    .filter({ hasText: 'Not safe to send' })
    .filter({ hasText: 'only outcomes reported for its domain could tell more' })
    .waitFor()
  await answer.getByText('Send with care', { exact: true }).waitFor()

  const parts = await partsOf(answer).allTextContents()
  expect(parts).toHaveLength(told.evidence.filter(({ log_odds }) => log_odds !== undefined).length)
  expect(parts[0]).toMatch(
    /^Catch-all test.*Speaks somewhat for the address\. This is where addresses of its kind start/,
  )
  expect(parts.at(-1)).toMatch(/^Text of the address/)
  const share = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
  expect(parts.at(-1)).toContain(`Now the chance is ${share.format(told.deliverability)}`)
})

test('the figures behind the words add up, and can be opened with the keyboard', async () => {
  const { answer, page, told } = await ask(ada, 'ada.byron@all.example')
  await answer.getByText('The same in figures').focus()
  await page.keyboard.press('Enter')
  const figures = (await answer.locator('details[open] dd').allTextContents()).map(Number)
  const sum = figures.slice(0, -1).reduce((total, figure) => total + figure, 0)
  const { deliverability: p } = told
  expect(figures.at(-1)).toBeCloseTo(Math.log(p / (1 - p)), 2)
  expect(sum).toBeCloseTo(figures.at(-1) ?? 0, 2)
})

test('an address that looks auto-generated is labeled so, with the name of the model', async () => {
  const { answer } = await ask(ada, 'xk7qzvw9trb4@all.example')
  await answer.getByRole('list', { name: 'Traits of the address' }).getByText('Looks auto-generated').waitFor()
  const text = partsOf(answer).filter({ hasText: 'Text of the address' })
  expect(await text.textContent()).toMatch(/Looks auto-generated.*Speaks (strongly|somewhat) against the address/)
  await answer.getByText(/The model probity-local-\S+ took part\./).waitFor()
  await answer.getByText(/Not safe to send: you leave out addresses that look auto-generated/).waitFor()
  expect(await answer.textContent()).not.toMatch(/\bfake\b/i)
})

test('outcomes of its domain make a catch-all safe to send to, and the page says that they did', async () => {
  const emails = Array.from({ length: 80 }, (_, n) => `person${n}@known.example`)
  const messages = emails.map((email) => ({ email, delivery: 'delivered' }))
  expect(await ada.ask('POST', '/feedback', { messages })).toMatchObject({ status: 200 })
  const { answer, page } = await ask(ada, 'ada.king@known.example')
  await answer.getByText(/^Safe to send: what was reported of mail to its domain vouches for it/).waitFor()
  await answer.getByText('Send', { exact: true }).waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^Risky\. Send\. / })
    .waitFor()
  const history = partsOf(answer).filter({ hasText: 'Earlier mail' })
  expect(await history.textContent()).toMatch(/Mostly arrived.*for the address/)
})

test('where the model was wrong too often, the page says that it has no say', async () => {
  const grace = await openPerson(browser, { api }, { name: 'Grace Hopper', organisation: 'Often Wrong' })
  const prediction = { p: 0.9, subStatus: 'catch_all', provider: '', isDecided: false }
  // Straight into the sums: as many addresses would first have to be asked for, one by one.
  const outcomes = Array.from({ length: 510 }, (_, n) =>
    testOutcome(`person${n}@off.example`, { outcome: 'bounced', prediction }),
  )
  const { accountId } = grace
  await inTenant(database.db, accountId, (trx) => countOutcomes(trx, accountId, reportOf(outcomes)))
  const { answer } = await ask(grace, 'ada.lovelace@off.example')
  await answer.getByText('The model has no say here').waitFor()
  expect(await partsOf(answer).count()).toBe(1)
})

test('where the server decided, its word is all there is, and no model is given the credit', async () => {
  const { answer: valid } = await ask(ada, 'ada@truthful.example')
  await valid.getByText('Of 1,000 such messages, about 985 would not bounce.').waitFor()
  await valid.getByText('Safe to send: you bear 3 bounces in 100, and about 1.5 are to be expected here.').waitFor()
  await valid.getByText('No model took part: the checks decided.').waitFor()
  expect(await partsOf(valid).allTextContents()).toEqual([expect.stringMatching(/^Mail server/)])

  const { answer: role } = await ask(ada, 'info@truthful.example')
  await role.getByText('Not safe to send: you leave out role addresses.').waitFor()
  const { answer: invalid } = await ask(ada, 'bob@truthful.example')
  await invalid.getByText('Not safe to send: mail to it would bounce.').waitFor()
  await invalid.getByText('Of 1,000 such messages, about 10 would not bounce.').waitFor()
})

test('the row of a list is explained as a single address is', async () => {
  const id = await finishListAs(ada, 'email\nada.lovelace@all.example\n', { mode: 'live' })
  const page = await onePage(ada.context)
  await page.goto(`/app/lists/${id}?row=2`)
  const drawer = page.getByRole('dialog')
  await drawer.getByText(/^Of 100 such messages, about \d+ would not bounce\.$/).waitFor()
  await drawer.getByText(/^Not safe to send: you bear 3/).waitFor()
  expect(await partsOf(drawer).count()).toBeGreaterThan(1)
  await expectAccessible(page)
})

test('nothing is explained in test mode, which weighs nothing', async () => {
  for (const name of ['valid', 'catch-all', 'role']) {
    const { answer } = await ask(ada, `${name}@example.com`, '?mode=test')
    await answer.getByRole('heading', { name: 'How we know' }).waitFor()
    expect(await answer.getByText(/such messages|[Ss]afe to send|No model|What it is made of/).count()).toBe(0)
  }
})

test('the explanation can be read by everybody: wide and narrow, light and dark, and without movement', async () => {
  const { answer, page } = await ask(ada, 'xk7qzvw9trb4@all.example')
  await answer.getByText('The same in figures').click()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('an owner says what is borne and what is left out, and the explanation goes by it', async () => {
  const owner = await openPerson(browser, { api }, { organisation: 'Careful Senders' })
  const page = await onePage(owner.context)
  await page.goto('/app/settings/organisation')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounces in a hundred') })
  const borne = form.getByLabel('Bounces in a hundred')
  expect(await borne.inputValue()).toBe('3')
  expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(3)

  for (const wrong of ['0.05', '51', 'three']) {
    await borne.fill(wrong)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Enter a number from 0.1 to 50.' }).waitFor()
  }
  await expectAccessible(page)
  expect((await owner.ask('GET', '/account')).body).toMatchObject({ sending: { threshold: 0.97 } })

  await borne.fill('1')
  await form
    .getByText(/stricter than a mail server’s yes by itself: of such addresses about 1\.5 in a hundred/)
    .waitFor()
  await form.getByLabel('Role addresses').focus()
  await page.keyboard.press('Space')
  await form.getByLabel('Free providers').check()
  await form.getByText('Not saved yet.').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Saved.').waitFor()
  expect((await owner.ask('GET', '/account')).body).toMatchObject({
    sending: { threshold: 0.99, excluded_traits: ['disposable', 'machine_generated', 'free'] },
  })
  await page.reload()
  await loaded(page)
  expect(await borne.inputValue()).toBe('1')
  expect(await form.getByLabel('Role addresses').isChecked()).toBe(false)

  const { answer } = await ask(owner, 'ada@truthful.example')
  await answer.getByText(/you bear 1 bounce in 100, and about 1\.5 are to be expected here\./).waitFor()
})

test('what the service refuses is shown above the form, and what was typed stays', async () => {
  const page = await onePage(ada.context, { allows: /status of 500/ })
  await page.goto('/app/settings/organisation')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounces in a hundred') })
  const failure = {
    status: 500,
    contentType: 'application/problem+json',
    body: '{"code":"internal_error","status":500}',
  }
  await page.route('**/app/api/account', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill(failure) : route.fallback(),
  )
  await form.getByLabel('Bounces in a hundred').fill('5')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('group').filter({ hasText: /\S/ }).first().waitFor()
  expect(await form.getByLabel('Bounces in a hundred').inputValue()).toBe('5')
  expect(await form.getByText('Saved.').count()).toBe(0)
})

test('a viewer reads what is borne and left out, and can change neither', async () => {
  const viewer = await openPerson(browser, { api }, { name: 'Mary Shelley', invitedBy: ada, role: 'viewer' })
  const page = await onePage(viewer.context)
  await page.goto('/app/settings/organisation')
  const form = page.locator('form').filter({ has: page.getByLabel('Bounces in a hundred') })
  expect(await form.getByLabel('Bounces in a hundred').isEditable()).toBe(false)
  const boxes = await form.getByRole('checkbox').all()
  expect(await Promise.all(boxes.map((box) => box.isChecked()))).toEqual([true, true, true, false, false, false])
  expect(await Promise.all(boxes.map((box) => box.isDisabled()))).toEqual(boxes.map(() => true))
  expect(await form.getByRole('button', { name: 'Save' }).count()).toBe(0)
})
