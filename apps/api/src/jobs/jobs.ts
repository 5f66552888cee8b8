import { JOB_PAGE_LIMIT_MAX } from '@probity/contract/constants/limits'
import { Job, JobList, JobPage, JobParams, UpdateJob } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import {
  type Controlled,
  cancelJob,
  pauseJob,
  removeJob,
  removePending,
  resumeJob,
} from '@probity/database/jobs/job-control'
import {
  findJob,
  type JobChange,
  type JobsFilter,
  listJobs as listJobsOf,
  updateJob,
} from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { listUnknownReruns } from '@probity/database/jobs/reruns'
import { removeExpiredUploads } from '@probity/database/jobs/uploads'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import { type Auth, viewOf } from '../middleware/authentication/auth.ts'

/** The account's jobs, newest first. */
export const listJobs: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listJobs',
      tag: 'Jobs',
      summary: 'List jobs',
      description:
        'Live keys see the jobs of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: JobPage, response: { 200: JobList } },
  )
  app.get('/bulk/jobs', { schema, config: { scope: 'jobs:read' } }, async (request, reply) => {
    const { auth, query } = request
    const page = readPage(query, JOB_PAGE_LIMIT_MAX)
    const { jobs, total } = await inTenant(db, auth.accountId, (trx) =>
      listJobsOf(trx, viewOf(auth), { ...page, ...readFilter(query) }),
    )
    sendPageHeaders(reply, page, total)
    const { status, search, tag, unknown_reruns } = query
    const reruns = unknown_reruns === false && { unknown_reruns: 'false' }
    keepFilter(reply, { ...(status && { status }), ...(search && { search }), ...(tag && { tag }), ...reruns })
    return jobs.map(presentJob)
  })
}

function readFilter({ status, search, tag, unknown_reruns }: JobPage): JobsFilter {
  return {
    statuses: status?.split(','),
    search: search && storable(search),
    tag: tag && storable(tag),
    withoutUnknownReruns: unknown_reruns === false,
  }
}

type JobDependencies = {
  db: Db
  storage: FileStorage
}

const reading = { scope: 'jobs:read' } as const
const changing = { scope: 'jobs:write' } as const

/** Routes of one job: get, change and delete. */
export const showJob: Route<JobDependencies> = async (app, services) => {
  const show = operation(
    {
      id: 'getJob',
      tag: 'Jobs',
      summary: 'Get a job',
      description:
        'Progress, counts and credits of the job. The job remains available after its addresses and results have been deleted.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 200: Job } },
  )
  app.get('/bulk/jobs/:job_id', { schema: show, config: reading }, async ({ auth, params }) => {
    const job = await inTenant(services.db, auth.accountId, (trx) => findJob(trx, viewOf(auth), params.job_id))
    return presentJob(found(job))
  })

  const change = operation(
    {
      id: 'updateJob',
      tag: 'Jobs',
      summary: 'Change a job',
      description: 'Changes the name and the tags of a job, in any state. Only the settings in the body change.',
      problems: ['invalid_request', 'not_found', ...BODY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, body: UpdateJob, response: { 200: Job } },
  )
  app.patch('/bulk/jobs/:job_id', { schema: change, config: changing }, async ({ auth, params, body }) => {
    const job = await inTenant(services.db, auth.accountId, (trx) =>
      updateJob(trx, viewOf(auth), params.job_id, readChange(body)),
    )
    return presentJob(found(job))
  })

  const remove = operation(
    {
      id: 'deleteJob',
      tag: 'Jobs',
      summary: 'Delete a job',
      description:
        'Deletes the job with its file, addresses and results immediately, and so the reruns of its unknown rows. A job that has not ended is canceled first, and its unused credits are released. Charged credits are not refunded.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 204: Type.Null({ description: 'The job was deleted.' }) } },
  )
  app.delete('/bulk/jobs/:job_id', { schema: remove, config: changing }, async ({ auth, params }, reply) => {
    if (!(await removeAll(services, auth, params.job_id))) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}

/** As file names: without white space at the ends. */
function readChange({ name, tags }: UpdateJob): JobChange {
  return {
    ...(name !== undefined && { name: storable(name.trim()) }),
    ...(tags !== undefined && { tags: tags.map(storable) }),
  }
}

/**
 * False if there is no such job. Each step can be repeated: after an interruption the next request for the same job continues. Reruns of
 * unknown rows are deleted first: they have addresses of the job, and users find them only there.
 */
async function removeAll(services: JobDependencies, auth: Auth, jobId: string): Promise<boolean> {
  const { db, storage } = services
  const { accountId } = auth
  const view = viewOf(auth)
  const reruns = await inTenant(db, accountId, (trx) => listUnknownReruns(trx, view, jobId))
  for (const id of reruns) await removeAll(services, auth, id)
  const canceled = await inTenant(db, accountId, (trx) => cancelJob(trx, view, jobId))
  if (canceled === 'missing') return false
  const upload = await inTenant(db, accountId, (trx) => removeJob(trx, view, jobId))
  if (upload === undefined) return true
  // The upload counts as expired from here on: if the process ends now, maintenance removes file and row.
  await storage.remove(upload.storageKey)
  await removeExpiredUploads(db, [upload.id])
  return true
}

/** Actions on a job that has not ended. Repeating an action changes nothing. */
const WISHES = [
  {
    name: 'pause',
    id: 'pauseJob',
    summary: 'Pause a job',
    description: 'No new addresses are started until the job is resumed. Addresses in progress are finished.',
    extra: [],
    fulfil: pauseJob,
  },
  {
    name: 'resume',
    id: 'resumeJob',
    summary: 'Resume a paused job',
    description:
      'Processing continues where it stopped. A job that is not paused does not change. A job under review (`delay_reason`) cannot be resumed.',
    extra: ['job_under_review'],
    fulfil: resumeJob,
  },
  {
    name: 'cancel',
    id: 'cancelJob',
    summary: 'Cancel a job',
    description: 'Ends the job. Its results so far are kept, and its unused credits are released immediately.',
    extra: [],
    fulfil: cancelJob,
  },
] as const

/** Pauses, resumes and cancels a job. */
export const controlJob: Route<{ db: Db }> = async (app, services) => {
  for (const { name, id, summary, description, extra, fulfil } of WISHES) {
    const schema = operation(
      {
        id,
        tag: 'Jobs',
        summary,
        description,
        problems: [
          'invalid_request',
          'not_found',
          'job_finished',
          ...extra,
          ...IDEMPOTENCY_PROBLEMS,
          ...MIDDLEWARE_PROBLEMS,
        ],
      },
      { params: JobParams, response: { 200: Job } },
    )
    app.post(`/bulk/jobs/:job_id/${name}`, { schema, config: { scope: 'jobs:write' } }, async (request) => {
      const { auth, params } = request
      const controlled = await inTenant(services.db, auth.accountId, (trx) => fulfil(trx, viewOf(auth), params.job_id))
      refuseTooLate(controlled)
      if (fulfil === cancelJob) await tidyUp(services, request, params.job_id)
      return show(services, auth, params.job_id)
    })
  }
}

function refuseTooLate(controlled: Controlled): void {
  if (controlled === 'missing') throw new Problem('not_found')
  if (controlled === 'ended') throw new Problem('job_finished')
  if (controlled === 'under_review') throw new Problem('job_under_review')
}

async function show({ db }: { db: Db }, auth: Auth, jobId: string): Promise<Job> {
  const job = await inTenant(db, auth.accountId, (trx) => findJob(trx, viewOf(auth), jobId))
  return presentJob(found(job))
}

/**
 * The job has already ended, so workers no longer claim its batches. Batches that are not deleted here, because the process or the
 * database stops, are dropped with their partition.
 */
async function tidyUp({ db }: { db: Db }, { auth, log }: FastifyRequest, jobId: string): Promise<void> {
  try {
    await inTenant(db, auth.accountId, (trx) => removePending(trx, viewOf(auth), jobId))
  } catch (error) {
    log.warn({ err: error, jobId }, 'failed to delete batches of a canceled job')
  }
}
