import { Job, JobParams } from '@probity/contract/bulk'
import { inTenant } from '@probity/database/connect'
import { cancelJob, removeJob } from '@probity/database/job-control'
import { findJob } from '@probity/database/jobs'
import { presentJob } from '@probity/database/present-job'
import { removeExpiredUploads } from '@probity/database/uploads'
import Type from 'typebox'
import type { Caller } from '../../door/caller.ts'
import { viewOf } from '../../door/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import type { Services } from '../../services.ts'

const reading = { scope: 'jobs:read' } as const
const deleting = { scope: 'jobs:write' } as const

/** One job: shows it and removes it. */
export const showJob: Route = async (app, services) => {
  const show = operation(
    {
      id: 'getJob',
      tag: 'Jobs',
      summary: 'Show a job',
      description:
        'How far the job has got, what came out so far and what it costs. The summary stays when the addresses and their results have been removed.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: JobParams, response: { 200: Job } },
  )
  app.get('/bulk/jobs/:job_id', { schema: show, config: reading }, async ({ caller, params }) => {
    const job = await inTenant(services.db, caller.accountId, (trx) => findJob(trx, viewOf(caller), params.job_id))
    return presentJob(found(job))
  })

  const remove = operation(
    {
      id: 'deleteJob',
      tag: 'Jobs',
      summary: 'Delete a job',
      description:
        'Removes the job with its file, its addresses and its results at once. One that is under way is canceled first, and its unused credits are returned. What was charged stays charged.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: JobParams, response: { 204: Type.Null({ description: 'The job is gone.' }) } },
  )
  app.delete('/bulk/jobs/:job_id', { schema: remove, config: deleting }, async ({ caller, params }, reply) => {
    await removeAll(services, caller, params.job_id)
    return reply.code(204).send(null)
  })
}

/** Each step can be repeated: where one breaks off, the next request for the same job goes on from there. */
async function removeAll({ db, storage }: Services, caller: Caller, jobId: string): Promise<void> {
  const { accountId } = caller
  const view = viewOf(caller)
  const canceled = await inTenant(db, accountId, (trx) => cancelJob(trx, view, jobId))
  if (canceled === 'missing') throw new Problem('not_found')
  const upload = await inTenant(db, accountId, (trx) => removeJob(trx, view, jobId))
  if (upload === undefined) return
  // The upload counts as expired from here on: if we end now, the upkeep removes file and row.
  await storage.remove(upload.storageKey)
  await removeExpiredUploads(db, [upload.id])
}
