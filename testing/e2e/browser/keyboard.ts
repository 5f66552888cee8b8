import type { Locator, Page } from 'playwright-core'

/** More than any page has elements that take the focus. */
const STOPS_MAX = 80

/** Presses Tab until the element has the focus, from where the focus is. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}
