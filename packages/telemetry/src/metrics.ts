import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Where metrics are served: a separate port that clients do not need to reach. */
export type MetricsAddress = { host: string; port: number }

export type ServedMetrics = { address: AddressInfo; stop(): Promise<void> }

type Failed = (error: unknown) => void

/** Serves /metrics without authentication; the metrics contain no customer data. */
export async function serveMetrics(registry: Registry, place: MetricsAddress, failed: Failed): Promise<ServedMetrics> {
  const server = createServer((request, response) => {
    if (request.url === '/metrics' && request.method === 'GET') void sendMetrics(registry, response, failed)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place.port, place.host, resolve)
  })
  return {
    address: server.address() as AddressInfo,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function sendMetrics(registry: Registry, response: ServerResponse, failed: Failed): Promise<void> {
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch (error) {
    failed(error)
    response.writeHead(503).end()
  }
}

/** Shorter than the scrape timeout of Prometheus: one unavailable dependency must not fail the whole scrape. */
const READ_WITHIN_MS = 3_000

/**
 * Caches a reading for `freshForMs`, so that frequent scrapes do not load the database. Concurrent calls share one reading; after a failure
 * the next call reads again.
 */
export function keepFresh<T>(freshForMs: number, read: () => Promise<T>): () => Promise<T> {
  let fetched: { at: number; what: Promise<T> } | undefined
  return () => {
    if (fetched !== undefined && performance.now() - fetched.at < freshForMs) return fetched.what
    const what = inTime(read())
    fetched = { at: performance.now(), what }
    what.catch(() => {
      fetched = undefined
    })
    return what
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = sleep(READ_WITHIN_MS, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error('timed out reading metrics')
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    done.abort()
    late.catch(() => {}) // the loser of the race has no listener
    reading.catch(() => {})
  }
}

/** One value of a gauge and its labels. */
type Figure = { of?: Record<string, string>; value: number }

export type FigureGauge<T> = { name: string; help: string; labels?: readonly string[]; read: (seen: T) => Figure[] }

/** Gauges of one snapshot. If the snapshot fails they have no samples: stale values would look current. */
export function watchFigures<T>(registry: Registry, look: () => Promise<T>, gauges: FigureGauge<T>[]): void {
  for (const { name, help, labels = [], read } of gauges) {
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const seen = await look().catch(() => undefined) // availability has its own gauge
        gauge.reset()
        if (labels.length === 0) gauge.remove() // otherwise it would be 0
        if (seen === undefined) return
        for (const { of = {}, value } of read(seen)) gauge.set(of, value)
      },
    })
  }
}

/** Maximum age of a reading. */
const FRESH_FOR_MS = 5_000

/** Gauges of PostgreSQL and Redis: up and ping time. The two are checked independently. */
export function watchDependencies(
  registry: Registry,
  asked: { postgres(): Promise<unknown>; redis(): Promise<unknown> },
): void {
  watch(registry, { name: 'postgres', title: 'PostgreSQL' }, asked.postgres)
  watch(registry, { name: 'redis', title: 'Redis' }, asked.redis)
}

function watch(
  registry: Registry,
  { name, title }: { name: string; title: string },
  ask: () => Promise<unknown>,
): void {
  const look = keepFresh(FRESH_FOR_MS, async () => {
    const began = performance.now()
    await ask()
    return (performance.now() - began) / 1_000
  })
  const registers = [registry]
  const took: Gauge = new Gauge({
    name: `probity_${name}_ping_seconds`,
    help: `Ping time of ${title} from this process.`,
    registers,
  })
  const up: Gauge = new Gauge({
    name: `probity_${name}_up`,
    help: `Whether this process can reach ${title}: 1 or 0.`,
    registers,
    async collect() {
      const seconds = await look().catch(() => undefined) // reported as 0
      up.set(seconds === undefined ? 0 : 1)
      if (seconds === undefined) took.remove()
      else took.set(seconds)
    },
  })
}

/** Metrics of every process: memory, CPU, event-loop lag and version. */
export function watchProcess(
  registry: Registry,
  { kind, version }: { kind: 'api' | 'worker' | 'maintenance'; version: string },
): void {
  collectDefaultMetrics({ register: registry })
  const build = new Gauge({
    name: 'probity_build_info',
    help: 'Always 1. Labels: kind of process, version and Node version.',
    labelNames: ['kind', 'version', 'node'] as const,
    registers: [registry],
  })
  build.set({ kind, version, node: process.version }, 1)
}
