import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

const PAGE = 'ARCHITECTURE.md'
const LINES_MAX = 200
const LINE_LENGTH_MAX = 160

/** ARCHITECTURE.md stays short, and every path in it exists. Paths in a table cell may be relative to a path in the heading of the column. */
export function listArchitectureFaults({ root }: Workspace): Fault[] {
  if (!existsSync(join(root, PAGE))) return []
  const lines = readFileSync(join(root, PAGE), 'utf8').trimEnd().split('\n')
  const faults = lines.flatMap((line, index) => {
    const isLong = [...line].length > LINE_LENGTH_MAX
    const messages = listMissingPaths(root, line, headingOf(lines, index)).map(
      (path) => `names ${path}, which does not exist`,
    )
    if (isLong) messages.push(`has ${[...line].length} characters: ${LINE_LENGTH_MAX} are the limit`)
    return messages.map((message) => ({ path: PAGE, line: index + 1, message }))
  })
  if (lines.length <= LINES_MAX) return faults
  return [
    ...faults,
    { path: PAGE, line: LINES_MAX + 1, message: `has ${lines.length} lines: ${LINES_MAX} are the limit` },
  ]
}

/** The first line of the table that a line belongs to; undefined outside of tables. */
function headingOf(lines: string[], index: number): string | undefined {
  if (!lines[index]?.startsWith('|')) return undefined
  let first = index
  while (lines[first - 1]?.startsWith('|')) first -= 1
  return lines[first]
}

function listMissingPaths(root: string, line: string, heading: string | undefined): string[] {
  const exists = (path: string) => existsSync(join(root, path))
  if (heading === undefined || heading === line) return listCode(line).filter((code) => isPath(code) && !exists(code))
  const parents = heading.split('|').map((cell) => listCode(cell).find(isPath))
  return line.split('|').flatMap((cell, column) => {
    const parent = parents[column]
    return listCode(cell).filter((code) => {
      if (isPath(code) && exists(code)) return false
      return parent === undefined ? isPath(code) : !exists(join(parent, code))
    })
  })
}

function listCode(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

/** A path from the root of the repository: it has a slash, and no characters of routes, commands and patterns. */
function isPath(code: string): boolean {
  return /^[\w-]+\/[\w./-]+$/.test(code)
}
