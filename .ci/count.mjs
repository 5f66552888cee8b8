import { existsSync, readFileSync } from 'node:fs'

/**
 * `node .ci/count.mjs <name>=<exit code>=<report>…` adds up the reports of vitest.report.ts and ends with "N passed, N failed". It prints the
 * seconds of each suite, the slowest files and every retried test. A run fails as one failure if it ended with an error although no test
 * failed (a lint error, an error while the servers stopped), and so do more than three retried tests over all runs.
 */
const SLOWEST = 25
const RETRIED_MAX = 3

const runs = process.argv.slice(2).map((argument) => {
  const [name, code, ...file] = argument.split('=')
  return { name, ...count(Number(code), file.join('=')) }
})

for (const { name, files } of runs) printSeconds(name, files)
for (const { name, notes } of runs) for (const note of notes) console.log(`${name}: ${note}`)
const retried = runs.flatMap((run) => run.retried)
for (const test of retried) console.log(`retried: ${test}`)
const isFlaky = retried.length > RETRIED_MAX
if (isFlaky) console.log(`${retried.length} tests were retried; at most ${RETRIED_MAX} may be`)
const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0)
const failed = sum((run) => run.failed) + (isFlaky ? 1 : 0)
console.log(`${sum((run) => run.passed)} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1

function count(code, file) {
  if (!existsSync(file))
    return { passed: 0, failed: 1, retried: [], files: [], notes: [`ended with exit code ${code} before any test ran`] }

  const { passed, failed, leftOut, skipped, retried, broken, files } = JSON.parse(readFileSync(file, 'utf8'))
  const notes = [...broken, ...skipped.map((test) => `skipped: ${test}`)]
  if (leftOut > 0) notes.push(`${leftOut} left to another run by their tags`)
  const total = failed + broken.length
  if (total > 0 || (code === 0 && passed > 0)) return { passed, failed: total, retried, files, notes }

  notes.push(code === 0 ? 'not one test passed' : `ended with exit code ${code}, though no test failed`)
  return { passed, failed: 1, retried, files, notes }
}

/** Files run in parallel, so their seconds add up to more than the run took. */
function printSeconds(run, files) {
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0)
  if (total === 0) return
  const suites = new Map()
  for (const { path, seconds } of files) suites.set(suiteOf(path), (suites.get(suiteOf(path)) ?? 0) + seconds)
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)
  console.log(`\n${run}: seconds per suite`)
  for (const [suite, seconds] of [...suites].toSorted(([, one], [, other]) => other - one))
    printShare(suite, seconds, total)
  console.log(`${run}: slowest files`)
  for (const { path, seconds } of slowest) printShare(path, seconds, total)
}

function suiteOf(path) {
  const [part, name, surface, ...rest] = path.split('/')
  if (part === 'testing' && name === 'e2e') return `end-to-end/${surface}`
  if (part === 'testing') return `${part}/${name}`
  return part === 'packages' || part === 'apps'
    ? [part, name, ...(name === 'engine' ? rest.slice(0, 1) : [])].join('/')
    : part
}

function printShare(what, seconds, total) {
  console.log(`${seconds.toFixed(1).padStart(8)} s ${((100 * seconds) / total).toFixed(1).padStart(5)} %  ${what}`)
}
