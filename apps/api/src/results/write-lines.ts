import type { Db } from '@probity/database/connect'
import { listResultsAfter, type ResultsPlace } from '@probity/database/results'
import type { ResultsFilter } from '@probity/database/results-filter'
import { presentResult, type Shown } from './present-result.ts'
import { readResultsPage } from './read-page.ts'

const PAGE_ROWS = 500

export type LinesOptions = Shown & { filter: ResultsFilter }

/** All results of a job as NDJSON, page by page; the next page is read when the last was taken. */
export async function* writeLines(
  db: Db,
  job: ResultsPlace,
  { filter, evidence, policy }: LinesOptions,
): AsyncGenerator<string> {
  let afterRow = 0
  for (;;) {
    const page = await readResultsPage(db, job, (trx) =>
      listResultsAfter(trx, job, { ...filter, afterRow, limit: PAGE_ROWS }),
    )
    if (page.length > 0)
      yield page.map((kept) => `${JSON.stringify(presentResult(kept, { evidence, policy }))}\n`).join('')
    if (page.length < PAGE_ROWS) return
    afterRow = page.at(-1)?.rowNo ?? afterRow
  }
}
