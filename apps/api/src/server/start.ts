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

/** Time limit for requests in progress after the process stops listening. */
const FINISH_WITHIN_MS = 20_000

/** Size of the kernel's queue of unaccepted connections: with Node's default of 511, a burst from one network delays others by seconds. */
const BACKLOG = 4_096

export type RunningApi = {
  address: AddressInfo
  /** Address of the metrics endpoint, if it is enabled. */
  metricsAddress: AddressInfo | undefined
  /** Reports unready, then stops listening, completes requests in progress and closes. */
  stop(): Promise<void>
}

/** Starts the API and listens. */
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
    if (isOutage(error)) return // the API also starts without PostgreSQL, and reports unready
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
