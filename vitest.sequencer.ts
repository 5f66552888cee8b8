import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take half a minute and more, the longest first. They start before all others: a long file that starts last runs alone while
 * the other workers are idle. `.ci/run` prints the seconds of each file.
 */
const LONG = [
  'journeys/web-operator.test.ts',
  'journeys/web-all-pages.test.ts',
  'journeys/web-scripts.test.ts',
  'journeys/readme.test.ts',
  'apps/worker/src/jobs/jobs.test.ts',
  'journeys/web-people.test.ts',
  'journeys/docs-site.test.ts',
  'journeys/pooler.test.ts',
  'journeys/lists-restart.test.ts',
  'journeys/cli.test.ts',
  'journeys/webhooks.test.ts',
  'journeys/sdk.test.ts',
  'journeys/web-billing.test.ts',
  'journeys/web-keys.test.ts',
  'journeys/outages.test.ts',
  'journeys/lists-postgres.test.ts',
  'packages/database/src/billing/ledger-model.test.ts',
]

/** On a fresh clone Vitest sorts by file size, which says little about the time that a file takes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
