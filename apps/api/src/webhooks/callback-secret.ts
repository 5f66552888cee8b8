import { CallbackSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { getCallbackSecret, rotateCallbackSecret } from '@probity/database/webhooks/webhooks'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { presentCallbackSecret } from './present.ts'

const TAG = 'Webhooks'
const config = { scope: 'webhooks:write' } as const

/** Shows and rotates the secret that signs the callbacks of jobs. */
export const manageCallbackSecret: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getCallbackSecret',
      tag: TAG,
      summary: 'Get the callback secret',
      description:
        'Returns the secret that signs requests to the `callback_url` of a job. Each mode has its own; it is created at the first use.',
      problems: [...DOOR_PROBLEMS],
    },
    { response: { 200: CallbackSecret } },
  )
  app.get('/account/callback-secret', { schema: show, config }, async ({ auth }) => {
    const secret = await inTenant(db, auth.accountId, (trx) => getCallbackSecret(trx, viewOf(auth)))
    return presentCallbackSecret(secret, auth.mode)
  })

  const rotate = operation(
    {
      id: 'rotateCallbackSecret',
      tag: TAG,
      summary: 'Rotate the callback secret',
      description:
        'Creates a new secret. For 24 hours every callback is also signed with the previous one, so that receivers can switch without losing events.',
      problems: [...IDEMPOTENCY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { response: { 201: CallbackSecret } },
  )
  app.post(
    '/account/callback-secret/rotate',
    { schema: rotate, config: { ...config, idempotency: 'secret' } },
    async ({ auth }, reply) => {
      const secret = await inTenant(db, auth.accountId, (trx) => rotateCallbackSecret(trx, viewOf(auth)))
      return reply.code(201).send(presentCallbackSecret(secret, auth.mode))
    },
  )
}
