import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loaded, onePage, openWindow, startBrowser } from '../browser/browser.ts'
import { SCRIPT_PAYLOADS } from '../browser/data/script-payloads.ts'
import { finishListAs, uploadAs } from '../browser/user-jobs.ts'
import { PASSWORD, signUpUser, type TestUser } from '../browser/users.ts'
import { listSettings, startTaskWorker } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { OPEN } from '../environment/programs.ts'

/** All user-controlled text that pages show must be rendered as text. */
const PAYLOADS: string[] = Object.values(SCRIPT_PAYLOADS).flat()
const NAME_LENGTH_MAX = 200
/** With its code the reply is a valid SMTP line, and all of it is stored. */
const REPLY_LENGTH_MAX = 400
/** A URL of this length in total is accepted by every browser and server. */
const IN_ADDRESS_LENGTH_MAX = 3_500
const ADDRESS_BASE = '127.94'
const LONG_MS = 300_000

/** Several payloads in one text, up to the maximum length. */
function together(lengthMax: number): string[] {
  const texts: string[] = []
  for (const payload of PAYLOADS) {
    const longer = `${texts.at(-1) ?? ''} ${payload}`.trim()
    if (texts.length > 0 && longer.length <= lengthMax) texts.splice(-1, 1, longer)
    else texts.push(payload)
  }
  return texts
}

const TOGETHER = together(NAME_LENGTH_MAX)
const SAID = together(REPLY_LENGTH_MAX)

const [database, redis, dns, port] = await Promise.all([
  createTestDatabase(),
  startRedis(),
  startDns({
    names: {
      'talkative.example': { mx: [[10, 'mx.talkative.example']] },
      'mx.talkative.example': { a: ['127.94.0.1'] },
    },
    faults: {},
  }),
  freePort(),
])
whenDone(() => Promise.all([redis.stop(), dns.stop()]))
const mailServer = await startScripted({ rcpt: (_peer, to) => reply(to) }, { host: '127.94.0.1', port })
whenDone(() => mailServer.stop())
/** Each text becomes a key and a draft of one account. */
const LIMITS = { KEYS_PER_ACCOUNT: '1000', UPLOADS_PER_ACCOUNT: '1000' }
const settings = { ...listSettings(database.url, redis.url), ...OPEN, ...LIMITS }
const workerSettings = { ...settings, DNS_SERVERS: `127.0.0.1:${dns.port}`, SMTP_HELO_NAME: 'probe.probity.example' }
await startTaskWorker({
  settings: { ...workerSettings, SMTP_MAIL_FROM: 'bounce@probity.example' },
  smtpPort: port,
  addressBase: ADDRESS_BASE,
})
const instance = { api: await startApiProcess(settings) }
const browser = await startBrowser()
const person = await signUpUser(browser, instance, { organisation: 'Plain' })

/** The nth mailbox is rejected with the nth text, without the characters that a reply cannot contain. */
function reply(to: string): string {
  return `550 5.1.1 ${SAID[Number(/\d+/.exec(to)?.[0])] ?? 'no'}`
}

/** No element of the page was created by a payload: no event handler, no frame, no script link. */
async function expectTextOnly(page: Page): Promise<void> {
  const grown = await page.evaluate(() => {
    const isOdd = (element: Element) =>
      /^(iframe|frame|object|embed|base|portal|math|video|audio|marquee)$/i.test(element.tagName) ||
      element.getAttributeNames().some((name) => /^(on|srcdoc|formaction)/i.test(name)) ||
      ['href', 'src', 'action', 'xlink:href'].some((name) =>
        /^\s*(javascript|data|vbscript):/i.test(element.getAttribute(name) ?? ''),
      ) ||
      (element.tagName === 'SCRIPT' && !element.getAttribute('src')?.startsWith('/app/assets/'))
    return [...document.querySelectorAll('*')].filter(isOdd).map(({ outerHTML }) => outerHTML.slice(0, 200))
  })
  expect(grown).toEqual([])
}

/** The visible text of the page, with whitespace collapsed. */
const readText = async (place: Locator) => flat((await place.textContent()) ?? '')

const flat = (text: string) => text.replace(/\s+/gu, ' ').trim()

/** The texts that are not visible there. */
async function missingFrom(place: Locator, texts: string[]): Promise<string[]> {
  const shown = await readText(place)
  return texts.filter((text) => !shown.includes(flat(text)))
}

test('SCRIPT_PAYLOADS has two hundred payloads of six kinds', () => {
  expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200)
  expect(Object.keys(SCRIPT_PAYLOADS).length).toBeGreaterThanOrEqual(6)
})

test(
  'names of users and accounts are shown as text',
  async () => {
    const owner = await signUpUser(browser, instance, { organisation: 'Many' })
    for (const name of TOGETHER) {
      const renamed = await owner.sendRequest('POST', '/auth/update-user', { name }, fromElsewhere())
      const called = await owner.sendRequest('PATCH', '/account', { name })
      const isOneLine = !/[\p{Cc}\u2028\u2029]/u.test(name)
      expect([name, renamed.status, called.status]).toEqual([name, isOneLine ? 200 : 400, 200])
    }
    await bringTogether(owner, TOGETHER)
    const page = await onePage(owner.context)
    await page.goto('/app/settings/members')
    await loaded(page)
    expect(await missingFrom(page.getByRole('main'), TOGETHER)).toEqual([])
    await page.getByRole('button', { name: /^account:/i }).click()
    expect(await missingFrom(page.getByRole('menu'), TOGETHER)).toEqual([])
    await expectTextOnly(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^your profile/i }).click()
    expect(await missingFrom(page.getByRole('menu'), TOGETHER.slice(-1))).toEqual([])
    await expectTextOnly(page)
  },
  LONG_MS,
)

/** Members with these names in one account, and accounts with these names that the user belongs to. */
async function bringTogether({ accountId, email }: TestUser, names: string[]): Promise<void> {
  await asOwner(database.db, async (trx) => {
    await sql`with named as (
        insert into users (name, email, email_verified)
        select name, 'colleague-' || n || '@people.example', true from unnest(${names}::text[]) with ordinality as t (name, n)
        returning id)
      insert into members (account_id, user_id, role) select ${accountId}, id, 'viewer' from named`.execute(trx)
    await sql`with named as (
        insert into accounts (name, plan, slug)
        select name, 'payg', 'many-more-' || n from unnest(${names}::text[]) with ordinality as t (name, n)
        returning id)
      insert into members (account_id, user_id, role)
      select named.id, users.id, 'owner' from named, users where users.email = ${email}`.execute(trx)
  })
}

let asked = 0

/** Name changes and sign-ins are rate-limited by IP address. */
function fromElsewhere() {
  asked += 1
  return { 'x-forwarded-for': `198.19.0.${asked % 250}` }
}

test(
  'names of keys are shown as text',
  async () => {
    const owner = await signUpUser(browser, instance, { organisation: 'Keys' })
    for (const name of PAYLOADS) {
      const made = await owner.sendRequest('POST', '/keys', { name, livemode: false, scopes: ['validations:write'] })
      expect([name, made.status]).toEqual([name, 201])
    }
    const page = await onePage(owner.context)
    await page.goto('/app/keys?mode=test')
    await loaded(page)
    expect(await missingFrom(page.locator('body'), PAYLOADS)).toEqual([])
    await expectTextOnly(page)
  },
  LONG_MS,
)

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test(
  'headers and cells of a file are shown as text',
  async () => {
    const header = ['email', ...PAYLOADS].map(quoted).join(',')
    const row = ['ada@example.com', ...PAYLOADS.toReversed()].map(quoted).join(',')
    const upload = await uploadAs(person, `${header}\n${row}\n`)
    const page = await onePage(person.context)
    for (const column of ['', '&column=email']) {
      await page.goto(`/app/lists/new?mode=test&upload=${upload}${column}`)
      await loaded(page)
      await expectTextOnly(page)
    }
    await page.goto(`/app/lists/new?mode=test&upload=${upload}`)
    await loaded(page)
    expect(await missingFrom(page.locator('body'), PAYLOADS)).toEqual([])
  },
  LONG_MS,
)

test(
  'names of files are shown as text, in drafts and in lists',
  async () => {
    const owner = await signUpUser(browser, instance, { organisation: 'Files' })
    for (const text of TOGETHER) await uploadAs(owner, 'email\nada@example.com\n', { filename: `${text}.csv` })
    const page = await onePage(owner.context)
    await page.goto('/app/lists?mode=test')
    await loaded(page)
    await expectTextOnly(page)
    const id = await finishListAs(owner, 'email\nvalid@example.com\n', { filename: `<img src=x onerror=alert(1)>.csv` })
    for (const path of ['/app/lists?mode=test', `/app/lists/${id}?mode=test`]) {
      await page.goto(path)
      await loaded(page)
      expect(await readText(page.locator('body'))).toContain('<img src=x onerror=alert(1)>.csv')
      await expectTextOnly(page)
    }
  },
  LONG_MS,
)

/** The payloads that can be a quoted local part (RFC 5321), as addresses. */
const ADDRESSES = PAYLOADS.filter((payload) => /^[ -~]{1,60}$/.test(payload)).map(
  (payload) => `"${payload.replaceAll(/[\\"]/g, String.raw`\$&`)}"@example.com`,
)

test(
  'email addresses are shown as text',
  async () => {
    const emails = ADDRESSES.flatMap((address, n) => [quoted(address), `valid+${n}@example.com`])
    const id = await finishListAs(person, `email\n${emails.join('\n')}\n`)
    const page = await onePage(person.context)
    let shown = ''
    for (let skip = 0; skip < emails.length; skip += 50) {
      await page.goto(`/app/lists/${id}?mode=test&tab=results&skip=${skip}`)
      await loaded(page)
      shown += await readText(page.locator('body'))
      await expectTextOnly(page)
    }
    expect(ADDRESSES.length).toBeGreaterThanOrEqual(150)
    // Two payloads that differ in case only are one address, shown as first written.
    const lower = shown.toLowerCase()
    expect(ADDRESSES.filter((address) => !lower.includes(flat(address).toLowerCase()))).toEqual([])
  },
  LONG_MS,
)

test(
  'SMTP replies are shown as text',
  async () => {
    const emails = SAID.map((_, n) => `box-${n}@talkative.example\n`).join('')
    const id = await finishListAs(person, `email\n${emails}`, { mode: 'live' })
    const page = await onePage(person.context)
    await page.goto(`/app/lists/${id}?tab=results`)
    await loaded(page)
    let shownCount = 0
    for (const [n, text] of SAID.entries()) {
      await page.locator('tbody a', { hasText: `box-${n}@talkative.example` }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('heading', { name: 'Evidence' }).waitFor()
      const shown = await readText(page.locator('body'))
      if (shown.includes(flat(text).slice(0, 20))) shownCount += 1
      await expectTextOnly(page)
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    }
    expect(shownCount).toBeGreaterThan(SAID.length / 2) // non-ASCII characters are replaced before storage
  },
  LONG_MS,
)

test(
  'URL parameters are shown as text',
  async () => {
    const page = await onePage(person.context)
    for (const path of [
      '/app/lists?search=…&status=…&org=…&mode=…&skip=…',
      '/app/lists/…',
      '/app/lists/new?upload=…',
      '/app/…',
      '/app/sign-in?next=…',
      '/app/verify-email#token=…',
      '/app/confirm-email#token=…',
    ]) {
      const places = path.split('…').length - 1
      for (const text of together(IN_ADDRESS_LENGTH_MAX / places)) {
        await page.goto(path.replaceAll('…', () => encodeURIComponent(text)))
        await page.locator('h1').waitFor()
        await expectTextOnly(page)
      }
    }
  },
  LONG_MS,
)

/** The payloads that a browser could treat as the URL of another page. */
const PLACES = SCRIPT_PAYLOADS.urls.slice(0, 21)
const signInFor = (next: string) => `/app/sign-in?next=${encodeURIComponent(next)}`

test(
  'sign-in leads to a page of this application for every next URL',
  async () => {
    const window = await openWindow(browser, instance)
    const page = await onePage(window)
    for (const next of PLACES.filter((_, n) => n % 4 === 0)) {
      await window.setExtraHTTPHeaders(fromElsewhere())
      await page.goto(signInFor(next))
      await page.getByLabel(/^e-?mail/i).fill(person.email)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expectOurs(page, next)
      await page.goto('about:blank')
      await window.clearCookies()
    }
  },
  LONG_MS,
)

test(
  'a signed-in user is led to a page of this application for every next URL',
  async () => {
    const page = await onePage(person.context)
    for (const next of PLACES) {
      await page.goto(signInFor(next))
      await expectOurs(page, next)
    }
  },
  LONG_MS,
)

async function expectOurs(page: Page, next: string): Promise<void> {
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
  expect([next, new URL(page.url()).origin]).toEqual([next, instance.api.url])
}
