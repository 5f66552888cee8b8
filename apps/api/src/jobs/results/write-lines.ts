import type { Db } from '@probity/database/connection/connect'
import type { ResultsLocation } from '@probity/database/jobs/results/chunk-store'
import { openResultsReader } from '@probity/database/jobs/results/read-results'
import type { ResultsFilter } from '@probity/database/jobs/results/results'
import { openPageSize } from './page-size.ts'
import { presentResult, type Shown } from './present-result.ts'

export type LinesOptions = Shown & { filter: ResultsFilter }

/** All results of a job as NDJSON, page by page; the next page is read when the last was taken. */
export async function* writeLines(
  db: Db,
  job: ResultsLocation,
  { filter, evidence, policy }: LinesOptions,
): AsyncGenerator<string> {
  const reader = openResultsReader(db, job)
  const size = openPageSize()
  let afterRow = 0
  for (;;) {
    const limit = size.rows()
    const page = await reader.listAfter({ ...filter, afterRow, limit })
    size.note(page)
    if (page.length > 0)
      yield page.map((kept) => `${JSON.stringify(presentResult(kept, { evidence, policy }))}\n`).join('')
    if (page.length < limit) return
    afterRow = page.at(-1)?.rowNo ?? afterRow
  }
}
