import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listWholeReliability, type Reliability } from '@probity/database/calibration'
import type { Db } from '@probity/database/connect'
import type { FastifyBaseLogger } from 'fastify'
import { Gauge, Registry } from 'prom-client'

/** Where metrics are served: a port of their own, which need not be reached by callers. */
export type MetricsPlace = { host: string; port: number }

export type Metrics = { address: AddressInfo; stop(): Promise<void> }

/** How old figures may be, so that nobody keeps the database busy by scraping. */
const FRESH_FOR_MS = 5_000

/** Serves what an operator watches, at /metrics. */
export async function serveMetrics(db: Db, log: FastifyBaseLogger, { host, port }: MetricsPlace): Promise<Metrics> {
  const registry = watchPredictions(db)
  const server = createServer((request, response) => {
    if (request.url === '/metrics' && request.method === 'GET') void sendMetrics(registry, response, log)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
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

async function sendMetrics(registry: Registry, response: ServerResponse, log: FastifyBaseLogger): Promise<void> {
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch (error) {
    log.warn({ err: error }, 'metrics not read')
    response.writeHead(503).end()
  }
}

const LABELS = ['provider', 'kind'] as const

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
function watchPredictions(db: Db): Registry {
  let fetched: { at: number; judged: Promise<Reliability[]> } | undefined
  function fetchFresh(): Promise<Reliability[]> {
    if (fetched === undefined || performance.now() - fetched.at > FRESH_FOR_MS) {
      const judged = listWholeReliability(db)
      fetched = { at: performance.now(), judged }
      judged.catch(() => {
        fetched = undefined // what failed is asked for again by the next scrape
      })
    }
    return fetched.judged
  }
  const registry = new Registry()
  for (const { name, help, read } of GAUGES) {
    const gauge: Gauge<(typeof LABELS)[number]> = new Gauge({
      name,
      help,
      labelNames: LABELS,
      registers: [registry],
      async collect() {
        const judged = await fetchFresh()
        gauge.reset()
        for (const one of judged) gauge.set({ provider: one.provider, kind: one.kind }, read(one))
      },
    })
  }
  return registry
}
