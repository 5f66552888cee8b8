import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** The report of one run for `.ci/count.mjs`. */
type Report = {
  passed: number
  failed: number
  /** Tests excluded by a tag, which another run covers, and tests skipped for other reasons. */
  leftOut: number
  skipped: string[]
  /** Tests that passed or failed only after another attempt, with the error of the first attempt. */
  retried: string[]
  /** Files that failed without a failed test, and errors outside of tests. */
  broken: string[]
  files: { path: string; seconds: number }[]
}

/** Prints when the first test file started, and writes the report of the run to `file` if one is named. */
export function reportTo(file: string | undefined): Reporter {
  let hasStarted = false
  return {
    onTestModuleStart() {
      if (hasStarted) return
      hasStarted = true
      console.log(`The first test file started after ${(performance.now() / 1_000).toFixed(1)} s.`)
    },
    onTestRunEnd(modules, errors) {
      if (file !== undefined) writeFileSync(file, JSON.stringify(summarize(modules, errors)))
    },
  }
}

function summarize(modules: readonly TestModule[], errors: readonly SerializedError[]): Report {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const having = (state: string) => tests.filter((test) => test.result().state === state)
  const skipped = having('skipped')
  return {
    passed: having('passed').length,
    failed: having('failed').length,
    leftOut: skipped.filter(isOfAnotherRun).length,
    skipped: skipped.filter((test) => !isOfAnotherRun(test)).map(nameOf),
    retried: tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0).map(describeRetry),
    broken: [
      ...modules.filter(isBroken).map((module) => `${pathOf(module)} could not be run`),
      ...errors.map(({ message }) => `an error outside of tests: ${message}`),
    ],
    files: modules.map((module) => ({ path: pathOf(module), seconds: secondsOf(module) })),
  }
}

/** The tags `long` and `timed` name the gate of a test; a run of `timed` alone excludes all other tests. */
function isOfAnotherRun({ tags, project }: TestCase): boolean {
  const filter = project.config.tagsFilter ?? []
  return filter.includes('timed') ? !tags.includes('timed') : filter.length > 0 && tags.length > 0
}

function isBroken(module: TestModule): boolean {
  return module.state() === 'failed' && ![...module.children.allTests('failed')].length
}

function nameOf(test: TestCase): string {
  return `${pathOf(test.module)}: ${test.fullName}`
}

function describeRetry(test: TestCase): string {
  const [line] = test.result().errors?.[0]?.message.split('\n') ?? []
  return line === undefined ? nameOf(test) : `${nameOf(test)} (${line})`
}

function pathOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId)
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return (collectDuration + setupDuration + duration) / 1_000
}
