import { JobList, JobPage } from '@probity/contract/bulk'
import { inTenant } from '@probity/database/connect'
import { listJobs as listJobsOf } from '@probity/database/jobs'
import { presentJob } from '@probity/database/present-job'
import { viewOf } from '../../jobs/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { readPage, sendPageHeaders } from '../../page.ts'
import type { Route } from '../../route.ts'

/** The account's jobs, newest first. */
export const listJobs: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listJobs',
      tag: 'Lists',
      summary: 'List jobs',
      description:
        'Live keys see the jobs that live keys confirmed, test keys those of test keys. The total stands in `X-Total-Count`, the neighbouring pages in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: JobPage, response: { 200: JobList } },
  )
  app.get('/bulk/jobs', { schema, config: { scope: 'bulk' } }, async (request, reply) => {
    const { caller } = request
    const page = readPage(request.query)
    const { jobs, total } = await inTenant(db, caller.accountId, (trx) => listJobsOf(trx, viewOf(caller), page))
    sendPageHeaders(reply, '/api/v1/bulk/jobs', page, total)
    return jobs.map(presentJob)
  })
}
