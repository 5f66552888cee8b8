import { existsSync, readFileSync } from 'node:fs'

/**
 * `node .ci/count.mjs <name>=<exit code>=<report>…` adds up Vitest's JSON reports and ends with "N passed, N failed". A
 * run that failed for another reason than a test (a lint error, a fault while the servers were stopped) counts as one
 * failure, so that the last line never says "0 failed" of a run that did fail.
 */
const runs = process.argv.slice(2).map((argument) => {
  const [name, code, ...file] = argument.split('=')
  return { name, ...count(Number(code), file.join('=')) }
})

for (const { name, notes } of runs) for (const note of notes) console.log(`${name}: ${note}`)
const passed = runs.reduce((sum, run) => sum + run.passed, 0)
const failed = runs.reduce((sum, run) => sum + run.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1

function count(code, file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, notes: [`ended with exit code ${code} before any test ran`] }

  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
  // A file that cannot be loaded or set up fails without one of its tests failing.
  const broken = testResults.filter((suite) => suite.status === 'failed' && !suite.assertionResults.some(isFailed))
  const failed = numFailedTests + broken.length
  const skipped = numTotalTests - numPassedTests - numFailedTests
  const notes = broken.map((suite) => `${suite.name} could not be run`)
  if (skipped > 0) notes.push(`${skipped} skipped`)
  if (failed > 0 || (code === 0 && numPassedTests > 0)) return { passed: numPassedTests, failed, notes }

  notes.push(code === 0 ? 'not one test passed' : `ended with exit code ${code}, though no test failed`)
  return { passed: numPassedTests, failed: 1, notes }
}

function isFailed(test) {
  return test.status === 'failed'
}
