import { afterAll, onTestFinished, TestRunner } from 'vitest'

/**
 * Cleans up after the running test, or after the file when no test is running. Everything that a test starts is
 * registered here at once, so that it ends even if the test fails: a hook added by `afterAll` inside a test would never
 * run. It can be called from a test, from `beforeEach` or from the file itself, but not from `beforeAll`, where Vitest
 * allows neither hook.
 */
export function whenDone(cleanUp: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(async () => void (await cleanUp()))
  else onTestFinished(async () => void (await cleanUp()))
}
