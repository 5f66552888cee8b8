import type { Locator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'

/** More than any page has elements that take the focus. */
const STOPS_MAX = 80

/** Presses Tab until the element has the focus, from where the focus is. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Waits until the element has the focus, by default for a second. */
export async function expectFocus(target: Locator, patience?: { timeout: number; interval: number }): Promise<void> {
  await vi.waitFor(async () => expect(await hasFocus(target)).toBe(true), patience)
}

export const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement)
