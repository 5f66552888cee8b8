import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import { listMentions } from './manifests.ts'
import type { Workspace } from './workspace.ts'

const LIST = 'docs/dependencies.md'

type Row = { name: string; line: number; cells: string[] }

/** Every dependency has a row in docs/dependencies.md, and every row there is a dependency. */
export function listUnexplainedDependencies(workspace: Workspace): Fault[] {
  const mentions = listMentions(workspace).filter(({ name }) => !name.startsWith('@probity/'))
  const rows = listRows(workspace.root)

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
