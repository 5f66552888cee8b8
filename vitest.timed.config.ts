import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { RUN, WITH_SERVERS } from './vitest.config.ts'

const TAG = /@module-tag timed|tags: \[[^\]]*'timed'/
const FOLDERS = '{apps,packages,benchmarks,checks,deploy,testing}'

/** The files with a test that is tagged `timed`. Other files would be loaded, with their servers, for no test. */
const files = globSync(`${FOLDERS}/**/*.test.{ts,tsx}`, { exclude: (name) => name === 'node_modules' })

/** Tests that assert on wall-clock time: one file at a time, with no other test running. */
export default defineConfig({
  test: {
    ...RUN,
    ...WITH_SERVERS,
    name: 'timed',
    include: files.filter((file) => TAG.test(readFileSync(file, 'utf8'))),
    maxWorkers: 1,
    fileParallelism: false,
  },
})
