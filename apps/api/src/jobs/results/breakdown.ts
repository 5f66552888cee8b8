import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import { Breakdown } from '@probity/contract/schemas/jobs/results'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { tallyResults } from '@probity/database/jobs/present-job'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import type { Route } from '../../http/route.ts'
import { getResultsJob } from './get-job.ts'
import { presentBreakdown } from './present-breakdown.ts'

/** The results of a job in numbers, and what each preset would make of them. */
export const showBreakdown: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getJobBreakdown',
      tag: 'Jobs',
      summary: 'Get the result counts of a job',
      description:
        'Counts by reason, provider and domain, and per preset the addresses it keeps and the expected bounce rate. To read these addresses, use `preset` and `part` of the results.',
      problems: ['invalid_request', 'not_found', 'results_expired', ...DOOR_PROBLEMS],
    },
    { params: JobParams, response: { 200: Breakdown } },
  )
  app.get('/bulk/jobs/:job_id/breakdown', { schema, config: { scope: 'jobs:read' } }, async ({ auth, params }) => {
    const job = await getResultsJob(db, auth, params.job_id)
    return presentBreakdown(await inTenant(db, auth.accountId, (trx) => tallyResults(trx, job)))
  })
}
