import { Delivery } from '@probity/contract/schemas/webhooks/deliveries'
import {
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookList,
  WebhookPage,
  WebhookParams,
  WebhookWithSecret,
} from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { sendTestEvent } from '@probity/database/webhooks/deliveries'
import {
  findWebhook,
  insertWebhook,
  listWebhooks as listWebhooksOf,
  removeWebhook,
  rotateSecret,
  updateWebhook,
} from '@probity/database/webhooks/webhooks'
import Type from 'typebox'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { readPage, sendPageHeaders } from '../http/page.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { readUrl } from '../http/webhook-url.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import { presentDelivery, presentWebhook } from './present.ts'

/** Creates a webhook and shows its secret once. */
export const createWebhook: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'createWebhook',
      tag: 'Webhooks',
      summary: 'Create a webhook',
      description:
        'Events that occur from now on are sent to the URL. The response contains the secret for `v1` signatures, which is shown once, and the public key for `v1a` signatures. An account has at most 10 webhooks.',
      problems: [
        'invalid_request',
        'webhook_url_rejected',
        'too_many_webhooks',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { body: CreateWebhook, response: { 201: WebhookWithSecret } },
  )
  app.post(
    '/webhooks',
    { schema, config: { scope: 'webhooks:write', idempotency: 'secret' } },
    async ({ auth, body }, reply) => {
      const webhook = { ...body, url: readUrl(body.url) }
      const made = await inTenant(db, auth.accountId, (trx) => insertWebhook(trx, viewOf(auth), webhook))
      if (made === undefined) throw new Problem('too_many_webhooks')
      return reply.code(201).send({ ...presentWebhook(made.webhook), secret: made.secret })
    },
  )
}

/** Lists the account's webhooks. */
export const listWebhooks: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description:
        'Returns webhooks, newest first: live keys see those of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
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

/** Replaces the secret and the key pair of a webhook. */
export const rotateWebhook: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the secret of a webhook',
      description:
        'Creates a new secret and a new key pair. The response contains the secret, which is shown once, and the public key. For 24 hours every request is also signed with the previous ones, so that receivers can switch without losing events.',
      problems: ['invalid_request', 'not_found', ...IDEMPOTENCY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    { params: WebhookParams, response: { 201: WebhookWithSecret } },
  )
  const config = { scope: 'webhooks:write', idempotency: 'secret' } as const
  app.post('/webhooks/:webhook_id/rotate', { schema, config }, async ({ auth, params }, reply) => {
    const rotated = found(
      await inTenant(db, auth.accountId, (trx) => rotateSecret(trx, viewOf(auth), params.webhook_id)),
    )
    return reply.code(201).send({ ...presentWebhook(rotated.webhook), secret: rotated.secret })
  })
}

/** Sends a test event to one webhook. */
export const sendTest: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description:
        'Sends a `webhook.test` event to the webhook, whatever it subscribes to, signed and retried like every other event. The delivery shows the result.',
      problems: ['invalid_request', 'not_found', 'webhook_disabled', ...IDEMPOTENCY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
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
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
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
      problems: ['invalid_request', 'webhook_url_rejected', 'not_found', ...BODY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
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
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: WebhookParams, response: { 204: Type.Null({ description: 'The webhook was deleted.' }) } },
  )
  app.delete('/webhooks/:webhook_id', { schema: remove, config: changing }, async ({ auth, params }, reply) => {
    const isGone = await inTenant(db, auth.accountId, (trx) => removeWebhook(trx, viewOf(auth), params.webhook_id))
    if (!isGone) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
