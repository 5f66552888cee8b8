import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute and more, the longest first. They are begun before all others: a long one that is begun last runs alone
 * while everybody else is done. `.ci/run` prints how long each file took.
 */
const LONG = [
  'journeys/web-all-pages.test.ts',
  'journeys/chaos.test.ts',
  'journeys/web-scripts.test.ts',
  'journeys/readme.test.ts',
  'apps/worker/src/lists.test.ts',
  'journeys/web-people.test.ts',
  'journeys/docs-site.test.ts',
  'journeys/pooler.test.ts',
  'journeys/web-operator.test.ts',
  'journeys/lists-restart.test.ts',
  'packages/database/src/ledger-model.test.ts',
]

/** Vitest goes by size where it has never seen a file run, as on a fresh clone; a short file may well be a long test. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
