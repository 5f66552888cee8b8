import { CreateWebhook, WebhookWithSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { insertWebhook } from '@probity/database/webhooks/webhooks'
import { BODY_PROBLEMS, DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { readUrl } from '../http/webhook-url.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentWebhook } from './present.ts'

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
        ...DOOR_PROBLEMS,
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
