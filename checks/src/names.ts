import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

/** Names for kinds of code instead of topics, under which any code would fit. */
const VAGUE = new Set(['common', 'core', 'helpers', 'lib', 'misc', 'shared', 'types', 'utils'])

export function listVagueNames({ paths }: Workspace): Fault[] {
  return paths.flatMap((path) => {
    const message = judge(path)
    return message === undefined ? [] : [{ path, line: 1, message }]
  })
}

function judge(path: string): string | undefined {
  const names = path.split('/').map((name) => name.replace(/\.[cm]?[jt]sx?$/, ''))
  if (/\/index\.[cm]?[jt]sx?$/.test(path)) return 'is an index: give the file the name of what it holds'

  const vague = /^(apps|packages)\/[^/]+\/src\//.test(path) && names.slice(3).find((name) => VAGUE.has(name))
  return vague ? `is called "${vague}": name it for its subject` : undefined
}
