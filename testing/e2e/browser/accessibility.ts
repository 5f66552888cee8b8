import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { settled } from './browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const CONTRAST = 'color-contrast'

/** Colours change with the scheme and nothing else does, menus change with the width and colours do not. */
export type Asked = 'all' | 'colours' | 'all but colours'

/** The current content of the page violates no rule of accessibility. */
export async function expectAccessible(page: Page, asked: Asked = 'all'): Promise<void> {
  await settled(page)
  if (await page.evaluate(() => !('axe' in window))) await bringAxe(page)
  const found = [
    ...(asked === 'colours' ? [] : await findViolations(page)),
    ...(asked === 'all but colours' ? [] : await findColours(page)),
  ]
  const findings = found.flatMap(({ id, impact, help, nodes }) =>
    // A menu stands beside the page's landmarks, since it lies over them.
    nodes
      .filter(({ html }) => id !== 'region' || !html.includes('data-radix-popper'))
      .map((node) => `${impact} ${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  )
  expect(findings).toEqual([])
}

type WithAxe = { axe: { run(where: object, options: RunOptions): Promise<AxeResults> } }
type Violations = AxeResults['violations']

/** What takes as long as the rules themselves, and is of no use here. */
const BRIEFLY: RunOptions = { resultTypes: ['violations'], selectors: false, preload: false }

function findViolations(page: Page): Promise<Violations> {
  const options = { ...BRIEFLY, runOnly: RULES, rules: { [CONTRAST]: { enabled: false } } }
  return page.evaluate(
    async (options) => (await (window as unknown as WithAxe).axe.run(document, options)).violations,
    options,
  )
}

/** Looks of texts that can be read, as every page of this file found so far. */
const readable = new Set<string>()

/**
 * Contrast takes longer than all other rules together, so it is asked about a few texts of each look, and of looks that were not yet
 * seen: a table of a thousand cells has no more colours than one of ten, and a page few that no other page has.
 */
async function findColours(page: Page): Promise<Violations> {
  const unseen = await page.evaluateHandle(listTextsByLook, [...readable])
  const { looks, violations } = await page.evaluate(
    async ({ unseen: { looks, texts }, options }) => {
      if (texts.length === 0) return { looks, violations: [] }
      const { violations } = await (window as unknown as WithAxe).axe.run({ include: texts }, options)
      return { looks, violations }
    },
    { unseen, options: { ...BRIEFLY, runOnly: [CONTRAST] } },
  )
  await unseen.dispose()
  if (violations.length === 0) for (const look of looks) readable.add(look)
  return violations
}

/** Runs in the page. */
function listTextsByLook(known: string[]): { looks: string[]; texts: Element[] } {
  const OF_EACH = 3
  const servers = new Map<Element | null, string>([[null, '']])
  const surroundingsOf = (element: Element | null): string => {
    const seen = servers.get(element)
    if (seen !== undefined || element === null) return seen ?? ''
    const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(element)
    const isPlain =
      backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1' && filter === 'none'
    const own = isPlain ? '' : `${backgroundColor} ${backgroundImage} ${opacity} ${filter} / `
    const all = own + surroundingsOf(element.parentElement)
    servers.set(element, all)
    return all
  }
  const hasText = (element: Element) =>
    element.matches('input, textarea, select') ||
    [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim())
  const lookOf = (element: Element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
    const isOff = element.closest('[disabled], [aria-disabled="true"], [aria-hidden="true"], [inert]') !== null
    return `${color} ${fontSize} ${fontWeight} ${textShadow} ${isOff} ${surroundingsOf(element)}`
  }
  const texts = [...document.body.querySelectorAll('*')].filter(
    (element) => hasText(element) && element.checkVisibility(),
  )
  const byLook = Map.groupBy(texts, lookOf)
  for (const look of known) byLook.delete(look)
  return { looks: [...byLook.keys()], texts: [...byLook.values()].flatMap((some) => some.slice(0, OF_EACH)) }
}

/** As the tools of a developer would: no policy of the page is in the way. */
async function bringAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  await session.detach()
}
