import { Result, ResultParams } from '@probity/contract/schemas/jobs/results'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findResult } from '@probity/database/jobs/results/results'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { found } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { getResultsJob } from './get-job.ts'
import { presentResult } from './present-result.ts'

/** One result of a job, with its evidence. */
export const showResult: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getJobResult',
      tag: 'Jobs',
      summary: 'Get one result of a job',
      description:
        'The result of the address that first occurs in this row of the file, with `details`, `catchall`, `ai_enhancement` and `evidence`. A row that repeats an earlier address, or has no result yet, is not found.',
      problems: ['invalid_request', 'not_found', 'results_expired', ...DOOR_PROBLEMS],
    },
    { params: ResultParams, response: { 200: Result } },
  )
  app.get('/bulk/jobs/:job_id/results/:row', { schema, config: { scope: 'jobs:read' } }, async ({ auth, params }) => {
    const job = await getResultsJob(db, auth, params.job_id)
    const result = await inTenant(db, auth.accountId, (trx) => findResult(trx, job, params.row))
    return presentResult(found(result), { evidence: true })
  })
}
