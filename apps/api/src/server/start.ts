import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '@probity/database/connection/outage'
import { rejectForeignSchema } from '@probity/database/system/schema-version'
import { openTraces } from '@probity/telemetry/traces'
import type { FastifyBaseLogger } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import type { Route } from '../http/route.ts'
import { API_ROUTES, buildApp } from './app.ts'
import type { ApiConfig } from './config.ts'
import { serveApiMetrics } from './metrics/serve.ts'
import { openServices, type Services } from './services.ts'

/** How long requests that are being answered may still take once we stop listening. */
const FINISH_WITHIN_MS = 20_000

/** Connections that the kernel keeps until we accept them: with Node's 511, a burst from one network delays the others' by seconds. */
const BACKLOG = 4_096

export type RunningApi = {
  address: AddressInfo
  /** Where metrics are served, if they are. */
  metricsAddress: AddressInfo | undefined
  /** Says "not ready", then stops listening, finishes what it has begun and closes. */
  stop(): Promise<void>
}

/** Starts the api and listens. */
export async function start(
  config: ApiConfig,
  log: FastifyBaseLogger,
  routes: Route<Services>[] = API_ROUTES,
): Promise<RunningApi> {
  const stopping = new AbortController()
  const hurry = new AbortController()
  const traces = await openTraces(config.traces, { kind: 'api', version: manifest.version })
  const services = openServices(config, log, { stopping: stopping.signal, hurry: hurry.signal, traces })
  await rejectForeignSchema(services.db).catch(async (error: unknown) => {
    if (isOutage(error)) return // without PostgreSQL the api starts too, and says that it is not ready
    await services.close()
    throw error
  })
  const app = await buildApp(config, services, routes)
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  const address = app.server.address() as AddressInfo
  const metrics = config.metrics && (await serveApiMetrics(services, config, config.metrics))

  async function stop(): Promise<void> {
    log.info('stopping')
    stopping.abort()
    await sleep(config.stopNoticeMs)
    hurry.abort()
    const given = sleep(FINISH_WITHIN_MS, undefined, { ref: false }).then(() => app.server.closeAllConnections())
    await Promise.race([app.close(), given])
    await metrics?.stop()
    await services.close()
    await traces.stop()
    log.info('stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    address,
    metricsAddress: metrics?.address,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
