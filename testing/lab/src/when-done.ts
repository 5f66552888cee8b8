import { afterAll, onTestFinished, TestRunner } from 'vitest'

/**
 * Cleans up after the running test, or after the file where none is running yet. Whatever a test starts is registered here
 * at once, so that it ends even if the test fails: a hook that is added inside a test by `afterAll` would never run. Call it
 * from a test, from `beforeEach` or from the file itself, not from `beforeAll`, where Vitest takes neither.
 */
export function whenDone(cleanUp: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(async () => void (await cleanUp()))
  else onTestFinished(async () => void (await cleanUp()))
}
