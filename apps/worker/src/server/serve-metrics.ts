import { withoutTenant } from '@probity/database/connection/connect'
import type { ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import { type ServedMetrics, serveMetrics } from '@probity/telemetry/serve-metrics'
import { watchNeighbours } from '@probity/telemetry/watch-neighbours'
import { watchProcess } from '@probity/telemetry/watch-process'
import manifest from '../../package.json' with { type: 'json' }
import { watchRateLimiter } from '../probing/rate-limiter-metrics.ts'
import type { WorkerConfig } from './config.ts'
import type { Services } from './services.ts'

type Watched = Pick<Services, 'db' | 'redis' | 'egresses' | 'metrics' | 'log'>
type Place = Pick<WorkerConfig, 'metrics' | 'queuePrefix'>

/** Serves the counters of this worker and the rate limiter state of its egresses. Undefined if no metrics port is set. */
export async function serveWorkerMetrics(
  { db, redis, egresses, metrics, log }: Watched,
  { metrics: place, queuePrefix: prefix }: Place,
  habits: ProviderLimitsTable,
): Promise<ServedMetrics | undefined> {
  if (place === undefined) return undefined
  watchProcess(metrics, { kind: 'worker', version: manifest.version })
  watchNeighbours(metrics, { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() })
  watchRateLimiter(metrics, { redis, prefix, egresses, habits })
  return serveMetrics(metrics, place, (error) => log.warn({ err: error }, 'failed to collect metrics'))
}
