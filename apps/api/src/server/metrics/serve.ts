import { withoutTenant } from '@probity/database/connection/connect'
import { type MetricsPlace, type ServedMetrics, serveMetrics } from '@probity/telemetry/serve-metrics'
import { watchNeighbours } from '@probity/telemetry/watch-neighbours'
import { watchProcess } from '@probity/telemetry/watch-process'
import { Counter, type Registry } from 'prom-client'
import manifest from '../../../package.json' with { type: 'json' }
import type { ApiConfig } from '../config.ts'
import type { Services } from '../services.ts'
import { watchInstallation } from './watch-installation.ts'
import { watchPredictions } from './watch-predictions.ts'
import { watchUploads } from './watch-uploads.ts'

type Watched = Pick<Services, 'db' | 'redis' | 'queuePrefix' | 'requestLog' | 'metrics' | 'log'>

/** Serves the counters of the process and the gauges that are read on each scrape. */
export function serveApiMetrics(
  services: Watched,
  { storage }: Pick<ApiConfig, 'storage'>,
  place: MetricsPlace,
): Promise<ServedMetrics> {
  const { db, redis, metrics, log } = services
  watchProcess(metrics, { kind: 'api', version: manifest.version })
  watchNeighbours(metrics, { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() })
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
