import { Model } from '@probity/contract/schemas/feedback'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listReliability } from '@probity/database/feedback/calibration'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { presentModel } from './present-model.ts'

type ModelDependencies = {
  db: Db
  sharesFeedback: boolean
}

/** The scoring model and its calibration. */
export const showModel: Route<ModelDependencies> = async (app, { db, sharesFeedback: shared }) => {
  const schema = operation(
    {
      id: 'getModel',
      tag: 'Feedback',
      summary: 'Get the scoring model and its calibration',
      description:
        'Name and hash of the text model for local parts, the weights and priors of the scoring model, and a comparison of predictions with reported outcomes. If the calibration error for a provider is too high, base rates replace the predictions: `fallen_back`.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: Model } },
  )
  app.get('/model', { schema, config: { scope: 'account:read' } }, async ({ auth }) => {
    const judged = await inTenant(db, auth.accountId, (trx) => listReliability(trx, { shared }))
    return presentModel(shared ? 'shared' : 'account', judged)
  })
}
