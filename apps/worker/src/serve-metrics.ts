import { asNobody } from '@probity/database/connect'
import type { HabitTable } from '@probity/engine/mailbox/habits'
import { type ServedMetrics, serveMetrics } from '@probity/telemetry/serve-metrics'
import { watchNeighbours } from '@probity/telemetry/watch-neighbours'
import { watchProcess } from '@probity/telemetry/watch-process'
import manifest from '../package.json' with { type: 'json' }
import type { WorkerConfig } from './config.ts'
import type { Services } from './services.ts'
import { watchPace } from './watch-pace.ts'

type Watched = Pick<Services, 'db' | 'redis' | 'egresses' | 'metrics' | 'log'>
type Place = Pick<WorkerConfig, 'metrics' | 'queuePrefix'>

/** Serves what this worker counted, and how the providers stand with its ways out. Undefined where nobody wants to know. */
export async function serveWorkerMetrics(
  { db, redis, egresses, metrics, log }: Watched,
  { metrics: place, queuePrefix: prefix }: Place,
  habits: HabitTable,
): Promise<ServedMetrics | undefined> {
  if (place === undefined) return undefined
  watchProcess(metrics, { kind: 'worker', version: manifest.version })
  watchNeighbours(metrics, { postgres: () => asNobody(db, async () => undefined), redis: () => redis.ping() })
  watchPace(metrics, { redis, prefix, egresses, habits })
  return serveMetrics(metrics, place, (error) => log.warn({ err: error }, 'metrics not read'))
}
