import { NewOptOut, OperatorOptOuts, OperatorReviews, OptOutRemoval } from '@probity/contract/schemas/operators'
import { asOperator, type Db, inTenant } from '@probity/database/connection/connect'
import { removePending } from '@probity/database/jobs/job-control'
import { decideReview, findReview, listReviews, type WaitingReview } from '@probity/database/operators/reviews'
import { addOptedOut, listOptedOut, removeOptedOut } from '@probity/database/validations/probing'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import Type from 'typebox'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'

type ReviewsDependencies = {
  db: Db
  abuseLimits: AbuseLimits | undefined
}

const Params = Type.Object({ job_id: Type.String({ format: 'uuid' }) })

/** Jobs that the abuse limits paused: an operator releases or cancels them. */
export const manageReviews: Route<ReviewsDependencies> = async (app, services) => {
  app.get('/reviews', { schema: { response: { 200: OperatorReviews } } }, async () => ({
    reviews: (await asOperator(services.db, listReviews)).map(present),
    are_limits_on: services.abuseLimits !== undefined,
  }))

  for (const [verb, decision] of [
    ['release', 'released'],
    ['cancel', 'canceled'],
  ] as const) {
    app.post(`/reviews/:job_id/${verb}`, { schema: { params: Params } }, async ({ params }, reply) => {
      await decide(services, params.job_id, decision)
      return reply.code(204).send()
    })
  }
}

/** Runs in the account of the job, which has its credits and events. The audit log names the operator. */
async function decide({ db }: { db: Db }, jobId: string, decision: 'released' | 'canceled'): Promise<void> {
  const job = found(await asOperator(db, (trx) => findReview(trx, jobId)))
  const isDecided = await inTenant(db, job.accountId, (trx) => decideReview(trx, job, decision))
  if (!isDecided) throw new Problem('not_found')
  if (decision === 'canceled') await inTenant(db, job.accountId, (trx) => removePending(trx, job, jobId))
}

function present(review: WaitingReview) {
  const { jobId, accountId, accountName, domainCount, sampleDone, sampleInvalid, since, ...rest } = review
  return {
    ...rest,
    job_id: jobId,
    account_id: accountId,
    account_name: accountName,
    domain_addresses: domainCount,
    sample_done: sampleDone,
    sample_invalid: sampleInvalid,
    paused_at: since.toISOString(),
  }
}

/** Mail domains whose owners asked not to be probed. */
export const manageOptOuts: Route<{ db: Db }> = async (app, { db }) => {
  app.get('/opt-outs', { schema: { response: { 200: OperatorOptOuts } } }, async () => {
    const domains = await asOperator(db, listOptedOut)
    return {
      domains: domains.map(({ domain, note, addedAt }) => ({ domain, note, created_at: addedAt.toISOString() })),
    }
  })

  app.post('/opt-outs', { schema: { body: NewOptOut } }, async ({ body: { domain, note = '' } }, reply) => {
    await asOperator(db, (trx) => addOptedOut(trx, { domain: domain.toLowerCase(), note }))
    return reply.code(204).send()
  })

  app.post('/opt-outs/remove', { schema: { body: OptOutRemoval } }, async ({ body }, reply) => {
    const isRemoved = await asOperator(db, (trx) => removeOptedOut(trx, body.domain.toLowerCase()))
    if (!isRemoved) throw new Problem('not_found')
    return reply.code(204).send()
  })
}
