import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

const SETTINGS = 'pnpm-workspace.yaml'
/** Three days, in minutes as pnpm requires. */
const AGE_MIN = 3 * 24 * 60
const MUST_BE_TRUE = ['minimumReleaseAgeStrict', 'strictDepBuilds', 'blockExoticSubdeps']
const MUST_NOT_BE = [
  'dangerouslyAllowAllBuilds',
  'minimumReleaseAgeExclude',
  'minimumReleaseAgeIgnoreMissingTime',
  'trustLockfile',
]

/** How packages are installed: the settings of pnpm, and the documented commands. */
export function listLooseInstalls({ root }: Workspace): Fault[] {
  return [...listLooseSettings(root), ...listUnfrozenInstalls(root)]
}

function listLooseSettings(root: string): Fault[] {
  if (!existsSync(join(root, SETTINGS))) return []
  const text = readFileSync(join(root, SETTINGS), 'utf8')
  const settings = parseDocument(text)
  const refuse = (name: string, message: string) => {
    const line = text.split('\n').findIndex((one) => one.trim().replaceAll("'", '').startsWith(`${name}:`)) + 1
    return { path: SETTINGS, line: Math.max(line, 1), message: `${name} ${message}` }
  }
  const age = settings.get('minimumReleaseAge')
  const builds = settings.get('allowBuilds')
  const unexplained = isMap(builds)
    ? builds.items.filter(({ value }) => !isScalar(value) || !value.comment?.trim()).map(({ key }) => String(key))
    : []
  return [
    ...(typeof age === 'number' && age >= AGE_MIN ? [] : [refuse('minimumReleaseAge', `must be ${AGE_MIN} or more`)]),
    ...MUST_BE_TRUE.filter((name) => settings.get(name) !== true).map((name) => refuse(name, 'must be true')),
    ...MUST_NOT_BE.filter((name) => settings.has(name)).map((name) => refuse(name, 'disables a protection')),
    ...unexplained.map((name) =>
      refuse(name, 'has no reason: state in a comment why it may run a script or why it need not'),
    ),
  ]
}

/** Files with commands that people copy and machines run. */
const PLACES = ['.', '.ci', '.github/workflows', 'deploy', 'docs', 'docs/guides']
const INSTALL = /(^|[\s;&|])pnpm (install|i)(?=\s|$)(?!.*--frozen-lockfile)/

function listUnfrozenInstalls(root: string): Fault[] {
  return PLACES.filter((place) => existsSync(join(root, place))).flatMap((place) =>
    readdirSync(join(root, place), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(md|ya?ml|sh)$|^run$|^Dockerfile|^install$/.test(entry.name))
      .map((entry) => (place === '.' ? entry.name : `${place}/${entry.name}`))
      .flatMap((path) => listUnfrozenIn(root, path)),
  )
}

/** In a page only code blocks contain commands: lines that begin with the command. */
function listUnfrozenIn(root: string, path: string): Fault[] {
  const isCommand = path.endsWith('.md')
    ? (line: string) => line.trimStart().startsWith('pnpm ')
    : (line: string) => !line.trimStart().startsWith('#')
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, n) =>
      isCommand(line) && INSTALL.test(line)
        ? [{ path, line: n + 1, message: 'installs without --frozen-lockfile' }]
        : [],
    )
}
