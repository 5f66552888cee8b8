import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ABOUT, type Item, writeHome } from './home.ts'
import { type Group, listDisagreements, NAVIGATION } from './navigation.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Pages for engineers of the project: in the repository, not on the site. */
const INSIDE = /^docs\/(decisions\/|screenshots\/|benchmarks\.md|database\.md|dependencies\.md)/

/** Path of the site on the service. */
export const BASE = '/docs'

/** A page without its title: `page` links to pages, `copy` to their Markdown copies. */
export type Text = { id: string; title: string; label: string; description: string; page: string; copy: string }

/** Every page of the site: the index page, then the others in the order of the navigation. */
export function readTexts(root: string = ROOT, navigation: Group[] = NAVIGATION): Text[] {
  const pages = new Map(listSources(root).map((source) => [source, idOf(source)]))
  const disagreements = listDisagreements([...pages.values()], navigation)
  if (disagreements.length > 0) throw new Error(`The docs are inconsistent:\n${disagreements.join('\n')}`)

  const texts = new Map([...pages].map(([source, id]) => [id, readText(root, source, pages)]))
  const ordered = navigation.map(({ label, entries }) => ({
    label,
    items: entries.map((entry) => (typeof entry === 'string' ? itemOf(texts.get(entry)) : elsewhere(entry))),
  }))
  const home = writeHome(ordered, texts.get('quick-start')?.page ?? '')
  const first = { id: 'index', title: 'Documentation', label: 'Documentation', description: ABOUT, ...home }
  return [first, ...ordered.flatMap(({ items }) => items.flatMap(({ id }) => texts.get(id) ?? []))]
}

export function addressOf(id: string): string {
  return id === 'index' ? BASE : `${BASE}/${id}`
}

export function copyAddressOf(id: string): string {
  return `${BASE}/${id}.md`
}

function listSources(root: string): string[] {
  const found = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const texts = found.filter((path) => path.endsWith('.md')).map((path) => `docs/${path.replaceAll('\\', '/')}`)
  return [...texts.filter((source) => !INSIDE.test(source)).toSorted(), 'CHANGELOG.md']
}

function idOf(source: string): string {
  return source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
}

function readText(root: string, source: string, pages: Map<string, string>): Text {
  const [, title, body] = /^# (.+)\n([\s\S]*)$/.exec(turnVersions(readFileSync(join(root, source), 'utf8'))) ?? []
  if (title === undefined || body === undefined) throw new Error(`${source} does not begin with "# " and its title`)
  const turn = (hrefOf: (id: string) => string) =>
    turnMarkdown(body, (target) => readTarget(target, source, pages), hrefOf).trim()
  return {
    id: idOf(source),
    title: title.replaceAll('`', ''),
    label: labelOf(title.replaceAll('`', '')),
    description: firstSentence(body),
    page: turn(addressOf),
    copy: turn(copyAddressOf),
  }
}

/** The headings of the changelog without brackets, and without the section Unreleased if it is empty. */
export function turnVersions(text: string): string {
  return text.replace(/^## \[Unreleased\]\n+(?=## \[)/m, '').replace(/^## \[(.+?)\]/gm, '## $1')
}

/** The sidebar label: the title without its subtitle, and without "Guide", which is the label of the group. */
function labelOf(title: string): string {
  const [first = '', rest = ''] = title.split(': ')
  return first === 'Guide' ? rest.charAt(0).toUpperCase() + rest.slice(1) : first
}

function itemOf(text: Text | undefined): Item {
  if (text === undefined) throw new Error('navigation entry without a page') // excluded by listDisagreements
  const { title, label, description: says, id } = text
  return { id, title, label, says, href: addressOf(id), copyHref: copyAddressOf(id) }
}

function elsewhere({ label, link, says }: { label: string; link: string; says: string }): Item {
  return { id: link.slice(1), title: label, label, says, href: BASE + link, copyHref: BASE + link }
}

/** The 404 page, which is in no list. */
export const MISSING: Omit<Text, 'copy'> = {
  id: '404',
  title: 'Page not found',
  label: 'Page not found',
  description: 'This page does not exist.',
  page: `This page does not exist. Use the search above, or see [all pages](${BASE}).`,
}

/** Origin of the service in snippets; links to it are links to this installation. */
const EXAMPLE_ORIGIN = 'http://localhost:3000'

/** Code comes first, so that comments and links in code are not matched. */
const PIECES =
  /^(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?^\k<fence>[^\n]*$|(?<ticks>`+)[^`][\s\S]*?\k<ticks>(?!`)|<!--[\s\S]*?-->\n?|<http:\/\/localhost:3000(?<own>\/[^>\s]*)>|(?<image>!?)\[(?<text>(?:[^[\]`]|`[^`]*`)*)\]\((?<target>[^()\s]+)\)/gm

/** Target of a link: a page of the site, a file of the repository, or another URL. */
type Target =
  | { kind: 'page'; id: string; anchor: string }
  | { kind: 'source'; path: string }
  | { kind: 'other'; href: string }

/** Removes comments, which are markers for tests, and converts links between files to links between pages. */
export function turnMarkdown(
  markdown: string,
  turnLink: (target: string) => Target,
  hrefOf: (id: string) => string,
): string {
  return markdown.replace(PIECES, (piece, ...rest) => {
    const { text, target, image, own } = rest.at(-1) as Record<string, string | undefined>
    if (piece.startsWith('<!--')) return ''
    if (own !== undefined) return `[${own}](${own})`
    if (text === undefined || target === undefined) return piece
    if (image) throw new Error(`images are not supported: ${piece}`)
    const found = turnLink(target)
    if (found.kind === 'page') return `[${text}](${hrefOf(found.id)}${found.anchor})`
    if (found.kind === 'other') return `[${text}](${found.href})`
    return text.includes(found.path) ? text : `${text} (\`${found.path}\` in the source)`
  })
}

/** Resolves a link target of the file `source`. `pages` maps paths to page ids. */
export function readTarget(target: string, source: string, pages: Map<string, string>): Target {
  if (target.startsWith(EXAMPLE_ORIGIN)) return { kind: 'other', href: target.slice(EXAMPLE_ORIGIN.length) || '/' }
  if (/^([a-z]+:|\/|#)/.test(target)) return { kind: 'other', href: target }
  const [file = '', anchor] = target.split('#')
  const path = posix.join(posix.dirname(source), file)
  const id = pages.get(path)
  if (id === undefined) return { kind: 'source', path }
  return { kind: 'page', id, anchor: anchor === undefined ? '' : `#${anchor}` }
}

/** The first sentence of a page as plain text: its description in lists of pages. */
export function firstSentence(body: string): string {
  const paragraph =
    body
      .replace(/<!--[\s\S]*?-->/g, '')
      .trim()
      .split(/\n\s*\n/)[0] ?? ''
  const plain = paragraph
    .replace(/!?\[((?:[^[\]`]|`[^`]*`)*)\]\([^()\s]+\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
  return /^.+?[.!?:](?=\s|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
