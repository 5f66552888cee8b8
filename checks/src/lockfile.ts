import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Fault } from './fault.ts'
import { listMentions, type Mention } from './manifests.ts'
import type { Workspace } from './workspace.ts'

const LOCKFILE = 'pnpm-lock.yaml'
const SETTINGS = 'pnpm-workspace.yaml'
const EXACT = /^(npm:(@[^/]+\/)?[^@]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/

type Locked = Partial<Record<string, Record<string, { specifier: string }>>>
type Lockfile = {
  importers?: Record<string, Locked>
  packages?: Record<string, { resolution?: Record<string, string> }>
}

/** Installed packages equal the lockfile byte for byte, and come from the configured registry. */
export function listLooseDependencies(workspace: Workspace): Fault[] {
  const path = join(workspace.root, LOCKFILE)
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  const lockfile = parse(text) as Lockfile
  const mentions = listMentions(workspace)
  return [
    ...mentions.flatMap((mention) => listFaultsOfMention(mention, lockfile)),
    ...listFaultsOfPackages(text, lockfile),
    ...listLooseVersions(workspace.root),
  ]
}

function listFaultsOfMention({ kind, name, specifier, path, line }: Mention, { importers }: Lockfile): Fault[] {
  if (kind === 'peerDependencies') return []
  if (specifier !== 'catalog:' && specifier !== 'workspace:*') {
    return [{ path, line, message: `${name} is "${specifier}": write "catalog:", and its version into ${SETTINGS}` }]
  }
  const locked = importers?.[path === 'package.json' ? '.' : path.replace(/\/package\.json$/, '')]?.[kind]?.[name]
  return locked?.specifier === specifier ? [] : [{ path, line, message: `${name} is not in ${LOCKFILE} like this` }]
}

function listFaultsOfPackages(text: string, { packages = {} }: Lockfile): Fault[] {
  const lines = text.split('\n')
  const addresses = lines.flatMap((line, n) =>
    line.includes('://')
      ? [{ path: LOCKFILE, line: n + 1, message: 'names a host: packages come from the registry' }]
      : [],
  )
  const unhashed = Object.entries(packages)
    .filter(([, { resolution = {} }]) => {
      const { integrity = '', ...rest } = resolution
      return !integrity.startsWith('sha512-') || Object.keys(rest).length > 0
    })
    .map(([name]) => ({
      path: LOCKFILE,
      line: lines.findIndex((line) => line.trim().replaceAll("'", '') === `${name}:`) + 1,
      message: `${name} is not from the registry, or its bytes are not fixed by a SHA-512`,
    }))
  return [...addresses, ...unhashed]
}

function listLooseVersions(root: string): Fault[] {
  const text = readFileSync(join(root, SETTINGS), 'utf8')
  const { catalog = {} } = parse(text) as { catalog?: Record<string, string> }
  const lines = text.split('\n')
  return Object.entries(catalog)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => ({
      path: SETTINGS,
      line: lines.findIndex((line) => line.trim().replaceAll("'", '').startsWith(`${name}:`)) + 1,
      message: `${name} is "${version}": name one version`,
    }))
}
