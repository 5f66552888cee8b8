import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './vitest.sequencer.ts'

/** Tests that need no server: they run in `pnpm check`. All others talk to real ones, which vitest.setup.ts starts. */
const FAST = [
  'packages/{contract,settings}/**/*.test.ts',
  'packages/engine/src/{address,verdict}/**/*.test.ts',
  'packages/sdk/{src,generate}/**/*.test.ts',
  'apps/cli/**/*.test.ts',
  'apps/docs/src/**/*.test.ts',
  'apps/web/src/**/*.test.ts',
  'bench/**/*.test.ts',
  'checks/**/*.test.ts',
  'deploy/**/*.test.ts',
  'model/**/*.test.ts',
]
/** What is held to the clock: nothing else runs beside it. */
const MEASURED = ['journeys/cli-package.test.ts', 'journeys/web-{speed,large-list}.test.ts']
const OUTSIDE = ['**/node_modules/**']
/** Needs the history of the repository, so it runs only when it is told which commit to begin with. */
const BY_COMMAND = process.env['UPGRADE_FROM'] ? [] : ['journeys/upgrade-from.test.ts']

/** Clocks and sockets of a busy machine: CI tries again, at most twice, and shows it beside the test's name. */
const RETRY = process.env['CI'] ? 2 : 0

const REAL = {
  exclude: [...OUTSIDE, ...FAST, ...MEASURED, ...BY_COMMAND],
  globalSetup: 'vitest.setup.ts',
  setupFiles: 'vitest.each-file.ts',
  expect: { poll: { timeout: 20_000 } },
  // Each has servers, processes and browsers of its own beside it. With four, what is slow is tried again, which takes longer.
  maxWorkers: 3,
  sequence: { groupOrder: 1 }, // after the fast ones, which have other numbers of workers
  // What hangs is found as well after some minutes; a machine of which others take most is slow and not at fault.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  retry: RETRY,
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files share the modules that they bring: bringing all anew for every file took a third of the time.
      {
        test: {
          name: 'fast',
          include: FAST,
          exclude: OUTSIDE,
          isolate: false,
          maxWorkers: availableParallelism() + 1, // some of them wait for a clock
          testTimeout: 30_000,
          retry: RETRY,
        },
      },
      { test: { ...REAL, name: 'real', include: ['{apps,packages}/**/*.test.ts'], isolate: false } },
      { test: { ...REAL, name: 'journeys', include: ['journeys/**/*.test.ts'] } },
      {
        test: {
          name: 'measured',
          include: MEASURED,
          exclude: OUTSIDE,
          globalSetup: 'vitest.setup.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 2 }, // after all others
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: RETRY,
        },
      },
    ],
  },
})
