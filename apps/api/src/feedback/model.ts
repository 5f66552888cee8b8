import { BASE_RATES, MODEL_PARAMETERS, PROVIDER_RATES } from '@probity/contract/constants/data/model-parameters'
import { Model } from '@probity/contract/schemas/feedback'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listReliability, type Reliability } from '@probity/database/feedback/calibration'
import { STRING_MODEL } from '@probity/engine/address/plausibility'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'

/** Describes the scoring model and its calibration, by the outcomes of this account or of all accounts. */
export function presentModel(scope: 'account' | 'shared', judged: Reliability[]): Model {
  const times = judged.flatMap(({ bins }) => bins.map(({ countedAt }) => countedAt.getTime()))
  const last = times.length > 0 ? new Date(Math.max(...times)).toISOString() : null
  return {
    ...STRING_MODEL,
    parameters: { ...MODEL_PARAMETERS },
    base_rates: listBaseRates(),
    calibration: { scope, last_outcome_at: last, providers: judged.map(presentReliability) },
  }
}

function listBaseRates(): Model['base_rates'] {
  return Object.entries(BASE_RATES).flatMap(([subStatus, { p, swallow }]) => {
    const others = Object.entries(PROVIDER_RATES[subStatus as keyof typeof BASE_RATES] ?? {})
    return [[null, p] as const, ...others].map(([provider, rate]) => {
      return { sub_status: subStatus, provider, p: rate, swallow }
    })
  })
}

const BINS = 10

function presentReliability({ provider, kind, outcomes, brier, ece, hasFallenBack, bins }: Reliability) {
  const known = bins.filter(({ weight }) => weight > 0)
  return {
    provider,
    kind,
    outcomes,
    brier: round(brier),
    ece: round(ece),
    fallen_back: hasFallenBack,
    bins: known.map(({ bin, n, weight, sumP, delivered }) => ({
      from: bin / BINS,
      to: (bin + 1) / BINS,
      outcomes: Math.round(n),
      predicted: round(sumP / weight),
      observed: round(delivered / weight),
    })),
  }
}

/** Rounds for display. Decayed sums can also slightly exceed the scale. */
function round(share: number): number {
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 10_000
}

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
      problems: MIDDLEWARE_PROBLEMS,
    },
    { response: { 200: Model } },
  )
  app.get('/model', { schema, config: { scope: 'account:read' } }, async ({ auth }) => {
    const judged = await inTenant(db, auth.accountId, (trx) => listReliability(trx, { shared }))
    return presentModel(shared ? 'shared' : 'account', judged)
  })
}
