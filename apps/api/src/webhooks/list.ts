import { WebhookList, WebhookPage } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listWebhooks as listWebhooksOf } from '@probity/database/webhooks/webhooks'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { readPage, sendPageHeaders } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentWebhook } from './present.ts'

/** Lists the account's webhooks. */
export const listWebhooks: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description:
        'Returns webhooks, newest first: live keys see those of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: WebhookPage, response: { 200: WebhookList } },
  )
  app.get('/webhooks', { schema, config: { scope: 'webhooks:read' } }, async ({ auth, query }, reply) => {
    const page = readPage(query)
    const { webhooks, total } = await inTenant(db, auth.accountId, (trx) => listWebhooksOf(trx, viewOf(auth), page))
    sendPageHeaders(reply, page, total)
    return webhooks.map(presentWebhook)
  })
}
