import { WebhookParams, WebhookWithSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { rotateSecret } from '@probity/database/webhooks/webhooks'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentWebhook } from './present.ts'

/** Replaces the secret and the key pair of a webhook. */
export const rotateWebhook: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the secret of a webhook',
      description:
        'Creates a new secret and a new key pair. The response contains the secret, which is shown once, and the public key. For 24 hours every request is also signed with the previous ones, so that receivers can switch without losing events.',
      problems: ['invalid_request', 'not_found', ...IDEMPOTENCY_PROBLEMS, ...DOOR_PROBLEMS],
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
