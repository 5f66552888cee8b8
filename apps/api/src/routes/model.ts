import { Model } from '@probity/contract/model'
import { listReliability } from '@probity/database/calibration'
import { inTenant } from '@probity/database/connect'
import { presentModel } from '../model/present-model.ts'
import { DOOR_PROBLEMS, operation } from '../openapi.ts'
import type { Route } from '../route.ts'

/** What the chance of delivery is made of, and how well it has held so far. */
export const showModel: Route = async (app, { db, sharesFeedback: shared }) => {
  const schema = operation(
    {
      id: 'getModel',
      tag: 'Feedback',
      summary: 'Show the model and how well it holds',
      description:
        'Name and hash of the model that reads local parts, the numbers that chances are made with, and predictions beside what came of them, from reported outcomes. Where predictions for a provider turn out to be too far off, base rates take their place: `fallen_back`.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: Model } },
  )
  app.get('/model', { schema, config: { scope: 'account:read' } }, async ({ caller }) => {
    const judged = await inTenant(db, caller.accountId, (trx) => listReliability(trx, { shared }))
    return presentModel(shared ? 'shared' : 'account', judged)
  })
}
