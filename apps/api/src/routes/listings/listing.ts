import { ListingParams } from '@probity/contract/listings'
import { inTenant } from '@probity/database/connect'
import { removeListing } from '@probity/database/listings'
import Type from 'typebox'
import { refuseTestKey } from '../../door/authenticate.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

/** One entry of the account's own lists. */
export const manageListing: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'removeListing',
      tag: 'Own lists',
      summary: 'Take an entry off its list',
      description: 'It holds from the next request on. Needs a live key.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: ListingParams, response: { 204: Type.Null({ description: 'The entry is gone.' }) } },
  )
  const options = { schema, config: { scope: 'settings' } } as const
  app.delete('/listings/:listing_id', options, async ({ caller, params }, reply) => {
    refuseTestKey(caller)
    const isGone = await inTenant(db, caller.accountId, (trx) =>
      removeListing(trx, caller.accountId, params.listing_id),
    )
    if (!isGone) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
