import { defineConfig } from 'vitest/config'

/** Tests that need no server: they run in `pnpm check`. All others talk to real ones, which vitest.setup.ts starts. */
const FAST = [
  'packages/{contract,settings}/**/*.test.ts',
  'packages/engine/src/{address,verdict}/**/*.test.ts',
  'packages/sdk/{src,generate}/**/*.test.ts',
  'apps/cli/**/*.test.ts',
  'apps/docs/src/**/*.test.ts',
  'apps/web/src/**/*.test.ts',
  'checks/**/*.test.ts',
  'model/**/*.test.ts',
]
/** What is held to the clock in a browser: nothing else runs beside it. */
const MEASURED = ['journeys/web-speed.test.ts', 'journeys/web-large-list.test.ts']
const OUTSIDE = ['**/node_modules/**']

/** Clocks and sockets of a busy machine: CI tries once more and shows it beside the test's name. */
const RETRY = process.env['CI'] ? 1 : 0

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'fast', include: FAST, exclude: OUTSIDE, testTimeout: 30_000, retry: RETRY } },
      {
        test: {
          name: 'real',
          include: ['{apps,packages,journeys}/**/*.test.ts'],
          exclude: [...OUTSIDE, ...FAST, ...MEASURED],
          globalSetup: 'vitest.setup.ts',
          // Most of them wait for servers and clocks rather than for the processor, so a few run side by side.
          maxWorkers: 2,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          retry: RETRY,
        },
      },
      {
        test: {
          name: 'measured',
          include: MEASURED,
          exclude: OUTSIDE,
          globalSetup: 'vitest.setup.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 1 }, // after all others
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: RETRY,
        },
      },
    ],
  },
})
