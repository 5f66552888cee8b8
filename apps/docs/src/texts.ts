import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstSentence, readTarget, turnMarkdown } from './markdown.ts'
import { type Group, listDisagreements, NAVIGATION } from './navigation.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** For those who work on the product: in the repository and not on the site. */
const INSIDE = /^docs\/(decisions|screenshots|database\.md|dependencies\.md)/

/** The site's address below the service's. */
export const BASE = '/docs'

/** A page as it is written, ready to be shown: `page` links to pages, `copy` to their Markdown. Neither begins with the title. */
export type Text = { id: string; title: string; label: string; description: string; page: string; copy: string }

/** Every page of the site, in the order of the navigation, the first page before them. */
export function readTexts(root: string = ROOT, navigation: Group[] = NAVIGATION): Text[] {
  const pages = new Map(listSources(root).map((source) => [source, idOf(source)]))
  const disagreements = listDisagreements([...pages.values()], navigation)
  if (disagreements.length > 0) throw new Error(`The docs are not whole:\n${disagreements.join('\n')}`)

  const texts = new Map([...pages].map(([source, id]) => [id, readText(root, source, pages)]))
  const ordered = navigation.map(({ label, entries }) => ({
    label,
    items: entries.map((entry) => (typeof entry === 'string' ? itemOf(texts.get(entry)) : elsewhere(entry))),
  }))
  return [firstPage(ordered), ...ordered.flatMap(({ items }) => items.flatMap(({ text }) => text ?? []))]
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
  const [, title, body] = /^# (.+)\n([\s\S]*)$/.exec(readFileSync(join(root, source), 'utf8')) ?? []
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

/** What of a title is enough in the sidebar, where "Guides" stands above the guides. */
function labelOf(title: string): string {
  const [first = '', rest = ''] = title.split(': ')
  return first === 'Guide' ? rest.charAt(0).toUpperCase() + rest.slice(1) : first
}

type Item = { title: string; says: string; href: string; copyHref: string; text?: Text }

function itemOf(text: Text | undefined): Item {
  if (text === undefined) throw new Error('a page without a text') // listDisagreements has seen to it
  const { title, description: says, id } = text
  return { title, says, href: addressOf(id), copyHref: copyAddressOf(id), text }
}

function elsewhere({ label: title, link, says }: { label: string; link: string; says: string }): Item {
  return { title, says, href: BASE + link, copyHref: BASE + link }
}

/** The way in: every page with what it is about. */
function firstPage(groups: { label: string; items: Item[] }[]): Text {
  const list = (pick: 'href' | 'copyHref') =>
    groups
      .map(({ label, items }) => {
        const lines = items.map((item) => `- [${item.title}](${item[pick]}): ${item.says}`)
        return `## ${label}\n\n${lines.join('\n')}`
      })
      .join('\n\n')
  return {
    id: 'index',
    title: 'Documentation',
    label: 'Documentation',
    description: ABOUT,
    page: `${ABOUT}\n\n${list('href')}`,
    copy: `${ABOUT}\n\n${list('copyHref')}`,
  }
}

/** What is shown where there is no page. It is on no list. */
export const MISSING: Omit<Text, 'copy'> = {
  id: '404',
  title: 'There is no such page',
  label: 'There is no such page',
  description: 'No page has this address.',
  page: `No page has this address. Look for it with the search above, or begin at [the list of all pages](${BASE}).`,
}

const ABOUT = 'Probity validates email addresses: an address goes in, a verdict with its evidence comes out.'
