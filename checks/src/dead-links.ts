import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Fault } from './fault.ts'
import { listPages, type Workspace } from './workspace.ts'

/** A link of a page, or a picture in it, with its line. */
type Link = { target: string; line: number }

/** Every link of our pages that does not leave the tree leads to a file that is there and to a heading that it has. */
export function listDeadLinks(workspace: Workspace): Fault[] {
  const { root } = workspace
  return listPages(workspace).flatMap((page) =>
    listLinks(withoutCode(readFileSync(join(root, page), 'utf8'))).flatMap(({ target, line }) => {
      const message = faultOf(root, page, target)
      return message === undefined ? [] : [{ path: page, line, message }]
    }),
  )
}

/** Code may hold what looks like a link. Its lines stay, so that others keep their numbers. */
function withoutCode(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, (block) => block.replace(/[^\n]/g, '')).replace(/`[^`\n]*`(?!\])/g, '')
}

function listLinks(text: string): Link[] {
  const found = [...text.matchAll(/\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
  return found.map(({ index, 1: link, 2: picture }) => ({
    target: link ?? picture ?? '',
    line: text.slice(0, index).split('\n').length,
  }))
}

function faultOf(root: string, page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined // the web is for people to look at
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : posix.join(posix.dirname(page), path)
  if (!existsSync(join(root, file))) return `links to ${target}, which is not there`
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  const anchors = listAnchors(readFileSync(join(root, file), 'utf8'))
  return anchors.has(anchor) ? undefined : `links to ${target}, which has no such heading`
}

/** As the web shows headings: in lower case, without marks, with hyphens; the second of a name ends with -1. */
function listAnchors(text: string): Set<string> {
  const headings = [...text.replace(/^( *)```.*?^\1```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  return new Set(
    headings.map((name, n) => {
      const before = headings.slice(0, n).filter((other) => other === name).length
      return before === 0 ? name : `${name}-${before}`
    }),
  )
}
