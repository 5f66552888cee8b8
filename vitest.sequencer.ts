import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take half a minute and more, the longest first. They start before all others: a long file that starts last runs alone while
 * the other workers are idle. `.ci/run` prints the seconds of each file.
 */
const LONG = [
  'testing/e2e/operations/chaos.test.ts',
  'testing/e2e/web/operators/operators.test.ts',
  'testing/e2e/web/all-pages.test.ts',
  'testing/e2e/web/script-injection.test.ts',
  'testing/e2e/docs/readme.test.ts',
  'apps/worker/src/jobs/jobs.test.ts',
  'testing/e2e/web/users.test.ts',
  'testing/e2e/docs/site.test.ts',
  'testing/e2e/operations/pooler.test.ts',
  'testing/e2e/operations/jobs-restart.test.ts',
  'testing/e2e/cli/validate.test.ts',
  'testing/e2e/api/webhooks.test.ts',
  'testing/e2e/api/sdk/sdk.test.ts',
  'testing/e2e/web/billing.test.ts',
  'testing/e2e/web/keys.test.ts',
  'testing/e2e/operations/outages.test.ts',
  'testing/e2e/operations/jobs-postgres-outage.test.ts',
  'packages/database/src/billing/ledger-model.test.ts',
]

/** On a fresh clone Vitest sorts by file size, which says little about the duration of a file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
