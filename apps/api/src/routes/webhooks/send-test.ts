import { Delivery } from '@probity/contract/webhook-deliveries'
import { WebhookParams } from '@probity/contract/webhooks'
import { inTenant } from '@probity/database/connect'
import { sendTestEvent } from '@probity/database/webhook-deliveries'
import { viewOf } from '../../door/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { presentDelivery } from '../../webhooks/present.ts'

/** Sends an event that says nothing, to see whether it arrives. */
export const sendTest: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description:
        'Sends a `webhook.test` to the webhook, whatever it wants to be told of, signed and tried again like every other event. Look at the delivery to see what came of it.',
      problems: ['invalid_request', 'not_found', 'webhook_disabled', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, response: { 202: Delivery } },
  )
  app.post('/webhooks/:webhook_id/test', { schema, config: { scope: 'webhooks' } }, async (request, reply) => {
    const { caller, params } = request
    const sent = found(
      await inTenant(db, caller.accountId, (trx) => sendTestEvent(trx, viewOf(caller), params.webhook_id)),
    )
    if (sent === 'disabled') throw new Problem('webhook_disabled')
    return reply.code(202).send(presentDelivery(sent))
  })
}
