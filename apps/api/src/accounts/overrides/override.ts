import { OverrideParams } from '@probity/contract/schemas/overrides'
import { removeOverride } from '@probity/database/accounts/overrides'
import { type Db, inTenant } from '@probity/database/connection/connect'
import Type from 'typebox'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'

/** One override of the account. */
export const manageOverride: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'deleteOverride',
      tag: 'Overrides',
      summary: 'Delete an override',
      description: 'The override no longer applies from the next request on. Requires a live key.',
      problems: ['invalid_request', 'live_key_required', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: OverrideParams, response: { 204: Type.Null({ description: 'The override was deleted.' }) } },
  )
  const options = { schema, config: { scope: 'account:write' } } as const
  app.delete('/overrides/:override_id', options, async ({ auth, params }, reply) => {
    refuseTestKey(auth)
    const isRemoved = await inTenant(db, auth.accountId, (trx) =>
      removeOverride(trx, auth.accountId, params.override_id),
    )
    if (!isRemoved) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
