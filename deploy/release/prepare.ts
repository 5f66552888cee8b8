import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { run } from '../check/run.ts'

/** Files that contain the version of Probity besides the manifests of the packages. */
const PLACES = [
  { file: 'packages/sdk/src/client-options.ts', pattern: /(?<=^export const VERSION = ')[^']+/gm },
  { file: 'deploy/kubernetes/base/kustomization.yaml', pattern: /(?<=^ +newTag: ).+$/gm },
]

/**
 * Sets the version everywhere, gives the unreleased changes of CHANGELOG.md the version and the day, and names the migrations of the
 * release in released.json, which the first release creates. The commit and the tag are made by hand.
 */
export function prepareRelease(version: string, { root, day }: { root: string; day: string }): string[] {
  const edit = (file: string, change: (text: string) => string) => {
    const path = join(root, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    return file
  }
  const changed = [edit('CHANGELOG.md', (text) => releaseChanges(text, { version, day }))]
  const all = ['--recursive', '--include-workspace-root', '--no-git-checks']
  run('pnpm', ['version', version, ...all], { cwd: root })
  for (const { file, pattern } of PLACES) {
    changed.push(
      edit(file, (text) => {
        if (text.search(pattern) === -1) throw new Error(`${file} has no version`)
        return text.replace(pattern, version)
      }),
    )
  }
  writeFileSync(join(root, RELEASED), describeMigrations(join(root, 'packages/database/migrations')))
  return [...changed, RELEASED]
}

const RELEASED = 'packages/database/released.json'

/** Keep a Changelog: the section "Unreleased" stays, empty, above that of the version. */
export function releaseChanges(changelog: string, { version, day }: { version: string; day: string }): string {
  const head = '## [Unreleased]\n'
  const sections = changelog.split(/^(?=## )/m)
  const unreleased = sections.find((section) => section.startsWith(head))
  if (unreleased === undefined) throw new Error('CHANGELOG.md has no section Unreleased')
  const changes = unreleased.slice(head.length)
  if (changes.trim() === '') throw new Error('CHANGELOG.md has no unreleased changes')
  if (sections.some((section) => section.startsWith(`## [${version}]`)))
    throw new Error(`CHANGELOG.md already has version ${version}`)
  return changelog.replace(unreleased, () => `${head}\n## [${version}] - ${day}\n${changes}`)
}

/** released.json: the last migration, and the SHA-256 of each. */
function describeMigrations(folder: string): string {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => basename(file, '.sql'))
    .toSorted()
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, `${name}.sql`)))
      .digest('hex')
  const sha256 = Object.fromEntries(names.map((name) => [name, hash(name)]))
  return `${JSON.stringify({ migration: names.at(-1), sha256 }, null, 2)}\n`
}
