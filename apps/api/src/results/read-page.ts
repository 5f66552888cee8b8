import { type Db, inTenant, type Trx } from '@probity/database/connect'
import { type KeptResult, type ResultsPlace, stillHasResults } from '@probity/database/results'

/**
 * Reads one page of an export in a transaction of its own, since the reader may take long until the next. Throws where the job was
 * deleted or expired meanwhile: what was sent so far must not look like the whole.
 */
export function readResultsPage(
  db: Db,
  job: ResultsPlace,
  list: (trx: Trx) => Promise<KeptResult[]>,
): Promise<KeptResult[]> {
  return inTenant(db, job.accountId, async (trx) => {
    const results = await list(trx)
    // Afterwards: whatever goes between the two is noticed.
    if (!(await stillHasResults(trx, job))) throw new Error('the results left while they were being exported')
    return results
  })
}

/** A page has at most this many rows, and fewer where results are large. */
const PAGE_ROWS_MAX = 500
const FIRST_PAGE_ROWS = 50
const PAGE_UNITS = 512 * 1024
/** A result without the texts of its evidence. */
const RESULT_UNITS = 1_000

/** The number of rows for the next page of an export, from the largest result of the last one: evidence may make results large. */
export function openPageSize() {
  let rows = FIRST_PAGE_ROWS
  return {
    rows: () => rows,
    note(page: KeptResult[]): void {
      const largest = Math.max(RESULT_UNITS, ...page.map(sizeOf))
      rows = Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(PAGE_UNITS / largest)))
    },
  }
}

function sizeOf({ result }: KeptResult): number {
  return result.evidence.reduce((units, { detail }) => units + detail.length, RESULT_UNITS)
}
