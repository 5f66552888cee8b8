import { DeliveryList, DeliveryQuery, RecoverDeliveries, Recovered } from '@probity/contract/webhook-deliveries'
import { WebhookParams } from '@probity/contract/webhooks'
import { inTenant } from '@probity/database/connect'
import { listDeliveries as listDeliveriesOf, recoverDeliveries } from '@probity/database/webhook-deliveries'
import { viewOf } from '../../door/view.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../../page.ts'
import { found } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { countSent, presentDelivery } from '../../webhooks/present.ts'

const config = { scope: 'webhooks' } as const

/** What was sent to a webhook, and what failed of it once more. */
export const listDeliveries: Route = async (app, { db }) => {
  const list = operation(
    {
      id: 'listDeliveries',
      tag: 'Webhooks',
      summary: 'List deliveries',
      description:
        'What was sent to a webhook, newest first, for as long as the events are kept. The total stands in `X-Total-Count`, the neighbouring pages in `Link`.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, querystring: DeliveryQuery, response: { 200: DeliveryList } },
  )
  app.get('/webhooks/:webhook_id/deliveries', { schema: list, config }, async ({ caller, params, query }, reply) => {
    const { state, type } = query
    const page = readPage(query)
    const listed = await inTenant(db, caller.accountId, (trx) =>
      listDeliveriesOf(trx, viewOf(caller), params.webhook_id, { ...page, state, type }),
    )
    const { deliveries, total } = found(listed)
    sendPageHeaders(reply, page, total)
    keepFilter(reply, { ...(state && { state }), ...(type && { type }) })
    return deliveries.map(presentDelivery)
  })

  const recover = operation(
    {
      id: 'recoverDeliveries',
      tag: 'Webhooks',
      summary: 'Recover what failed',
      description:
        'Sends everything again that failed since a time, with the same event ids, as soon as possible and then by the usual schedule.',
      problems: ['invalid_request', 'not_found', 'webhook_disabled', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, body: RecoverDeliveries, response: { 202: Recovered } },
  )
  app.post('/webhooks/:webhook_id/recover', { schema: recover, config }, async ({ caller, params, body }, reply) => {
    const resent = await inTenant(db, caller.accountId, (trx) =>
      recoverDeliveries(trx, viewOf(caller), params.webhook_id, new Date(body.since)),
    )
    return reply.code(202).send({ count: countSent(resent) })
  })
}
