import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

export const REAL_ROOT = join(import.meta.dirname, '../..')

/** The configuration under test: the real files, so that relaxing one of them fails here. */
const CONFIGURATION = ['.gitignore', '.oxlintrc.json', 'biome.json', 'knip.json', 'tsconfig.json']

/** Folders with thousands of installed files. */
const REMOVED_WITHIN_MS = 60_000

const planted: string[] = []
afterAll(() => {
  for (const root of planted) rmSync(root, { recursive: true })
}, REMOVED_WITHIN_MS)

/** A path and the text to write there. */
export type Planted = Record<string, string>

/** A separate work tree with our configuration and the given files. Deleted at the end of the test file. */
export function plant(files: Planted): string {
  const root = mkdtempSync(join(tmpdir(), 'probity-checks-'))
  planted.push(root)
  for (const name of CONFIGURATION) copyFileSync(join(REAL_ROOT, name), join(root, name))
  symlinkSync(join(REAL_ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** A package.json of a part, as the linter formats it. */
export function manifest(name: string, more: Record<string, Record<string, string>> = {}): string {
  return `${JSON.stringify({ name: `@probity/${name}`, type: 'module', exports: { './*': './src/*.ts' }, ...more }, null, 2)}\n`
}

export function readScripts(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(REAL_ROOT, 'package.json'), 'utf8'))
  return manifest.scripts
}

export type Outcome = { ok: boolean; output: string }

/** Runs one command of a script in the real package.json, selected by its program name, in another work tree. */
export function runScripted(root: string, script: string, program: string, ...more: string[]): Outcome {
  const commands = readScripts()[script]?.split(' && ')
  const command = commands?.find((part) => part.startsWith(`${program} `))
  if (command === undefined) throw new Error(`${script} does not run ${program}`)

  const [, ...args] = command.split(' ')
  const { status, stdout } = spawnSync(join(REAL_ROOT, 'node_modules/.bin', program), [...args, ...more], {
    cwd: root,
    encoding: 'utf8',
  })
  return { ok: status === 0, output: stdout }
}

/** The linter's findings for each file: rule names, sorted, without duplicates. */
export type Refusals = { ok: boolean; rulesOf: (path: string) => string[] }

type BiomeReport = { diagnostics: { category: string; location: { path: string } }[] }
type OxlintReport = { diagnostics: { code: string; filename: string }[] }

export function runBiome(root: string): Refusals {
  const { ok, output } = runScripted(root, 'check:lint', 'biome', '--reporter=json', '--max-diagnostics=none')
  const { diagnostics } = JSON.parse(output) as BiomeReport
  return collect(
    ok,
    diagnostics.map(({ category, location }) => [location.path, category]),
  )
}

export function runOxlint(root: string): Refusals {
  const { ok, output } = runScripted(root, 'check:lint', 'oxlint', '--format=json')
  const { diagnostics } = JSON.parse(output) as OxlintReport
  return collect(
    ok,
    diagnostics.map(({ code, filename }) => [filename, code]),
  )
}

function collect(ok: boolean, found: [path: string, rule: string][]): Refusals {
  return {
    ok,
    rulesOf: (path) => [...new Set(found.filter(([where]) => where === path).map(([, rule]) => rule))].toSorted(),
  }
}
