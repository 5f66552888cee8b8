import { vi } from 'vitest'
import { type Locator, page } from 'vitest/browser'

// The events are dispatched in the page: with a round trip to the browser for each, they took longer than all tests of accessibility.
// The end-to-end tests use a real mouse and keyboard.

const PATIENCE = { timeout: 5_000, interval: 20 }

/** The element, as soon as it is in the page. Until then, `element` would print the whole page each time. */
async function find(locator: Locator): Promise<HTMLElement> {
  await vi.waitUntil(() => locator.query(), PATIENCE).catch(() => {})
  return locator.element() as HTMLElement
}

export async function click(locator: Locator): Promise<void> {
  const element = await find(locator)
  const options = { bubbles: true, cancelable: true, button: 0 }
  element.dispatchEvent(new PointerEvent('pointerdown', options))
  element.dispatchEvent(new MouseEvent('mousedown', options))
  element.focus()
  element.dispatchEvent(new PointerEvent('pointerup', options))
  element.dispatchEvent(new MouseEvent('mouseup', options))
  element.click()
}

/** Replaces the text of a field. React notices only a value that the setter of the browser has written. */
export async function type(locator: Locator, text: string): Promise<void> {
  const field = await find(locator)
  field.focus()
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set
  setter?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Pastes a text into a field, named by its label. */
export function paste(label: string | RegExp, text: string) {
  return async () => {
    const field = await find(page.getByLabelText(label).first())
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }
}

/** Presses the first button of this name. */
export function press(name: string | RegExp) {
  return () => click(page.getByRole('button', { name }).first())
}

/** Opens a menu by its button and takes an entry. */
export function choose(button: string | RegExp, item: string | RegExp) {
  return inOrder(press(button), () => click(page.getByRole('menuitem', { name: item })))
}

/** Fills a field, named by its label. */
export function fill(label: string | RegExp, text: string) {
  return () => type(page.getByLabelText(label).first(), text)
}

/** Clicks the first element that matches a selector, such as a part of a chart, which has no role. */
export function clickOn(selector: string) {
  return async () => {
    const element = await vi.waitFor(() => getElement(selector), PATIENCE)
    element.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  }
}

function getElement(selector: string): Element {
  const element = document.querySelector(selector)
  if (element === null) throw new Error(`no element matches ${selector}`)
  return element
}

/** Opens a tab by focus, as the arrow keys do. */
export function openTab(name: string) {
  return async () => (await find(page.getByRole('tab', { name }))).focus()
}

/** Presses a key in the open drawer, once its table is loaded. */
export function hitInDrawer(key: string) {
  return async () => {
    const button = `[role="dialog"] button[aria-label$="(${key})"]:not([disabled])`
    const element = await vi.waitFor(() => getElement(button), PATIENCE)
    element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  }
}

export function inOrder(...steps: (() => Promise<unknown>)[]) {
  return async () => {
    for (const step of steps) await step()
  }
}
