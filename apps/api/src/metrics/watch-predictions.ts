import { listWholeReliability, type Reliability } from '@probity/database/calibration'
import type { Db } from '@probity/database/connect'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { watchFigures } from '@probity/telemetry/watch-figures'
import type { Registry } from 'prom-client'

const FRESH_FOR_MS = 5_000

const GAUGES: { name: string; help: string; read: (judged: Reliability) => number }[] = [
  {
    name: 'probity_prediction_outcomes',
    help: 'Reported outcomes that predictions are held against, each as far as it has not faded.',
    read: ({ outcomes }) => outcomes,
  },
  {
    name: 'probity_prediction_ece',
    help: 'Expected calibration error of predictions, over ten bins.',
    read: ({ ece }) => ece,
  },
  {
    name: 'probity_prediction_brier',
    help: 'Mean squared distance between predictions and outcomes.',
    read: ({ brier }) => brier,
  },
  {
    name: 'probity_prediction_fallen_back',
    help: 'Whether predictions were given up for base rates: 1 where they were.',
    read: ({ hasFallenBack }) => (hasFallenBack ? 1 : 0),
  },
]

/** How well predictions hold, over all accounts. */
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
