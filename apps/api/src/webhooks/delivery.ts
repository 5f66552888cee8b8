import { Delivery, DeliveryDetail, DeliveryParams } from '@probity/contract/schemas/webhooks/deliveries'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findDelivery, resendDelivery } from '@probity/database/webhooks/deliveries'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { countSent, presentDelivery, presentWhole } from './present.ts'

const reading = { scope: 'webhooks:read' } as const
const changing = { scope: 'webhooks:write' } as const

/** Shows and resends a delivery. */
export const manageDelivery: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getWebhookDelivery',
      tag: 'Webhooks',
      summary: 'Get a delivery',
      description: 'Returns the request and the attempts of a delivery. Of responses only the status is stored.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: DeliveryParams, response: { 200: DeliveryDetail } },
  )
  const idsOf = (params: DeliveryParams) => ({ webhookId: params.webhook_id, deliveryId: params.delivery_id })
  app.get(
    '/webhooks/:webhook_id/deliveries/:delivery_id',
    { schema: show, config: reading },
    async ({ auth, params }) => {
      const delivery = await inTenant(db, auth.accountId, (trx) => findDelivery(trx, viewOf(auth), idsOf(params)))
      return presentWhole(found(delivery))
    },
  )

  const resend = operation(
    {
      id: 'resendWebhookDelivery',
      tag: 'Webhooks',
      summary: 'Resend a delivery',
      description:
        'Resends the event as soon as possible, in any status of the delivery, with the same event id, and then by the retry schedule.',
      problems: [
        'invalid_request',
        'not_found',
        'webhook_disabled',
        'event_expired',
        ...IDEMPOTENCY_PROBLEMS,
        ...DOOR_PROBLEMS,
      ],
    },
    { params: DeliveryParams, response: { 202: Delivery } },
  )
  const path = '/webhooks/:webhook_id/deliveries/:delivery_id/resend'
  app.post(path, { schema: resend, config: changing }, async ({ auth, params }, reply) => {
    const delivery = await inTenant(db, auth.accountId, async (trx) => {
      countSent(await resendDelivery(trx, viewOf(auth), idsOf(params)))
      return findDelivery(trx, viewOf(auth), idsOf(params))
    })
    return reply.code(202).send(presentDelivery(found(delivery)))
  })
}
