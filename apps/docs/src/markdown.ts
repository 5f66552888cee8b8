import { posix } from 'node:path'

/** Where the snippets of our texts are asked; a link there is one to this installation. */
const EXAMPLE_ORIGIN = 'http://localhost:3000'

/** Code first, so that nothing in it is taken for a comment or a link. */
const PIECES =
  /^(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?^\k<fence>[^\n]*$|(?<ticks>`+)[^`][\s\S]*?\k<ticks>(?!`)|<!--[\s\S]*?-->\n?|<http:\/\/localhost:3000(?<own>\/[^>\s]*)>|(?<image>!?)\[(?<text>(?:[^[\]`]|`[^`]*`)*)\]\((?<target>[^()\s]+)\)/gm

/** What a link in a text leads to: a page of the site, a file of the source that is on no page, or somewhere else. */
export type Target =
  | { kind: 'page'; id: string; anchor: string }
  | { kind: 'source'; path: string }
  | { kind: 'other'; href: string }

/** Comments are for tests, and links are written for the source: leaves the former out and turns the latter. */
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
    if (image) throw new Error(`a picture, which no page can show yet: ${piece}`)
    const found = turnLink(target)
    if (found.kind === 'page') return `[${text}](${hrefOf(found.id)}${found.anchor})`
    if (found.kind === 'other') return `[${text}](${found.href})`
    return text.includes(found.path) ? text : `${text} (\`${found.path}\` in the source)`
  })
}

/** What a target means in the file `source`, where `pages` are the texts of the site by their paths. */
export function readTarget(target: string, source: string, pages: Map<string, string>): Target {
  if (target.startsWith(EXAMPLE_ORIGIN)) return { kind: 'other', href: target.slice(EXAMPLE_ORIGIN.length) || '/' }
  if (/^([a-z]+:|\/|#)/.test(target)) return { kind: 'other', href: target }
  const [file = '', anchor] = target.split('#')
  const path = posix.join(posix.dirname(source), file)
  const id = pages.get(path)
  if (id === undefined) return { kind: 'source', path }
  return { kind: 'page', id, anchor: anchor === undefined ? '' : `#${anchor}` }
}

/** The first sentence of a text, without its marks: what a list of pages says of it. */
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
