import { createTestDatabase } from '@probity/database/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { SCRIPT_PAYLOADS } from './data/script-payloads.ts'
import { loaded, onePage, openWindow, startBrowser } from './test-browser.ts'
import { listSettings, startTaskWorker } from './test-lists.ts'
import { OPEN } from './test-open-product.ts'
import { openPerson, PASSWORD } from './test-people.ts'
import { finishListAs, uploadAs } from './test-person-lists.ts'
import { startApiProcess } from './test-process.ts'

/** Whatever anybody can make the pages show, a page shows as text. */
const PAYLOADS: string[] = Object.values(SCRIPT_PAYLOADS).flat()
const NAME_LENGTH_MAX = 200
/** An address of a page that holds so much in all is taken by every browser and server. */
const IN_ADDRESS_LENGTH_MAX = 3_500
const ADDRESS_BASE = '127.94'
const LONG_MS = 300_000
/** Pages are looked at by the hundred here, and what moves in them is looked at elsewhere. */
const STILL = { reducedMotion: 'reduce' } as const

/** Several in one text, as long as it may be. */
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
const settings = { ...listSettings(database.url, redis.url), ...OPEN }
const workerSettings = { ...settings, DNS_SERVERS: `127.0.0.1:${dns.port}`, SMTP_HELO_NAME: 'probe.probity.example' }
await startTaskWorker({
  settings: { ...workerSettings, SMTP_MAIL_FROM: 'bounce@probity.example' },
  smtpPort: port,
  addressBase: ADDRESS_BASE,
})
const product = { api: await startApiProcess(settings) }
const browser = await startBrowser()
const person = await openPerson(browser, product, { organisation: 'Plain' })

/** The nth mailbox is refused with the nth text, without the signs that a reply cannot hold. */
function reply(to: string): string {
  return `550 5.1.1 ${TOGETHER[Number(/\d+/.exec(to)?.[0])] ?? 'no'}`
}

/** Nothing on the page came out of a text: no handler, no frame, no link that is a script. */
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

/** The page as it is read, without what only sets it out: each run of blanks is one. */
async function readText(page: Page): Promise<string> {
  return flat(await page.evaluate(() => document.body.textContent ?? ''))
}

const flat = (text: string) => text.replace(/\s+/gu, ' ').trim()

test('there are two hundred of them, in six ways', () => {
  expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200)
  expect(Object.keys(SCRIPT_PAYLOADS).length).toBeGreaterThanOrEqual(6)
})

test(
  'names of people and organisations are text',
  async () => {
    const page = await onePage(person.context, STILL)
    for (let n = 0; n < TOGETHER.length; n += 2) {
      const [name = '', organisation = name] = TOGETHER.slice(n, n + 2)
      const renamed = await person.ask('POST', '/auth/update-user', { name }, fromElsewhere())
      const called = await person.ask('PATCH', '/account', { name: organisation })
      expect([name, renamed.status, called.status]).toEqual([name, 200, 200])
      await page.goto('/app/settings/members')
      await loaded(page)
      await page.getByRole('button', { name: /^your account/i }).click()
      const shown = await readText(page)
      for (const text of [name, organisation]) expect(shown, text).toContain(flat(text))
      await expectTextOnly(page)
    }
  },
  LONG_MS,
)

let asked = 0

/** Changes of one's name and sign-ins are counted by network address. */
function fromElsewhere() {
  asked += 1
  return { 'x-forwarded-for': `198.19.0.${asked % 250}` }
}

test(
  'names of keys are text',
  async () => {
    const owner = await openPerson(browser, product, { organisation: 'Keys' })
    for (const name of PAYLOADS) {
      const made = await owner.ask('POST', '/keys', { name, mode: 'test', scopes: ['validation'] })
      expect([name, made.status]).toEqual([name, 201])
    }
    const page = await onePage(owner.context, STILL)
    await page.goto('/app/keys?mode=test')
    await loaded(page)
    const shown = await readText(page)
    expect(PAYLOADS.filter((name) => !shown.includes(flat(name)))).toEqual([])
    await expectTextOnly(page)
  },
  LONG_MS,
)

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test(
  'headers and cells of a file are text',
  async () => {
    const header = ['email', ...PAYLOADS].map(quoted).join(',')
    const row = ['ada@example.com', ...PAYLOADS.toReversed()].map(quoted).join(',')
    const upload = await uploadAs(person, `${header}\n${row}\n`)
    const page = await onePage(person.context, STILL)
    for (const column of ['', '&column=email']) {
      await page.goto(`/app/lists/new?mode=test&upload=${upload}${column}`)
      await loaded(page)
      await expectTextOnly(page)
    }
    await page.goto(`/app/lists/new?mode=test&upload=${upload}`)
    await loaded(page)
    const shown = await readText(page)
    expect(PAYLOADS.filter((header) => !shown.includes(flat(header)))).toEqual([])
  },
  LONG_MS,
)

test(
  'names of files are text, in drafts and in lists',
  async () => {
    const owner = await openPerson(browser, product, { organisation: 'Files' })
    for (const text of TOGETHER) await uploadAs(owner, 'email\nada@example.com\n', { filename: `${text}.csv` })
    const page = await onePage(owner.context, STILL)
    await page.goto('/app/lists?mode=test')
    await loaded(page)
    await expectTextOnly(page)
    const id = await finishListAs(owner, 'email\nvalid@example.com\n', { filename: `<img src=x onerror=alert(1)>.csv` })
    for (const path of ['/app/lists?mode=test', `/app/lists/${id}?mode=test`]) {
      await page.goto(path)
      await loaded(page)
      expect(await readText(page)).toContain('<img src=x onerror=alert(1)>.csv')
      await expectTextOnly(page)
    }
  },
  LONG_MS,
)

test(
  'addresses that are none are text',
  async () => {
    const emails = PAYLOADS.flatMap((payload, n) => [quoted(payload), `valid+${n}@example.com`])
    const id = await finishListAs(person, `email\n${emails.join('\n')}\n`)
    const page = await onePage(person.context, STILL)
    let shown = ''
    for (let skip = 0; skip < emails.length; skip += 50) {
      await page.goto(`/app/lists/${id}?mode=test&skip=${skip}`)
      await loaded(page)
      shown += await readText(page)
      await expectTextOnly(page)
    }
    expect(PAYLOADS.filter((payload) => shown.includes(flat(payload))).length).toBeGreaterThanOrEqual(200)
  },
  LONG_MS,
)

test(
  'what a mail server says is text',
  async () => {
    const emails = TOGETHER.map((_, n) => `box-${n}@talkative.example\n`).join('')
    const id = await finishListAs(person, `email\n${emails}`, { mode: 'live' })
    const page = await onePage(person.context, STILL)
    await page.goto(`/app/lists/${id}`)
    await loaded(page)
    let told = 0
    for (const [n, text] of TOGETHER.entries()) {
      await page.locator('tbody a', { hasText: `box-${n}@talkative.example` }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('How we know').waitFor()
      const shown = await readText(page)
      if (shown.includes(flat(text).slice(0, 20))) told += 1
      await expectTextOnly(page)
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    }
    expect(told).toBeGreaterThan(TOGETHER.length / 2) // signs beyond ASCII are replaced before they are kept
  },
  LONG_MS,
)

test(
  'what stands in the address of a page is text',
  async () => {
    const page = await onePage(person.context, STILL)
    for (const path of [
      '/app/lists?search=…&status=…&org=…&mode=…&skip=…',
      '/app/lists/…',
      '/app/lists/new?upload=…',
      '/app/…',
      '/app/sign-in?next=…',
      '/app/verify-email#token=…',
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

test(
  'whoever signs in is led to a page of ours, whatever the address asks for',
  async () => {
    const window = await openWindow(browser, product)
    const page = await onePage(window, STILL)
    for (const next of SCRIPT_PAYLOADS.urls.slice(0, 21)) {
      await window.setExtraHTTPHeaders(fromElsewhere())
      await page.goto(`/app/sign-in?next=${encodeURIComponent(next)}`)
      await page.getByLabel(/^e-?mail/i).fill(person.email)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
      expect([next, new URL(page.url()).origin]).toEqual([next, product.api.url])
      await page.goto('about:blank')
      await window.clearCookies()
    }
  },
  LONG_MS,
)
