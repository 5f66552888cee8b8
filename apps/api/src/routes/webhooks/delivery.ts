import { Delivery, DeliveryParams, WholeDelivery } from '@probity/contract/webhook-deliveries'
import { inTenant } from '@probity/database/connect'
import { findDelivery, resendDelivery } from '@probity/database/webhook-deliveries'
import { viewOf } from '../../door/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { countSent, presentDelivery, presentWhole } from '../../webhooks/present.ts'

const config = { scope: 'webhooks' } as const

/** One delivery: shows it and sends it again. */
export const manageDelivery: Route = async (app, { db }) => {
  const show = operation(
    {
      id: 'getDelivery',
      tag: 'Webhooks',
      summary: 'Show a delivery',
      description: 'What is sent, and what came of each try. Of answers nothing but the status is kept.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: DeliveryParams, response: { 200: WholeDelivery } },
  )
  const idsOf = (params: DeliveryParams) => ({ webhookId: params.webhook_id, deliveryId: params.delivery_id })
  app.get('/webhooks/:webhook_id/deliveries/:delivery_id', { schema: show, config }, async ({ caller, params }) => {
    const delivery = await inTenant(db, caller.accountId, (trx) => findDelivery(trx, viewOf(caller), idsOf(params)))
    return presentWhole(found(delivery))
  })

  const resend = operation(
    {
      id: 'resendDelivery',
      tag: 'Webhooks',
      summary: 'Send a delivery again',
      description:
        'Sends the event again as soon as possible, however the delivery ended, with the same event id, and then by the usual schedule.',
      problems: ['invalid_request', 'not_found', 'webhook_disabled', 'event_removed', ...DOOR_PROBLEMS],
    },
    { params: DeliveryParams, response: { 202: Delivery } },
  )
  const path = '/webhooks/:webhook_id/deliveries/:delivery_id/resend'
  app.post(path, { schema: resend, config }, async ({ caller, params }, reply) => {
    const delivery = await inTenant(db, caller.accountId, async (trx) => {
      countSent(await resendDelivery(trx, viewOf(caller), idsOf(params)))
      return findDelivery(trx, viewOf(caller), idsOf(params))
    })
    return reply.code(202).send(presentDelivery(found(delivery)))
  })
}
