import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

const LIST = 'docs/dependencies.md'

/** The kinds of dependency a package.json may hold. */
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

type Manifest = Partial<Record<(typeof KINDS)[number], Record<string, string>>>
type Mention = { name: string; path: string; line: number }
type Row = { name: string; line: number; cells: string[] }

/** Every dependency is explained in docs/dependencies.md, and everything explained there is one. */
export function listUnexplainedDependencies({ root, paths }: Workspace): Fault[] {
  const manifests = ['package.json', ...paths.filter((path) => path.endsWith('/package.json'))]
  const mentions = manifests.flatMap((path) => listMentions(root, path))
  const rows = listRows(root)

  const explained = new Set(rows.map((row) => row.name))
  const used = new Set(mentions.map((mention) => mention.name))
  return [
    ...mentions
      .filter(({ name }) => !explained.has(name))
      .map(({ name, path, line }) => ({ path, line, message: `${name} has no row in ${LIST}` })),
    ...rows
      .filter(({ name }) => !used.has(name))
      .map(({ name, line }) => ({ path: LIST, line, message: `no package.json names ${name}` })),
    ...rows
      .filter(({ cells }) => cells.length !== 4 || cells.includes(''))
      .map(({ name, line }) => ({ path: LIST, line, message: `the row of ${name} does not have its four cells` })),
  ]
}

function listMentions(root: string, path: string): Mention[] {
  if (!existsSync(join(root, path))) return []
  const text = readFileSync(join(root, path), 'utf8')
  const manifest = JSON.parse(text) as Manifest
  const lines = text.split('\n')
  return KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {}))
    .filter((name) => !name.startsWith('@probity/'))
    .map((name) => ({ name, path, line: lines.findIndex((line) => line.includes(`"${name}":`)) + 1 }))
}

/** The rows of the table: lines whose first cell is a name in backticks. */
function listRows(root: string): Row[] {
  if (!existsSync(join(root, LIST))) return []
  return readFileSync(join(root, LIST), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const name = /^\| *`([^`]+)` *\|/.exec(text)?.[1]
      const cells = text.split('|').slice(1, -1)
      return name === undefined ? [] : [{ name, line: index + 1, cells: cells.map((cell) => cell.trim()) }]
    })
}
