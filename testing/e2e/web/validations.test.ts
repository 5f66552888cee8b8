import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { onePage, startBrowser } from '../browser/browser.ts'
import { signUpUser } from '../browser/users.ts'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { startApiProcess } from '../environment/processes.ts'

/** The validate page with scripted mail servers and a worker that can connect only to them. */
const NAMES = {
  'truthful.example': { mx: [[10, 'mx.truthful.example']] },
  'mx.truthful.example': { a: ['127.94.0.1'] },
  'all.example': { mx: [[10, 'mx.all.example']] },
  'mx.all.example': { a: ['127.94.0.2'] },
  'grey.example': { mx: [[10, 'mx.grey.example']] },
  'mx.grey.example': { a: ['127.94.0.3'] },
  'away.example': { mx: [[10, 'mx.away.example']] },
  'mx.away.example': { a: ['127.94.0.9'] },
} satisfies Record<string, object>

const [database, redis, dns, port] = await Promise.all([
  createTestDatabase(),
  startRedis(),
  startDns({ names: NAMES as never, faults: {} }),
  freePort(),
])
whenDone(() => redis.stop())
whenDone(() => dns.stop())
const GREY_FOR_S = 3
let asked = 0
const isAda = (to: string) => to.startsWith('ada')
const servers = await Promise.all([
  startScripted(
    { rcpt: (_, to) => (isAda(to) ? '250 2.1.5 Ok' : '550 5.1.1 User unknown') },
    { host: '127.94.0.1', port },
  ),
  startScripted({}, { host: '127.94.0.2', port }),
  startScripted({ rcpt: answerGrey }, { host: '127.94.0.3', port }),
])
for (const server of servers) whenDone(() => server.stop())

/** Greylists the first probe for the announced time. */
function answerGrey(_peer: object, to: string): string {
  asked += 1
  if (asked === 1) return `450 4.7.1 Greylisted, try again in ${GREY_FOR_S} seconds`
  return isAda(to) ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'
}

const settings = {
  DATABASE_URL: database.url,
  REDIS_URL: redis.url,
  STOP_NOTICE_MS: '0',
  SIGN_UP: 'open',
  ABUSE_LIMITS: 'false',
  NEW_ACCOUNT_CREDITS: '100',
  TRUST_PROXY: '127.0.0.1',
}
await startWorkerHere({
  settings,
  dnsPort: dns.port,
  smtpPort: port,
  allows: (address) => address.startsWith('127.94.'),
})
const api = await startApiProcess(settings)
const browser = await startBrowser()
const ada = await signUpUser(browser, { api })

async function openValidate(query = ''): Promise<Page> {
  const page = await onePage(ada.context)
  await page.goto(`/app/validate${query}`)
  await page.getByLabel('Email address').waitFor()
  return page
}

async function sendRequest(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Details' }).waitFor()
  await page.getByText(email, { exact: true }).first().waitFor()
}

const EXPLAINED = [
  {
    email: 'ada@truthful.example',
    word: 'Valid',
    advice: 'Safe to send',
    sentence: 'The mail server for truthful.example accepts mail for this mailbox.',
    found: ['Accepted', 'Not catch-all'],
  },
  {
    email: 'bob@truthful.example',
    word: 'Invalid',
    advice: 'Do not send',
    sentence: 'The mail server for truthful.example reports that the mailbox does not exist. Mail to it would bounce.',
    found: ['Mailbox not found'],
  },
  {
    email: 'anybody@all.example',
    word: 'Risky',
    advice: 'Not safe to send',
    sentence: 'all.example accepts mail for every address',
    found: ['Catch-all'],
  },
  {
    email: 'ada@nowhere@example',
    word: 'Invalid',
    advice: 'Do not send',
    sentence: 'This is not an email address',
    found: ['Syntax'],
  },
]

test.each(EXPLAINED)('$word is explained: $email', async ({ email, word, advice, sentence, found }) => {
  const page = await openValidate()
  await sendRequest(page, email)
  const answer = page.getByRole('tabpanel')
  const verdict = answer.getByText(word, { exact: true }).first()
  await verdict.waitFor()
  await answer.getByText(advice, { exact: true }).waitFor()
  await answer.getByText(sentence).waitFor()
  for (const text of found) await answer.getByRole('listitem').filter({ hasText: text }).first().waitFor()
  // The focus stays in the field, and the result is announced to screen readers.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('inputmode'))).toBe('email')
  await page.getByRole('status').filter({ hasText: sentence }).waitFor()
  expect(page.url()).not.toContain('@')
})

test('Unknown is explained: an unreachable server does not make the address invalid', async () => {
  const page = await openValidate()
  await sendRequest(page, 'ada@away.example')
  const answer = page.getByRole('tabpanel')
  await answer.getByText('Unknown', { exact: true }).first().waitFor()
  await answer.getByText('Not safe to send', { exact: true }).waitFor()
  await answer
    .getByText(/does not mean that the mailbox is invalid/)
    .first()
    .waitFor()
})

test('a greylisted address is deferred, shows when to validate again, and its result is free', async () => {
  const page = await openValidate()
  await sendRequest(page, 'ada@grey.example')
  const answer = page.getByRole('tabpanel')
  await answer.getByText('Validation deferred').waitFor()
  await answer.getByText(/Validate again from \d\d:\d\d|validate this address again now/).waitFor()
  await answer.getByText(/at no charge/).waitFor()

  await answer.getByText('You can validate this address again now.').waitFor({ timeout: 30_000 })
  const again = answer.getByRole('button', { name: 'Validate again' })
  await vi.waitFor(
    async () => {
      if (await again.isVisible()) await again.click() // the worker may need slightly longer than the greylisting delay
      await answer.getByText('Safe to send', { exact: true }).waitFor({ timeout: 5_000 })
    },
    { timeout: 45_000, interval: 500 },
  )
  await answer.getByText('0 credits', { exact: true }).waitFor()
  expect(await answer.getByText('Validation deferred').count()).toBe(0)
})

test('a pasted display name is removed, and Enter validates the address', async () => {
  const page = await openValidate('?mode=test')
  await page.evaluate(() => navigator.clipboard.writeText('Ada Lovelace <valid@example.com>'))
  await page.getByLabel('Email address').focus()
  await page.keyboard.press('Control+V')
  expect(await page.getByLabel('Email address').inputValue()).toBe('valid@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('tabpanel').getByText('Safe to send', { exact: true }).waitFor()
})

test('a rejected request shows a countdown and keeps the input', async () => {
  const page = await openValidate('?mode=test')
  await page.getByRole('button', { name: 'error-429' }).click()
  await page.getByRole('alert').getByText('Too many requests').waitFor()
  const again = page.getByRole('button', { name: /^Try again/ })
  expect(await again.textContent()).toMatch(/^Try again in \d+ s$/)
  expect(await page.getByLabel('Email address').inputValue()).toBe('error-429@example.com')
  await page.getByRole('button', { name: 'Try again', exact: true }).waitFor()
})

test('a typo suggestion is validated only when its button is pressed', async () => {
  const page = await openValidate('?mode=test')
  await sendRequest(page, 'typo@gmial.com')
  await page.getByRole('button', { name: 'Validate suggestion' }).click()
  await page.getByRole('tabpanel').getByText('typo@gmail.com', { exact: true }).first().waitFor()
  expect(await page.getByLabel('Email address').inputValue()).toBe('typo@gmail.com')
})

test('the result is shown as JSON and as code with the URL of this service', async () => {
  const page = await openValidate('?mode=test')
  await sendRequest(page, "o'brien+valid@example.com")
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.getByText('"sub_status": ""').waitFor()
  await page.getByRole('tab', { name: 'Code' }).click()
  await page.getByText(`curl '${api.url}/api/v1/validation/single'`).waitFor()
  await page.getByText(String.raw`o'\''brien+valid@example.com`).waitFor()
})

test('recent validations of test mode are stored nowhere and are discarded on reload', async () => {
  const page = await openValidate('?mode=test')
  await sendRequest(page, 'valid@example.com')
  await page.getByRole('button', { name: /valid@example\.com\s*Valid/ }).waitFor()
  const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, history.state]))
  expect(kept).not.toContain('valid@example.com')
  await page.reload()
  await page.getByText('Results of test mode are listed here until you reload or close the page.').waitFor()
})

test('the page keeps no recent validations when the account stores no results', async () => {
  const grace = await signUpUser(browser, { api }, { name: 'Grace Hopper', organisation: 'No Memory' })
  expect(await grace.sendRequest('PATCH', '/account', { retention_days: 0 })).toMatchObject({ status: 200 })
  const page = await onePage(grace.context)
  await page.goto('/app/validate?mode=test')
  await page.getByText('This account does not store results').waitFor()
  await sendRequest(page, 'valid@example.com')
  await page.getByText('This account does not store results').waitFor()
  expect(await page.getByRole('button', { name: 'Clear' }).count()).toBe(0)
})
