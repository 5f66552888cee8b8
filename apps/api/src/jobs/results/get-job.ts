import { type Db, inTenant } from '@probity/database/connection/connect'
import { findResultsJob, type ResultsJob } from '@probity/database/jobs/results/results'
import { found, Problem } from '../../http/problem.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'
import { viewOf } from '../../middleware/authentication/scope.ts'

/** A job of the client whose results can still be read. */
export async function getResultsJob(db: Db, auth: Auth, jobId: string): Promise<ResultsJob> {
  const job = found(await inTenant(db, auth.accountId, (trx) => findResultsJob(trx, viewOf(auth), jobId)))
  if (job.isExpired) throw new Problem('results_expired')
  return job
}
