import { ComparisonQuery, JobComparison } from '@probity/contract/schemas/jobs/comparison'
import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { findJob } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { compareResults, type ResultChanges } from '@probity/database/jobs/results/compare-results'
import { findResultsJob } from '@probity/database/jobs/results/results'
import { MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { found } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { type Auth, viewOf } from '../../middleware/authentication/auth.ts'

/** The results of a job compared with those of an earlier one. */
export const showComparison: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getJobComparison',
      tag: 'Jobs',
      summary: 'Compare a job with an earlier one',
      description:
        'Counts by status of both jobs and of the addresses that they have in common, and how many of these changed their status. The jobs can have different files: their results are matched by address.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, querystring: ComparisonQuery, response: { 200: JobComparison } },
  )
  const config = { scope: 'jobs:read', loadClass: 'list' } as const
  app.get('/bulk/jobs/:job_id/comparison', { schema, config }, ({ auth, params, query }) =>
    inTenant(db, auth.accountId, async (trx) => {
      const later = await readCompared(trx, auth, params.job_id)
      const earlier = await readCompared(trx, auth, query.with)
      const isReadable = !later.location.isExpired && !earlier.location.isExpired
      const changes = isReadable ? await compareResults(trx, later.location, earlier.location) : undefined
      return {
        job_id: params.job_id,
        with_job_id: query.with,
        status_counts: later.counts,
        with_status_counts: earlier.counts,
        changes: changes ? presentChanges(changes) : null,
      }
    }),
  )
}

async function readCompared(trx: Trx, auth: Auth, jobId: string) {
  const location = found(await findResultsJob(trx, viewOf(auth), jobId))
  const job = found(await findJob(trx, viewOf(auth), jobId))
  return { location, counts: presentJob(job).status_counts }
}

function presentChanges(changes: ResultChanges): NonNullable<JobComparison['changes']> {
  return {
    matched_count: changes.matchedCount,
    changed_count: changes.changedCount,
    added_count: changes.addedCount,
    removed_count: changes.removedCount,
    status_counts: presentCounts(changes.laterCounts),
    with_status_counts: presentCounts(changes.earlierCounts),
    by_status: changes.byStatus,
  }
}

function presentCounts(counts: ReadonlyMap<string, number>): JobComparison['status_counts'] {
  const of = (status: string) => counts.get(status) ?? 0
  return { valid: of('valid'), invalid: of('invalid'), risky: of('risky'), unknown: of('unknown') }
}
