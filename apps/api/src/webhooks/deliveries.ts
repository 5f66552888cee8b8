import {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  ResendDeliveries,
  ResentDeliveries,
} from '@probity/contract/schemas/webhooks/deliveries'
import { WebhookParams } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import {
  findDelivery,
  listDeliveries as listDeliveriesOf,
  recoverDeliveries,
  resendDelivery,
} from '@probity/database/webhooks/deliveries'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import { countSent, presentDelivery, presentWhole } from './present.ts'

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
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
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
        ...MIDDLEWARE_PROBLEMS,
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

const readingOne = { scope: 'webhooks:read' } as const
const changingOne = { scope: 'webhooks:write' } as const

/** Shows and resends a delivery. */
export const manageDelivery: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getWebhookDelivery',
      tag: 'Webhooks',
      summary: 'Get a delivery',
      description: 'Returns the request and the attempts of a delivery. Of responses only the status is stored.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: DeliveryParams, response: { 200: DeliveryDetail } },
  )
  const idsOf = (params: DeliveryParams) => ({ webhookId: params.webhook_id, deliveryId: params.delivery_id })
  app.get(
    '/webhooks/:webhook_id/deliveries/:delivery_id',
    { schema: show, config: readingOne },
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
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { params: DeliveryParams, response: { 202: Delivery } },
  )
  const path = '/webhooks/:webhook_id/deliveries/:delivery_id/resend'
  app.post(path, { schema: resend, config: changingOne }, async ({ auth, params }, reply) => {
    const delivery = await inTenant(db, auth.accountId, async (trx) => {
      countSent(await resendDelivery(trx, viewOf(auth), idsOf(params)))
      return findDelivery(trx, viewOf(auth), idsOf(params))
    })
    return reply.code(202).send(presentDelivery(found(delivery)))
  })
}
