/** @module-tag timed */
import { watchStolenTime } from '@probity/lab/steal-time'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loaded, openWindow, startBrowser } from '../browser/browser.ts'
import { finishListAs } from '../browser/user-jobs.ts'
import { signUpUser } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'

/** Load times on a phone with a slow network. The figures are printed. */
const SHELL_BYTES_MAX = 200_000
const LCP_MS_MAX = 2_000
const CLS_MAX = 0.1
/** Other load can only slow a page down: the best of several attempts is nearest to the real value. */
const TRIES = 12

/** A slow 4G network, as in Lighthouse. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }

/** The speed of a mid-range phone in a simple task. An idle machine is about four times as fast, a busy one slower. */
const PHONE_SPEED = 500
const SLOWER_MAX = 4

const instance = await startOpenInstance()
const browser = await startBrowser()
const person = await signUpUser(browser, instance)
await finishListAs(person, 'email\nvalid@example.com\ninvalid@example.com\n')

type Load = { scripts: string[]; scriptBytes: number; lcpMs: number; cls: number }

/**
 * Opens a page for the first time, as on a phone, and measures its load. CPU time stolen by other machines is
 * subtracted.
 */
async function measure(context: BrowserContext, path: string): Promise<Load> {
  const page = await context.newPage()
  await page.setViewportSize({ width: 390, height: 844 })
  const slower = Math.min(SLOWER_MAX, Math.max(1, (await measureSpeed(page)) / PHONE_SPEED))
  const counted = await countScripts(page, slower)
  await page.addInitScript(() => {
    const seen = { lcpMs: 0, cls: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.lcpMs = startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.cls += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const stolen = watchStolenTime()
  await page.goto(path)
  await loaded(page)
  const ours = 1 - stolen()
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 })))
  const seen = await page.evaluate(() => (window as unknown as { seen: { lcpMs: number; cls: number } }).seen)
  await page.close()
  return { ...counted, cls: seen.cls, lcpMs: seen.lcpMs * ours }
}

/** Concatenates texts for half a second and returns thousands per second. */
function measureSpeed(page: Page): Promise<number> {
  return page.evaluate(() => {
    const began = performance.now()
    let texts = 0
    while (performance.now() - began < 500) {
      let text = ''
      for (let n = 0; n < 10_000; n += 1) text += 'a'
      if (text.length === 10_000) texts += 1
    }
    return texts / 10 / ((performance.now() - began) / 1_000)
  })
}

/** The scripts of a page and their transferred bytes. */
async function countScripts(page: Page, slower: number): Promise<{ scripts: string[]; scriptBytes: number }> {
  const counted = { scripts: [] as string[], scriptBytes: 0 }
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Network.emulateNetworkConditions', NETWORK)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const scripts = new Set<string>()
  session.on('Network.responseReceived', ({ requestId, response, type }) => {
    if (type !== 'Script') return
    scripts.add(requestId)
    counted.scripts.push(new URL(response.url).pathname.replace(/^.*\/|-[\w-]{8}\.js$/g, ''))
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) counted.scriptBytes += encodedDataLength
  })
  return counted
}

async function measureBest(context: BrowserContext, path: string): Promise<Load> {
  let best: Load | undefined
  for (let tries = 0; tries < TRIES; tries += 1) {
    const load = await measure(context, path)
    if (best === undefined || load.lcpMs < best.lcpMs) best = load
    if (best.lcpMs < LCP_MS_MAX) break
  }
  return best as Load
}

const signedOut = await openWindow(browser, instance)

test.each([
  ['sign-in', signedOut, '/app/sign-in'],
  ['quick start', person.context, '/app/quick-start'],
  ['lists', person.context, '/app/lists?mode=test'],
])(
  '%s loads within two seconds on a phone without layout shifts',
  async (what, context, path) => {
    const { scriptBytes, scripts, lcpMs, cls } = await measureBest(context, path)
    const figures = `${Math.round(lcpMs)} ms to the largest paint, shift ${cls.toFixed(3)}, ${scriptBytes} bytes of script`
    console.log(`${what}: ${figures} (${scripts.join(', ')})`)
    expect(scriptBytes).toBeGreaterThan(0)
    expect(scriptBytes).toBeLessThanOrEqual(SHELL_BYTES_MAX)
    expect(lcpMs).toBeGreaterThan(0)
    expect(lcpMs).toBeLessThan(LCP_MS_MAX)
    expect(cls).toBeLessThan(CLS_MAX)
  },
  120_000,
)

test('a page loads its own script and that of no other page', async () => {
  const { scripts: forSignIn } = await measure(signedOut, '/app/sign-in')
  expect(forSignIn.filter((name) => name.endsWith('Page'))).toEqual(['SignInPage'])
  const { scripts: forLists } = await measure(person.context, '/app/lists?mode=test')
  expect(forLists.filter((name) => name.endsWith('Page') && name !== 'Page')).toEqual(['ListsPage'])
}, 60_000)
