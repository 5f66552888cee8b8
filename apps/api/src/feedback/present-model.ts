import { BASE_RATES, MODEL_PARAMETERS, PROVIDER_RATES } from '@probity/contract/constants/data/model-parameters'
import type { Model } from '@probity/contract/schemas/feedback'
import type { Reliability } from '@probity/database/feedback/calibration'
import { STRING_MODEL } from '@probity/engine/address/plausibility'

/** What chances are made of, and how well they hold by the outcomes of this account or of all. */
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

/** To what can be read; and sums that fade may come out a hair beside the scale. */
function round(share: number): number {
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 10_000
}
