import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'

/** Where metrics are served: a separate port that clients do not need to reach. */
export type MetricsPlace = { host: string; port: number }

export type ServedMetrics = { address: AddressInfo; stop(): Promise<void> }

type Failed = (error: unknown) => void

/** Serves /metrics without authentication; the metrics contain no customer data. */
export async function serveMetrics(registry: Registry, place: MetricsPlace, failed: Failed): Promise<ServedMetrics> {
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
