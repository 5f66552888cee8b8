import { WebhookParams, WebhookWithSecret } from '@probity/contract/webhooks'
import { inTenant } from '@probity/database/connect'
import { rotateSecret } from '@probity/database/webhooks'
import { viewOf } from '../../door/view.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { presentWebhook } from '../../webhooks/present.ts'

/** Exchanges the secret of a webhook. */
export const rotateWebhook: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the secret of a webhook',
      description:
        'The answer holds the new secret, which is shown this once. For 24 hours every request has two signatures, by the new secret and by the one before, so that receivers can change over in their own time.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: WebhookParams, response: { 200: WebhookWithSecret } },
  )
  app.post('/webhooks/:webhook_id/rotate', { schema, config: { scope: 'webhooks' } }, async ({ caller, params }) => {
    const rotated = found(
      await inTenant(db, caller.accountId, (trx) => rotateSecret(trx, viewOf(caller), params.webhook_id)),
    )
    return { ...presentWebhook(rotated.webhook), secret: rotated.secret }
  })
}
