import { NO_TRACES } from '@probity/telemetry/span'
import { Registry } from 'prom-client'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { finishDocument, type OpenApiDocument } from './openapi-document.ts'
import type { Services } from './services.ts'

// Prints the OpenAPI document, for those who generate code from it. Routes describe themselves when they are registered and
// use their services when they are called, so nothing behind them has to run, and these addresses are never dialled.
const config = readConfig({ DATABASE_URL: 'postgres://nobody@localhost/nothing', REDIS_URL: 'redis://localhost' })
const never = new AbortController().signal
const seen = { metrics: new Registry(), traces: NO_TRACES }
const services: Partial<Services> = { log: openLog('silent'), stopping: never, hurry: never, ...seen }
const app = await buildApp(config, services as Services)
await app.ready()
process.stdout.write(JSON.stringify(finishDocument(app.swagger() as unknown as OpenApiDocument)))
