import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from './workspace.ts'

/** The kinds of dependency in a package.json. */
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

type Manifest = Partial<Record<(typeof KINDS)[number], Record<string, string>>>

/** A dependency in a package.json, with its line there. */
export type Mention = { kind: (typeof KINDS)[number]; name: string; specifier: string; path: string; line: number }

/** All dependencies in the package.json files of this repository. */
export function listMentions({ root, paths }: Workspace): Mention[] {
  const manifests = ['package.json', ...paths.filter((path) => path.endsWith('/package.json'))]
  return manifests.filter((path) => existsSync(join(root, path))).flatMap((path) => readMentions(root, path))
}

function readMentions(root: string, path: string): Mention[] {
  const text = readFileSync(join(root, path), 'utf8')
  const manifest = JSON.parse(text) as Manifest
  const lines = text.split('\n')
  return KINDS.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, specifier]) => ({
      kind,
      name,
      specifier,
      path,
      line: lines.findIndex((line) => line.includes(`"${name}":`)) + 1,
    })),
  )
}
