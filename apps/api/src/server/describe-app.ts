import { NO_TRACES } from '@probity/telemetry/span'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import type { Services } from './services.ts'

/**
 * The app for programs that read its routes and serve none. Routes are described at registration and use their services only in requests,
 * so
 * none of the services needs to run, and these addresses are never connected to.
 */
export async function describeApp(): Promise<FastifyInstance> {
  const config = readConfig({ DATABASE_URL: 'postgres://unused@localhost/unused', REDIS_URL: 'redis://localhost' })
  const never = new AbortController().signal
  const seen = { metrics: new Registry(), traces: NO_TRACES }
  const services: Partial<Services> = { log: openLog('silent'), stopping: never, hurry: never, ...seen }
  const app = await buildApp(config, services as Services)
  await app.ready()
  return app
}
