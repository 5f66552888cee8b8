import { Delivery } from '@probity/contract/schemas/webhooks/deliveries'
import { WebhookParams } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { sendTestEvent } from '@probity/database/webhooks/deliveries'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentDelivery } from './present.ts'

/** Sends a test event to one webhook. */
export const sendTest: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description:
        'Sends a `webhook.test` event to the webhook, whatever it subscribes to, signed and retried like every other event. The delivery shows the result.',
      problems: ['invalid_request', 'not_found', 'webhook_disabled', ...IDEMPOTENCY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, response: { 202: Delivery } },
  )
  app.post('/webhooks/:webhook_id/test', { schema, config: { scope: 'webhooks:write' } }, async (request, reply) => {
    const { auth, params } = request
    const sent = found(await inTenant(db, auth.accountId, (trx) => sendTestEvent(trx, viewOf(auth), params.webhook_id)))
    if (sent === 'disabled') throw new Problem('webhook_disabled')
    return reply.code(202).send(presentDelivery(sent))
  })
}
