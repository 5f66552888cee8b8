import type { Db } from '@probity/database/connection/connect'
import type { ResultsLocation } from '@probity/database/jobs/results/chunk-store'
import { openResultsReader } from '@probity/database/jobs/results/read-results'
import type { KeptResult, ResultsFilter } from '@probity/database/jobs/results/results'
import { presentResult, type Shown } from '../../http/present-result.ts'

/** Maximum number of rows of a page; large results make pages smaller. */
const PAGE_ROWS_MAX = 500
const FIRST_PAGE_ROWS = 50
const ROWS_UNITS = 512 * 1024
/** A result without the texts of its evidence. */
const RESULT_UNITS = 1_000

/** The number of rows for the next page of an export, from the largest result of the last one: evidence may make results large. */
export function openPageSize() {
  let rows = FIRST_PAGE_ROWS
  return {
    rows: () => rows,
    note(page: KeptResult[]): void {
      const largest = Math.max(RESULT_UNITS, ...page.map(sizeOf))
      rows = Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(ROWS_UNITS / largest)))
    },
  }
}

function sizeOf({ result }: KeptResult): number {
  return result.evidence.reduce((units, { detail }) => units + detail.length, RESULT_UNITS)
}

export type LinesOptions = Shown & { filter: ResultsFilter }

/** All results of a job as NDJSON, page by page; the next page is read when the previous one was sent. */
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
