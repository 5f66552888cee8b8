import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import { Delivery, DeliveryDetail } from '@probity/contract/schemas/webhooks/deliveries'
import { CallbackSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findCallback, resendCallback } from '@probity/database/webhooks/deliveries'
import { getCallbackSecret, rotateCallbackSecret } from '@probity/database/webhooks/webhooks'
import { IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import { countSent, presentCallback, presentCallbackSecret } from './present.ts'

const TAG = 'Jobs'
const reading = { scope: 'jobs:read' } as const
const changing = { scope: 'jobs:write' } as const

/** Shows and resends the delivery to the `callback_url` of a job. */
export const showCallback: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getJobCallback',
      tag: TAG,
      summary: 'Get the callback of a job',
      description:
        'Returns the delivery of the event that ended the job to its `callback_url`, with the request and the attempts. Not found before the job ends, without a `callback_url`, and after the event has expired.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 200: DeliveryDetail } },
  )
  app.get('/bulk/jobs/:job_id/callback', { schema: show, config: reading }, async ({ auth, params }) => {
    const delivery = await inTenant(db, auth.accountId, (trx) => findCallback(trx, viewOf(auth), params.job_id))
    return presentCallback(found(delivery))
  })

  const resend = operation(
    {
      id: 'resendJobCallback',
      tag: TAG,
      summary: 'Resend the callback of a job',
      description:
        'Resends the event as soon as possible, in any status of the delivery, with the same event id, and then by the retry schedule.',
      problems: ['invalid_request', 'not_found', 'event_expired', ...IDEMPOTENCY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 202: Delivery } },
  )
  app.post(
    '/bulk/jobs/:job_id/callback/resend',
    { schema: resend, config: changing },
    async ({ auth, params }, reply) => {
      const view = viewOf(auth)
      const delivery = await inTenant(db, auth.accountId, async (trx) => {
        countSent(await resendCallback(trx, view, params.job_id))
        return findCallback(trx, view, params.job_id)
      })
      return reply.code(202).send(presentCallback(found(delivery)))
    },
  )
}

const SECRET_TAG = 'Webhooks'
const config = { scope: 'webhooks:write' } as const

/** Shows and rotates the secret that signs the callbacks of jobs. */
export const manageCallbackSecret: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getCallbackSecret',
      tag: SECRET_TAG,
      summary: 'Get the callback secret',
      description:
        'Returns the secret that signs requests to the `callback_url` of a job. Each mode has its own; it is created at the first use.',
      problems: [...MIDDLEWARE_PROBLEMS],
    },
    { response: { 200: CallbackSecret } },
  )
  app.get('/account/callback-secret', { schema: show, config }, async ({ auth }) => {
    const secret = await inTenant(db, auth.accountId, (trx) => getCallbackSecret(trx, viewOf(auth)))
    return presentCallbackSecret(secret, auth.mode)
  })

  const rotate = operation(
    {
      id: 'rotateCallbackSecret',
      tag: SECRET_TAG,
      summary: 'Rotate the callback secret',
      description:
        'Creates a new secret. For 24 hours every callback is also signed with the previous one, so that receivers can switch without losing events.',
      problems: [...IDEMPOTENCY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    { response: { 201: CallbackSecret } },
  )
  app.post(
    '/account/callback-secret/rotate',
    { schema: rotate, config: { ...config, idempotency: 'secret' } },
    async ({ auth }, reply) => {
      const secret = await inTenant(db, auth.accountId, (trx) => rotateCallbackSecret(trx, viewOf(auth)))
      return reply.code(201).send(presentCallbackSecret(secret, auth.mode))
    },
  )
}
