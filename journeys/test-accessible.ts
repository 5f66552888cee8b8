import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { settled } from './test-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Which rules are asked, where the others were asked about the same already, and outside of which parts. */
type Asked = { only?: string; except?: string; outside?: string[] }

/** Nothing keeps anybody out of what the page shows now. */
export async function expectAccessible(page: Page, asked: Asked = {}): Promise<void> {
  await settled(page)
  const findings = (await findViolations(page, asked)).flatMap(({ id, impact, help, nodes }) =>
    // A menu stands beside the page's landmarks, since it lies over them.
    nodes
      .filter(({ html }) => id !== 'region' || !html.includes('data-radix-popper'))
      .map((node) => `${impact} ${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  )
  expect(findings).toEqual([])
}

type WithAxe = { axe: { run(where: object, options: RunOptions): Promise<AxeResults> } }

/** Axe is brought to a page once and asked for nothing else: both take longer than the rules themselves. */
async function findViolations(page: Page, { only, except, outside }: Asked): Promise<AxeResults['violations']> {
  if (await page.evaluate(() => !('axe' in window))) await bringAxe(page)
  const options: RunOptions = {
    runOnly: only ? [only] : RULES,
    rules: except ? { [except]: { enabled: false } } : {},
    resultTypes: ['violations'],
    selectors: false,
    preload: false,
  }
  return page.evaluate(
    async ({ exclude, options }) => {
      const where = exclude ? { exclude } : document
      return (await (window as unknown as WithAxe).axe.run(where, options)).violations
    },
    { exclude: outside, options },
  )
}

/** As the tools of a developer would: no policy of the page is in the way. */
async function bringAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  await session.detach()
}
