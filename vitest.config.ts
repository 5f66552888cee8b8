import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { GATES, LAST } from './testing/e2e/data/gates.ts'
import { reportTo } from './vitest.report.ts'
import { LongestFirst } from './vitest.sequencer.ts'

/** Tests that need no server: gate 1 runs them. All others use real ones, which vitest.setup.ts starts. */
const UNIT = [
  'packages/{concurrency,contract,email,settings}/**/*.test.ts',
  'packages/engine/src/{address,verdict}/**/*.test.ts',
  'packages/engine/src/validate.test.ts',
  'packages/engine/src/smtp/probe/outcome.test.ts',
  'packages/sdk/{src,generate}/**/*.test.ts',
  'apps/cli/**/*.test.ts',
  'apps/docs/src/**/*.test.ts',
  'apps/web/src/**/*.test.ts',
  'benchmarks/**/*.test.ts',
  'checks/**/*.test.ts',
  'deploy/**/*.test.ts',
  'testing/chaos/**/*.test.ts',
]
/** Tests without short deadlines: they run beside the end-to-end tests that need most of the processor at times and wait at others. */
const INTEGRATION_LAST = ['apps/admin/**/*.test.ts', 'packages/{database,doctor,redis,uploads}/**/*.test.ts']
const EXCLUDED = ['**/node_modules/**']

/** The end-to-end test files of a gate that run beside the integration tests. */
const endToEnd = (gate: 2 | 3) =>
  Object.keys(GATES).flatMap((file) => (GATES[file] === gate && !LAST.includes(file) ? [`testing/e2e/${file}`] : []))

/** For files that use real servers. */
export const WITH_SERVERS = {
  exclude: EXCLUDED,
  globalSetup: 'vitest.setup.ts',
  setupFiles: 'vitest.each-file.ts',
  expect: { poll: { timeout: 20_000 } },
  // Twice the cores of CI: many files wait for a timer or for a process that they started.
  maxWorkers: 4,
  sequence: { groupOrder: 1 }, // after the unit tests, which use another number of workers
  // A test that hangs fails after three minutes; less would fail tests on a slow machine.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  retry: 1,
}

/** Files that run after all others. */
const LAST_GROUP = { maxWorkers: 3, sequence: { groupOrder: 2 } }

/** Report settings, and the tags that a test may have. `.ci/run` names the file for its report. */
export const RUN = {
  reporters: ['default', reportTo(process.env['TEST_REPORT'])],
  tags: [
    { name: 'long', description: 'Takes over 30 s or floods a server: gate 3.' },
    { name: 'timed', description: 'Asserts on wall-clock time: gate 3, one file at a time.' },
  ],
}

export default defineConfig({
  test: {
    ...RUN,
    sequence: { sequencer: LongestFirst },
    projects: [
      './apps/web/vitest.config.ts',
      {
        test: {
          name: 'unit',
          include: UNIT,
          exclude: EXCLUDED,
          isolate: false, // files share loaded modules: loading them for each file took a third of the time
          maxWorkers: availableParallelism(), // one more took longer
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...WITH_SERVERS,
          name: 'integration',
          include: ['{apps,demo,packages}/**/*.test.ts', 'testing/lab/**/*.test.ts'],
          exclude: [...EXCLUDED, ...UNIT, ...INTEGRATION_LAST, 'apps/web/states/**'],
          isolate: false,
        },
      },
      { test: { ...WITH_SERVERS, name: 'e2e', include: endToEnd(2) } },
      { test: { ...WITH_SERVERS, name: 'e2e-all', include: endToEnd(3) } },
      {
        test: { ...WITH_SERVERS, ...LAST_GROUP, name: 'e2e-last', include: LAST.map((file) => `testing/e2e/${file}`) },
      },
      { test: { ...WITH_SERVERS, ...LAST_GROUP, name: 'integration-last', include: INTEGRATION_LAST, isolate: false } },
    ],
  },
})
