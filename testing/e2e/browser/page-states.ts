import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { expectNoSidewaysScroll, loaded, onePage } from './browser.ts'

/** A page in a state that the service brings it into. */
export type Case = {
  what: string
  as: BrowserContext
  path: string
  /** What is done on the page before it is looked at. */
  doing?(page: Page): Promise<unknown>
  /** Another page that has the same menus around its text when it is narrow. What keeps people out of those is found there. */
  isNarrowAs?: string | undefined
}

/** The requirements of every page: one heading, a title, accessibility, no movement with reduced motion, readable at 320 pixels. */
export function testCases(cases: Case[]): void {
  const check = async (one: Case) => {
    const page = await openCase(one)
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.title()).toMatch(/^.+ · Probity$/)
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await expectAccessible(page, 'colours')
    expect(await listMovement(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await expectNoSidewaysScroll(page)
    // Colours are the same at any width; those of the menus that only a phone has are looked at once.
    if (one.isNarrowAs === undefined) await expectAccessible(page, one === cases[0] ? 'all' : 'all but colours')
  }
  // The first case runs in gate 2, if its file does; each of the others is a page in one more state.
  test.each(cases.slice(0, 1))('$what', check)
  test.each(cases.slice(1))('$what', { tags: ['long'] }, check)
}

async function openCase({ as, path, doing }: Case): Promise<Page> {
  const page = await onePage(as, { width: 1440, height: 900, reducedMotion: 'no-preference' })
  await page.goto(path)
  await loaded(page)
  await doing?.(page)
  return page
}

/** What moves although the person asked for stillness. */
function listMovement(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document.getAnimations().flatMap(({ effect, playState }) => {
      const { endTime } = effect?.getComputedTiming() ?? {}
      return playState === 'running' && Number(endTime) > 10 ? [(effect as KeyframeEffect).target?.outerHTML ?? ''] : []
    }),
  )
}

/** Presses the first button of this name. */
export function press(name: string | RegExp) {
  return (page: Page) => page.getByRole('button', { name }).first().click()
}

/** Opens a menu by its button and takes an entry that opens a dialog. */
export function choose(button: string | RegExp, item: string) {
  return async (page: Page) => {
    await press(button)(page)
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
  }
}
