import { posix } from 'node:path'

/** Origin of the service in snippets; links to it are links to this installation. */
const EXAMPLE_ORIGIN = 'http://localhost:3000'

/** Code comes first, so that comments and links in code are not matched. */
const PIECES =
  /^(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?^\k<fence>[^\n]*$|(?<ticks>`+)[^`][\s\S]*?\k<ticks>(?!`)|<!--[\s\S]*?-->\n?|<http:\/\/localhost:3000(?<own>\/[^>\s]*)>|(?<image>!?)\[(?<text>(?:[^[\]`]|`[^`]*`)*)\]\((?<target>[^()\s]+)\)/gm

/** Target of a link: a page of the site, a file of the repository, or another URL. */
export type Target =
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
