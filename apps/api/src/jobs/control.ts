import { Job, JobParams } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type Controlled, cancelJob, pauseJob, removePending, resumeJob } from '@probity/database/jobs/job-control'
import { findJob } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import type { FastifyRequest } from 'fastify'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { viewOf } from '../middleware/authentication/scope.ts'

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
        problems: ['invalid_request', 'not_found', 'job_finished', ...extra, ...IDEMPOTENCY_PROBLEMS, ...DOOR_PROBLEMS],
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
