import { JobList, JobPage } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type JobsFilter, listJobs as listJobsOf } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/storable.ts'
import { viewOf } from '../middleware/authentication/scope.ts'

/** The account's jobs, newest first. */
export const listJobs: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listJobs',
      tag: 'Jobs',
      summary: 'List jobs',
      description:
        'Live keys see the jobs of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: JobPage, response: { 200: JobList } },
  )
  app.get('/bulk/jobs', { schema, config: { scope: 'jobs:read' } }, async (request, reply) => {
    const { auth, query } = request
    const page = readPage(query)
    const { jobs, total } = await inTenant(db, auth.accountId, (trx) =>
      listJobsOf(trx, viewOf(auth), { ...page, ...readFilter(query) }),
    )
    sendPageHeaders(reply, page, total)
    const { status, search } = query
    keepFilter(reply, { ...(status && { status }), ...(search && { search }) })
    return jobs.map(presentJob)
  })
}

function readFilter({ status, search }: JobPage): JobsFilter {
  return { statuses: status?.split(','), search: search && storable(search) }
}
