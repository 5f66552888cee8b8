import {
  DeliveryList,
  DeliveryQuery,
  ResendDeliveries,
  ResentDeliveries,
} from '@probity/contract/schemas/webhooks/deliveries'
import { WebhookParams } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listDeliveries as listDeliveriesOf, recoverDeliveries } from '@probity/database/webhooks/deliveries'
import { BODY_PROBLEMS, DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { countSent, presentDelivery } from './present.ts'

const reading = { scope: 'webhooks:read' } as const
const changing = { scope: 'webhooks:write' } as const

/** Lists the deliveries to a webhook and recovers failed ones. */
export const listDeliveries: Route<{ db: Db }> = async (app, { db }) => {
  const list = operation(
    {
      id: 'listWebhookDeliveries',
      tag: 'Webhooks',
      summary: 'List deliveries',
      description:
        'Returns the deliveries to a webhook, newest first, until their events expire. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, querystring: DeliveryQuery, response: { 200: DeliveryList } },
  )
  app.get(
    '/webhooks/:webhook_id/deliveries',
    { schema: list, config: reading },
    async ({ auth, params, query }, reply) => {
      const { status, type } = query
      const page = readPage(query)
      const listed = await inTenant(db, auth.accountId, (trx) =>
        listDeliveriesOf(trx, viewOf(auth), params.webhook_id, { ...page, state: status, type }),
      )
      const { deliveries, total } = found(listed)
      sendPageHeaders(reply, page, total)
      keepFilter(reply, { ...(status && { status }), ...(type && { type }) })
      return deliveries.map(presentDelivery)
    },
  )

  const recover = operation(
    {
      id: 'recoverWebhookDeliveries',
      tag: 'Webhooks',
      summary: 'Resend failed deliveries',
      description:
        'Resends all deliveries that were created since a time and failed, with the same event ids, as soon as possible and then by the retry schedule.',
      problems: [
        'invalid_request',
        'not_found',
        'webhook_disabled',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...DOOR_PROBLEMS,
      ],
    },
    { params: WebhookParams, body: ResendDeliveries, response: { 202: ResentDeliveries } },
  )
  app.post(
    '/webhooks/:webhook_id/recover',
    { schema: recover, config: changing },
    async ({ auth, params, body }, reply) => {
      const resent = await inTenant(db, auth.accountId, (trx) =>
        recoverDeliveries(trx, viewOf(auth), params.webhook_id, new Date(body.since_at)),
      )
      return reply.code(202).send({ count: countSent(resent) })
    },
  )
}
