import { WebhookList, WebhookPage } from '@probity/contract/webhooks'
import { inTenant } from '@probity/database/connect'
import { listWebhooks as listWebhooksOf } from '@probity/database/webhooks'
import { viewOf } from '../../door/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { readPage, sendPageHeaders } from '../../page.ts'
import type { Route } from '../../route.ts'
import { presentWebhook } from '../../webhooks/present.ts'

/** The account's webhooks, newest first. */
export const listWebhooks: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description:
        'Live keys see the webhooks that live keys made, test keys those of test keys. The total stands in `X-Total-Count`, the neighbouring pages in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: WebhookPage, response: { 200: WebhookList } },
  )
  app.get('/webhooks', { schema, config: { scope: 'webhooks' } }, async ({ caller, query }, reply) => {
    const page = readPage(query)
    const { webhooks, total } = await inTenant(db, caller.accountId, (trx) => listWebhooksOf(trx, viewOf(caller), page))
    sendPageHeaders(reply, page, total)
    return webhooks.map(presentWebhook)
  })
}
