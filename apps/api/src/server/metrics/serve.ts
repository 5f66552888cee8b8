import { statfs } from 'node:fs/promises'
import { type Db, withoutTenant } from '@probity/database/connection/connect'
import { listWholeReliability, type Reliability } from '@probity/database/feedback/calibration'
import {
  keepFresh,
  type MetricsAddress,
  type ServedMetrics,
  serveMetrics,
  watchDependencies,
  watchFigures,
  watchProcess,
} from '@probity/telemetry/metrics'
import type { StorageSettings } from '@probity/uploads/storage'
import { Counter, type Registry } from 'prom-client'
import manifest from '../../../package.json' with { type: 'json' }
import type { ApiConfig } from '../config.ts'
import type { Services } from '../services.ts'
import { watchInstallation } from './watch-installation.ts'

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

const UPLOADS_FRESH_FOR_MS = 5_000

/** Free space on the disk for uploaded files. */
export function watchUploads(registry: Registry, { folder }: Pick<StorageSettings, 'folder'>): void {
  const look = keepFresh(UPLOADS_FRESH_FOR_MS, () => statfs(folder))
  const labels = ['state']
  watchFigures(registry, look, [
    {
      name: 'probity_uploads_disk_bytes',
      help: 'Size and free space of the disk for uploaded files.',
      labels,
      read: ({ bsize, blocks, bavail }) => [
        { of: { state: 'size' }, value: bsize * blocks },
        { of: { state: 'free' }, value: bsize * bavail },
      ],
    },
  ])
}

type Watched = Pick<Services, 'db' | 'redis' | 'queuePrefix' | 'requestLog' | 'metrics' | 'log'>

/** Serves the counters of the process and the gauges that are read on each scrape. */
export function serveApiMetrics(
  services: Watched,
  { storage }: Pick<ApiConfig, 'storage'>,
  place: MetricsAddress,
): Promise<ServedMetrics> {
  const { db, redis, metrics, log } = services
  watchProcess(metrics, { kind: 'api', version: manifest.version })
  watchDependencies(metrics, { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() })
  watchInstallation(metrics, services)
  watchPredictions(metrics, db)
  watchUploads(metrics, storage)
  watchRequestLog(metrics, services)
  return serveMetrics(metrics, place, (error) => log.warn({ err: error }, 'failed to collect metrics'))
}

function watchRequestLog(registry: Registry, { requestLog }: Pick<Services, 'requestLog'>): void {
  const dropped: Counter = new Counter({
    name: 'probity_request_log_dropped_total',
    help: 'Requests missing in the request log because too many arrived or PostgreSQL was unavailable.',
    registers: [registry],
    collect() {
      dropped.reset()
      dropped.inc(requestLog.dropped())
    },
  })
}
