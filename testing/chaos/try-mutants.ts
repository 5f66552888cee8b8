import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import type { ChaosTask, Outcome } from './compare-runs.ts'
import { MUTANTS, type Replacement } from './mutants.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The parts of the repository that a run needs, besides installed packages. */
export const PARTS = ['apps', 'packages', 'benchmarks', 'testing/chaos', 'testing/lab', 'package.json']

/** A mutant that fails as a program is detected without any fault, which shows nothing. */
const VALIDATES_NOTHING = /^in peace: the job is \w+ with 0 of /

/** Runs one mutant or all of them. The result is good if every one is detected. */
export async function tryMutants(name: string, task: ChaosTask): Promise<Outcome> {
  const chosen = Object.entries(MUTANTS).filter(([mutant]) => name === 'all' || mutant === name)
  if (chosen.length === 0) throw new Error(`--mutant is all or one of ${Object.keys(MUTANTS).join(', ')}`)
  const caughtBy: Record<string, string[]> = {}
  for (const [mutant, replacements] of chosen) {
    process.stderr.write(`\n${mutant}\n`)
    const findings = await listFindings(replacements, task)
    if (findings.some((finding) => VALIDATES_NOTHING.test(finding))) throw new Error(`${mutant} validates no address`)
    caughtBy[mutant] = findings
  }
  const survived = Object.keys(caughtBy).filter((mutant) => caughtBy[mutant]?.length === 0)
  return { isGood: survived.length === 0, figures: { mutants: chosen.length, survived, caught_by: caughtBy } }
}

/** The violations that chaos finds in a copy of the product with these texts replaced. */
async function listFindings(
  replacements: Replacement[],
  { rows, seed, redis, patienceMs, signal }: ChaosTask,
): Promise<string[]> {
  const folder = makeFolder('probity-mutant')
  try {
    copyWorkspace(folder)
    for (const replacement of replacements) exchange(folder, replacement)
    const options = [
      '--rows',
      String(rows),
      '--seed',
      String(seed),
      '--redis',
      redis,
      '--patience',
      String(patienceMs / 1_000),
    ]
    const child = spawn(process.execPath, [join(folder, 'testing/chaos/main.ts'), ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const interrupt = () => void stopChild(child, 'SIGTERM', STOPS_WITHIN_MS)
    signal.addEventListener('abort', interrupt)
    const ended = once(child, 'close')
    const lines = (await text(child.stdout)).trim().split('\n')
    await ended
    signal.throwIfAborted()
    return (JSON.parse(lines.at(-1) ?? '') as { violations: string[] }).violations
  } finally {
    removeFolder(folder)
  }
}

const STOPS_WITHIN_MS = 60_000

/** Links between our own packages are copied as links, so that they point to the copies; other packages are shared. */
function copyWorkspace(folder: string): void {
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

function exchange(folder: string, { file, find, replace }: Replacement): void {
  const path = join(folder, file)
  const [before, after, ...more] = readFileSync(path, 'utf8').split(find)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${relative(folder, path)} does not hold exactly once: ${find}`)
  }
  writeFileSync(path, before + replace + after)
}
