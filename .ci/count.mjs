import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * `node .ci/count.mjs <name>=<exit code>=<report>…` adds up Vitest's JSON reports and ends with "N passed, N failed". A
 * run that failed for another reason than a test (a lint error, a fault while the servers were stopped) counts as one
 * failure, so that the last line never says "0 failed" of a run that did fail. Before it stands what each suite took, and the slowest files.
 */
const SLOWEST = 25

const runs = process.argv.slice(2).map((argument) => {
  const [name, code, ...file] = argument.split('=')
  return { name, ...count(Number(code), file.join('=')) }
})

for (const { name, files } of runs) printShares(name, files)
for (const { name, notes } of runs) for (const note of notes) console.log(`${name}: ${note}`)
const passed = runs.reduce((sum, run) => sum + run.passed, 0)
const failed = runs.reduce((sum, run) => sum + run.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1

function count(code, file) {
  if (!existsSync(file))
    return { passed: 0, failed: 1, files: [], notes: [`ended with exit code ${code} before any test ran`] }

  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
  // A file that cannot be loaded or set up fails without one of its tests failing.
  const broken = testResults.filter((suite) => suite.status === 'failed' && !suite.assertionResults.some(isFailed))
  const failed = numFailedTests + broken.length
  const skipped = numTotalTests - numPassedTests - numFailedTests
  const files = testResults.map(({ name, startTime, endTime }) => ({
    path: relative(process.cwd(), name),
    seconds: Math.max(0, (endTime - startTime) / 1000),
  }))
  const notes = broken.map((suite) => `${suite.name} could not be run`)
  if (skipped > 0) notes.push(`${skipped} skipped`)
  if (failed > 0 || (code === 0 && numPassedTests > 0)) return { passed: numPassedTests, failed, files, notes }

  notes.push(code === 0 ? 'not one test passed' : `ended with exit code ${code}, though no test failed`)
  return { passed: numPassedTests, failed: 1, files, notes }
}

function isFailed(test) {
  return test.status === 'failed'
}

/** Files of a run go side by side, so that together they take more than the run did: what counts is which part of it each suite is. */
function printShares(run, files) {
  const whole = files.reduce((sum, { seconds }) => sum + seconds, 0)
  if (whole === 0) return
  const suites = new Map()
  for (const { path, seconds } of files) suites.set(suiteOf(path), (suites.get(suiteOf(path)) ?? 0) + seconds)
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)
  console.log(`\n${run}: what each suite took`)
  for (const [suite, seconds] of [...suites].toSorted(([, one], [, other]) => other - one))
    printShare(suite, seconds, whole)
  console.log(`${run}: the slowest files`)
  for (const { path, seconds } of slowest) printShare(path, seconds, whole)
}

function suiteOf(path) {
  const [part, name, , ...rest] = path.split('/')
  if (part === 'journeys') return name.startsWith('web-') ? 'journeys in a browser' : 'journeys'
  return part === 'packages' || part === 'apps'
    ? [part, name, ...(name === 'engine' ? rest.slice(0, 1) : [])].join('/')
    : part
}

function printShare(what, seconds, whole) {
  console.log(`${seconds.toFixed(1).padStart(8)} s ${((100 * seconds) / whole).toFixed(1).padStart(5)} %  ${what}`)
}
