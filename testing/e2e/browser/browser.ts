import { randomInt } from 'node:crypto'
import { waitForBuild } from '@probity/lab/build'
import { whenDone } from '@probity/lab/when-done'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Instance } from '../environment/instance.ts'

// Chromium has services of its own that it would like to reach; none of them is ours.
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--renderer-process-limit=1', // scripts that were compiled for one tab are there for the next
]

/** Chromium without windows, which take two thirds of its time. It is closed with the test or the file that started it. */
export async function startBrowser(): Promise<Browser> {
  await waitForBuild('web')
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: QUIET })
  whenDone(() => browser.close())
  return browser
}

/** Of 198.18.0.0/15, which is there for tests. Other files have had visitors, too. */
let visitors = randomInt(2 ** 16)

/** A browser context of its own: no cookies, and a network address without earlier requests, because sign-ins are counted per address. */
export async function openWindow(
  browser: Browser,
  { api }: { api: Pick<Instance['api'], 'url'> },
): Promise<BrowserContext> {
  visitors += 1
  const address = `198.${18 + (visitors >> 16)}.${(visitors >> 8) % 256}.${visitors % 256}`
  const context = await browser.newContext({
    baseURL: api.url,
    locale: 'en-GB',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
    extraHTTPHeaders: { 'x-forwarded-for': address },
  })
  context.setDefaultTimeout(30_000)
  return context
}

export type Look = {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  reducedMotion?: 'reduce' | 'no-preference'
  /** Complaints that the test means to cause, as a server that answers 500. */
  allows?: RegExp
}

/**
 * A page that must stay silent: a dialog of the browser, an error in the console or in a script, and anything that the content
 * policy stopped fail the test.
 */
export async function onePage(context: BrowserContext, look: Look = {}): Promise<Page> {
  // Drawing is a fifth of Chromium's work: pages are small and do not move unless a test is about their appearance.
  const { width = 1280, height = 720, colorScheme = 'light', reducedMotion = 'reduce', allows } = look
  const tab = idle.get(context)?.pop() ?? (await openTab(context))
  await tab.page.setViewportSize({ width, height })
  await tab.page.emulateMedia({ colorScheme, reducedMotion })
  whenDone(async () => {
    await leave(tab, context) // and with it comes whatever it still had to say
    expect(tab.complaints.splice(0).filter((complaint) => !allows?.test(complaint))).toEqual([])
  })
  return tab.page
}

type Tab = { page: Page; complaints: string[]; isLeft: boolean }

/** Tabs that are no longer used. A new tab would be a new process, which compiles every script again: half of the time. */
const idle = new Map<BrowserContext, Tab[]>()

async function openTab(context: BrowserContext): Promise<Tab> {
  const tab: Tab = { page: await context.newPage(), complaints: [], isLeft: false }
  await listenForComplaints(tab)
  return tab
}

async function leave(tab: Tab, context: BrowserContext): Promise<void> {
  const { page } = tab
  if (page.isClosed()) return
  tab.isLeft = true
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  await page.mouse.move(0, 0)
  tab.isLeft = false
  idle.set(context, [...(idle.get(context) ?? []), tab])
}

async function listenForComplaints(tab: Tab): Promise<void> {
  const { page, complaints } = tab
  page.on('dialog', (dialog) => {
    // A page may ask for a confirmation before it is left. The test always leaves.
    if (tab.isLeft && dialog.type() === 'beforeunload') return void dialog.accept()
    complaints.push(`dialog: ${dialog.type()} ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' || isRefusal(message.text(), message.location().url)) return
    complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  await page.exposeBinding('reportViolation', (_source, told: string) => void complaints.push(`policy: ${told}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      (window as unknown as { reportViolation(told: string): void }).reportViolation(
        `${effectiveDirective} ${blockedURI} ${sample}`,
      ),
    )
  })
}

/** Chromium logs each 4xx response as an error. Pages expect some of them, for example 401 without a session. */
function isRefusal(text: string, url: string): boolean {
  return /status of 4\d\d/.test(text) && new URL(url, 'http://nowhere').pathname.startsWith('/app/api/')
}

/** The page has its heading, and nothing on it is still on its way. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('.skeleton, [aria-busy="true"]') === null)
  await settled(page)
}

/** What fades in has another contrast while it does: waits for the animations that come to an end. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** The whole page can be read without moving it sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return { scroll: scrollWidth, client: clientWidth }
  })
  expect(scroll, `at ${page.url()}`).toBeLessThanOrEqual(client)
}
