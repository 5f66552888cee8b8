import { type Db, inTenant } from '@probity/database/connection/connect'
import { findResultsJob, type ResultsJob } from '@probity/database/jobs/results/results'
import { found, Problem } from '../../http/problem.ts'
import type { Caller } from '../../middleware/authentication/auth.ts'
import { viewOf } from '../../middleware/authentication/scope.ts'

/** A job of the caller whose results can still be read. */
export async function getResultsJob(db: Db, caller: Caller, jobId: string): Promise<ResultsJob> {
  const job = found(await inTenant(db, caller.accountId, (trx) => findResultsJob(trx, viewOf(caller), jobId)))
  if (job.isExpired) throw new Problem('results_expired')
  return job
}
