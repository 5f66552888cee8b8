/** @module-tag timed */
import { availableParallelism, loadavg } from 'node:os'
import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { onePage, startBrowser } from '../../browser/browser.ts'
import { signUpUser } from '../../browser/users.ts'
import { openLargeList } from '../../environment/large-job.ts'
import { startOpenInstance } from '../../environment/open-instance.ts'

const ROWS = 100_000
const REPLY_MS_MAX = 200
const ROUNDS_MAX = 3

const instance = await startOpenInstance()
const browser = await startBrowser()

/** The slowest interaction: time to the next paint, and CPU time until all of its effects were shown. */
type Slowest = { paintMs: number; processorMs: number }

test(`a list of ${ROWS} results responds to each interaction within ${REPLY_MS_MAX} ms`, async () => {
  const owner = await signUpUser(browser, instance)
  const jobId = await openLargeList(instance, owner, ROWS)
  const page = await onePage(owner.context, { width: 1440, height: 900, reducedMotion: 'no-preference' })
  await page.addInitScript(noteInteractions)
  await page.goto(`/app/lists/${jobId}?mode=test&tab=results`)
  await page.getByText('100,000 addresses.', { exact: true }).waitFor()
  expect(await page.getByRole('table', { name: 'Results', exact: true }).getByRole('row').count()).toBe(51)

  const rounds: Slowest[] = []
  const isEnough = () => rounds.some((round) => judged(round) < REPLY_MS_MAX)
  while (rounds.length < ROUNDS_MAX && !isEnough()) rounds.push(await lookAround(page))
  console.log('the slowest press of each round:', JSON.stringify(rounds))
  expect(Math.min(...rounds.map(({ paintMs }) => paintMs))).toBeGreaterThan(0)
  expect(Math.min(...rounds.map(judged))).toBeLessThan(REPLY_MS_MAX)
}, 180_000)

/** On an overloaded machine the clock measures other processes, so CPU time counts instead. */
function judged({ paintMs, processorMs }: Slowest): number {
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism() * 2
  return isBusy ? processorMs : paintMs
}

/** Pages, filters and opens results, as a user does who searches. */
async function lookAround(page: Page): Promise<Slowest> {
  const clock = await startClock(page)
  const found = (text: string) => page.getByText(text, { exact: true }).waitFor()
  for (const first of ['51–', '101–', '151–']) {
    await clock.time(async () => {
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByText(first).waitFor()
    })
  }
  await clock.time(async () => {
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('101–').waitFor()
  })
  await clock.time(async () => {
    await page.getByLabel('Verdict', { exact: true }).selectOption('risky')
    await found('20,000 of 100,000 addresses found.')
  })
  await clock.time(async () => {
    await page.getByLabel('Address contains').fill('person777')
    await found('22 of 100,000 addresses found.')
  })
  for (const n of [0, 1, 2]) {
    await clock.time(async () => {
      await page
        .getByRole('link', { name: /^person777/ })
        .nth(n)
        .click()
      await page.getByRole('dialog').getByRole('heading', { name: 'Evidence' }).waitFor()
    })
    await clock.time(async () => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    })
  }
  await clock.time(async () => {
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await found('100,000 addresses.')
  })
  return clock.stop()
}

async function startClock(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.evaluate(() => void (window as unknown as Noted).paintsMs.splice(0))
  let processorMs = 0
  return {
    async time(press: () => Promise<void>): Promise<void> {
      const before = await readProcessorMs(session)
      await press()
      processorMs = Math.max(processorMs, (await readProcessorMs(session)) - before)
    },
    async stop(): Promise<Slowest> {
      // The browser reports the entries when it is idle.
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2_000 })))
      const paintsMs = await page.evaluate(() => (window as unknown as Noted).paintsMs)
      await session.detach()
      return { paintMs: Math.max(0, ...paintsMs), processorMs: Math.round(processorMs) }
    },
  }
}

/** The CPU time of the page's main thread so far. */
async function readProcessorMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
}

type Noted = { paintsMs: number[] }

/** Interaction to next paint (INP) of each interaction. */
function noteInteractions(): void {
  const paintsMs: number[] = []
  ;(window as unknown as Noted).paintsMs = paintsMs
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      if (entry.interactionId > 0) paintsMs.push(entry.duration)
    }
  })
  observer.observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
}
