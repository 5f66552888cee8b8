import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Fault } from './fault.ts'
import { listPages, type Workspace } from './workspace.ts'

/** A link or image of a page, with its line. */
type Link = { target: string; line: number }

/** Every internal link of the pages leads to an existing file and to an existing heading. */
export function listDeadLinks(workspace: Workspace): Fault[] {
  const { root } = workspace
  return listPages(workspace).flatMap((page) =>
    listLinks(withoutCode(readFileSync(join(root, page), 'utf8'))).flatMap(({ target, line }) => {
      const message = faultOf(root, page, target)
      return message === undefined ? [] : [{ path: page, line, message }]
    }),
  )
}

/** Code may contain text that looks like a link. Its lines are kept, so that line numbers stay correct. */
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
  if (/^[a-z]+:/.test(target)) return undefined // external links are not checked
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : posix.join(posix.dirname(page), path)
  if (!existsSync(join(root, file))) return `links to ${target}, which is not there`
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  const anchors = listAnchors(readFileSync(join(root, file), 'utf8'))
  return anchors.has(anchor) ? undefined : `links to ${target}, which has no such heading`
}

/** GitHub's heading ids: in lower case, without punctuation, with hyphens; the second id of a name ends with -1. */
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
