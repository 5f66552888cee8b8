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
