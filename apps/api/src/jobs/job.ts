import { Job, JobParams } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { cancelJob, removeJob } from '@probity/database/jobs/job-control'
import { findJob } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { removeExpiredUploads } from '@probity/database/jobs/uploads'
import type { FileStorage } from '@probity/uploads/storage'
import Type from 'typebox'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { viewOf } from '../middleware/authentication/scope.ts'

type JobDependencies = {
  db: Db
  storage: FileStorage
}

const reading = { scope: 'jobs:read' } as const
const deleting = { scope: 'jobs:write' } as const

/** Routes of one job: get and delete. */
export const showJob: Route<JobDependencies> = async (app, services) => {
  const show = operation(
    {
      id: 'getJob',
      tag: 'Jobs',
      summary: 'Get a job',
      description:
        'Progress, counts and credits of the job. The job remains available after its addresses and results have been deleted.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: JobParams, response: { 200: Job } },
  )
  app.get('/bulk/jobs/:job_id', { schema: show, config: reading }, async ({ auth, params }) => {
    const job = await inTenant(services.db, auth.accountId, (trx) => findJob(trx, viewOf(auth), params.job_id))
    return presentJob(found(job))
  })

  const remove = operation(
    {
      id: 'deleteJob',
      tag: 'Jobs',
      summary: 'Delete a job',
      description:
        'Deletes the job with its file, addresses and results immediately. A job that has not ended is canceled first, and its unused credits are released. Charged credits are not refunded.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: JobParams, response: { 204: Type.Null({ description: 'The job was deleted.' }) } },
  )
  app.delete('/bulk/jobs/:job_id', { schema: remove, config: deleting }, async ({ auth, params }, reply) => {
    await removeAll(services, auth, params.job_id)
    return reply.code(204).send(null)
  })
}

/** Each step can be repeated: after an interruption the next request for the same job continues. */
async function removeAll({ db, storage }: JobDependencies, auth: Auth, jobId: string): Promise<void> {
  const { accountId } = auth
  const view = viewOf(auth)
  const canceled = await inTenant(db, accountId, (trx) => cancelJob(trx, view, jobId))
  if (canceled === 'missing') throw new Problem('not_found')
  const upload = await inTenant(db, accountId, (trx) => removeJob(trx, view, jobId))
  if (upload === undefined) return
  // The upload counts as expired from here on: if we end now, maintenance removes file and row.
  await storage.remove(upload.storageKey)
  await removeExpiredUploads(db, [upload.id])
}
