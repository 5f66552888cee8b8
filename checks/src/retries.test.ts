import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plant, REAL_ROOT } from './test-workspace.ts'

const REPORT = { passed: 5, failed: 0, leftOut: 0, skipped: [], retried: [], broken: [], files: [] }

/** Counts one report as `.ci/run` does, and returns the exit code and the last lines. */
function count(report: object, { code = 0, runs = 1 } = {}) {
  const root = plant({ 'report.json': JSON.stringify({ ...REPORT, ...report }) })
  const args = Array.from({ length: runs }, (_, n) => `run${n}=${code}=${join(root, 'report.json')}`)
  const { status, stdout } = spawnSync('node', [join(REAL_ROOT, '.ci/count.mjs'), ...args], { encoding: 'utf8' })
  return { status, lines: stdout.trim().split('\n') }
}

test('.ci/count.mjs prints every retried test by name and passes at three', () => {
  const { status, lines } = count({ retried: ['a.test.ts: one', 'a.test.ts: two', 'b.test.ts: three'] })
  expect(lines).toEqual([
    'retried: a.test.ts: one',
    'retried: a.test.ts: two',
    'retried: b.test.ts: three',
    '5 passed, 0 failed',
  ])
  expect(status).toBe(0)
})

test('.ci/count.mjs fails the run at more than three retried tests over all reports', () => {
  const { status, lines } = count({ retried: ['a.test.ts: one', 'a.test.ts: two'] }, { runs: 2 })
  expect(lines.slice(-2)).toEqual(['4 tests were retried; at most 3 may be', '10 passed, 1 failed'])
  expect(status).toBe(1)
})

test.each([
  ['a failed test', { failed: 1 }, {}, '5 passed, 1 failed'],
  ['a file that could not be run', { broken: ['a.test.ts could not be run'] }, {}, '5 passed, 1 failed'],
  ['an exit code without a failed test', {}, { code: 1 }, '5 passed, 1 failed'],
  ['no test at all', { passed: 0 }, {}, '0 passed, 1 failed'],
])('.ci/count.mjs fails the run on %s', (_, report, options, last) => {
  const { status, lines } = count(report, options)
  expect([status, lines.at(-1)]).toEqual([1, last])
})

const TESTS = `import { test } from 'vitest'

let attempts = 0
test('flaky', { retry: 1 }, () => {
  attempts += 1
  if (attempts === 1) throw new Error('first attempt')
})
test('steady', { retry: 1 }, () => {})
test('other gate', { tags: ['long'] }, () => {})
test.skip('switched off', () => {})
`

test('vitest.report.ts reports retried tests with their error, and skipped and excluded tests', () => {
  const config = `import { RUN } from '${join(REAL_ROOT, 'vitest.config.ts')}'\n\nexport default { test: RUN }\n`
  const root = plant({ 'vitest.config.ts': config, 'some.test.ts': TESTS })
  const vitest = join(REAL_ROOT, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = spawnSync('node', [vitest, 'run', '--tags-filter=!long'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TEST_REPORT: join(root, 'report.json'), VITEST: '' },
  })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/The first test file started after \d+\.\d s\./)])
  const counted = spawnSync('node', [join(REAL_ROOT, '.ci/count.mjs'), `run=0=${join(root, 'report.json')}`], {
    encoding: 'utf8',
  })
  expect(counted.stdout.trim().split('\n').slice(-4)).toEqual([
    'run: skipped: some.test.ts: switched off',
    'run: 1 left to another run by their tags',
    'retried: some.test.ts: flaky (first attempt)',
    '2 passed, 0 failed',
  ])
})
