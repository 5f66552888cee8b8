import type { Db } from '@probity/database/connection/connect'
import { listWholeReliability, type Reliability } from '@probity/database/feedback/calibration'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { watchFigures } from '@probity/telemetry/watch-figures'
import type { Registry } from 'prom-client'

const FRESH_FOR_MS = 5_000

const GAUGES: { name: string; help: string; read: (judged: Reliability) => number }[] = [
  {
    name: 'probity_prediction_outcomes',
    help: 'Reported outcomes used for calibration, weighted by age.',
    read: ({ outcomes }) => outcomes,
  },
  {
    name: 'probity_prediction_ece',
    help: 'Expected calibration error of predictions, over ten bins.',
    read: ({ ece }) => ece,
  },
  {
    name: 'probity_prediction_brier',
    help: 'Brier score: mean squared error of predictions.',
    read: ({ brier }) => brier,
  },
  {
    name: 'probity_prediction_fallback',
    help: 'Whether base rates are used instead of predictions: 1 or 0.',
    read: ({ hasFallenBack }) => (hasFallenBack ? 1 : 0),
  },
]

/** Calibration of predictions over all accounts. */
export function watchPredictions(registry: Registry, db: Db): void {
  const look = keepFresh(FRESH_FOR_MS, () => listWholeReliability(db))
  watchFigures(
    registry,
    look,
    GAUGES.map(({ name, help, read }) => ({
      name,
      help,
      labels: ['provider', 'kind'],
      read: (judged) => judged.map((one) => ({ of: { provider: one.provider, kind: one.kind }, value: read(one) })),
    })),
  )
}
