import axe, { type ElementContext, type RunOptions } from 'axe-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const CONTRAST = 'color-contrast'
/** Options that leave out what takes as long as the rules themselves and is not needed here. */
const BRIEFLY: RunOptions = { resultTypes: ['violations'], selectors: false, preload: false, elementRef: false }
const WITHOUT_CONTRAST = { ...BRIEFLY, runOnly: RULES, rules: { [CONTRAST]: { enabled: false } } }

const PARTS = 'header, nav, section, form, table, ul, ol, dl, [role="dialog"], [role="menu"]'
/** Parts of pages without a violation, by their HTML and the width of the window. Most states of a page have them in common. */
const accessible = new Set<string>()

/** The rules that do not depend on colors. */
export async function listViolations(): Promise<string[]> {
  const { known, parts } = listParts()
  const context: ElementContext = known.length > 0 ? { include: [document], exclude: known } : document
  const violations = await run(context, WITHOUT_CONTRAST)
  if (violations.length === 0) for (const part of parts) accessible.add(part)
  return violations
}

/** The outermost parts that were tested before, and what identifies the others. */
function listParts(): { known: Element[]; parts: string[] } {
  const known: Element[] = []
  const parts: string[] = []
  for (const element of document.body.querySelectorAll(PARTS)) {
    if (known.at(-1)?.contains(element)) continue
    const part = `${window.innerWidth} ${element.outerHTML.replaceAll(GENERATED_ID, '')}`
    if (accessible.has(part)) known.push(element)
    else parts.push(part)
  }
  return { known, parts }
}

/** React generates the IDs of labels. */
const GENERATED_ID = /_r_[0-9a-z]+_/g

/** Looks of texts whose contrast is sufficient, as all pages of a file had so far. */
const readable = new Set<string>()

/**
 * Contrast takes longer than all other rules together, so it is tested for a few texts of each look, and once for each look: a table of
 * a thousand cells has no more colors than one of ten, and a page few that no other page has. Looks are equal in both schemes, so those
 * that are new in the light one are tested in the dark one.
 */
export async function listContrastViolations(): Promise<string[]> {
  const { looks, texts } = listNewLooks()
  if (texts.length === 0) return []
  const context = { include: texts }
  const options = { ...BRIEFLY, runOnly: [CONTRAST] }
  const light = await run(context, options)
  document.documentElement.dataset['theme'] = 'dark'
  const violations = [...light, ...(await run(context, options)).map((violation) => `dark: ${violation}`)]
  delete document.documentElement.dataset['theme']
  if (violations.length === 0) for (const look of looks) readable.add(look)
  return violations
}

async function run(context: ElementContext, options: RunOptions): Promise<string[]> {
  const { violations } = await axe.run(context, options)
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes
      // A menu is outside of the landmarks, since it lies over them.
      .filter(({ html }) => id !== 'region' || !html.includes('data-radix-popper'))
      .map(({ html, failureSummary }) => `${impact} ${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}

const TEXTS_PER_LOOK = 3

function listNewLooks(): { looks: string[]; texts: Element[] } {
  const describeSurface = surfaceReader()
  const byLook = new Map<string, Element[]>()
  for (const element of document.body.querySelectorAll('*')) {
    if (!hasText(element) || !element.checkVisibility()) continue
    const look = `${describeText(element)} ${describeSurface(element)}`
    if (!readable.has(look)) byLook.set(look, [...(byLook.get(look) ?? []), element])
  }
  return { looks: [...byLook.keys()], texts: [...byLook.values()].flatMap((some) => some.slice(0, TEXTS_PER_LOOK)) }
}

function hasText(element: Element): boolean {
  return (
    element.matches('input, textarea, select') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim())
  )
}

function describeText(element: Element): string {
  const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
  // Rules do not apply to disabled and hidden texts.
  const isExempt = element.closest('[disabled], [aria-disabled="true"], [aria-hidden="true"], [inert]') !== null
  return `${color} ${fontSize} ${fontWeight} ${textShadow} ${isExempt}`
}

/** Returns a function that describes what is behind an element, from its own background outward. */
function surfaceReader(): (element: Element) => string {
  const known = new Map<Element, string>()
  return function describe(element): string {
    const seen = known.get(element)
    if (seen !== undefined) return seen
    const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(element)
    const isPlain =
      backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1' && filter === 'none'
    const own = isPlain ? '' : `${backgroundColor} ${backgroundImage} ${opacity} ${filter} / `
    const all = own + (element.parentElement ? describe(element.parentElement) : '')
    known.set(element, all)
    return all
  }
}
