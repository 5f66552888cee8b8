import { UpdateWebhook, Webhook, WebhookParams } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findWebhook, removeWebhook, updateWebhook } from '@probity/database/webhooks/webhooks'
import Type from 'typebox'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { readUrl } from '../http/webhook-url.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentWebhook } from './present.ts'

const TAG = 'Webhooks'
const reading = { scope: 'webhooks:read' } as const
const changing = { scope: 'webhooks:write' } as const

/** Shows, changes and deletes a webhook. */
export const manageWebhook: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getWebhook',
      tag: TAG,
      summary: 'Get a webhook',
      description: 'Returns a webhook without its secret.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, response: { 200: Webhook } },
  )
  app.get('/webhooks/:webhook_id', { schema: show, config: reading }, async ({ auth, params }) => {
    const webhook = await inTenant(db, auth.accountId, (trx) => findWebhook(trx, viewOf(auth), params.webhook_id))
    return presentWebhook(found(webhook))
  })

  const change = operation(
    {
      id: 'updateWebhook',
      tag: TAG,
      summary: 'Change, disable or enable a webhook',
      description: 'Changes only the settings in the body. To change the secret, rotate it.',
      problems: ['invalid_request', 'webhook_url_rejected', 'not_found', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, body: UpdateWebhook, response: { 200: Webhook } },
  )
  app.patch('/webhooks/:webhook_id', { schema: change, config: changing }, async ({ auth, params, body }) => {
    const changes = { ...body, ...(body.url !== undefined && { url: readUrl(body.url) }) }
    const webhook = await inTenant(db, auth.accountId, (trx) =>
      updateWebhook(trx, viewOf(auth), params.webhook_id, changes),
    )
    return presentWebhook(found(webhook))
  })

  const remove = operation(
    {
      id: 'deleteWebhook',
      tag: TAG,
      summary: 'Delete a webhook',
      description: 'Deletes a webhook with its deliveries. No further event is sent to it.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, response: { 204: Type.Null({ description: 'The webhook was deleted.' }) } },
  )
  app.delete('/webhooks/:webhook_id', { schema: remove, config: changing }, async ({ auth, params }, reply) => {
    const isGone = await inTenant(db, auth.accountId, (trx) => removeWebhook(trx, viewOf(auth), params.webhook_id))
    if (!isGone) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
