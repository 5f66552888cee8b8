import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type SeenSpan = {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  ms: number
}

type Body = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: {
      spans: (Omit<SeenSpan, 'service' | 'ms'> & { startTimeUnixNano: string; endTimeUnixNano: string })[]
    }[]
  }[]
}

/** A minimal OTLP/HTTP JSON collector, because Debian does not package one. */
export async function startCollector() {
  const spans: SeenSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      headers.push(request.headers)
      bodies.push(body)
      spans.push(...readSpans(JSON.parse(body) as Body))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    endpoint,
    url: `${endpoint}/v1/traces`,
    spans,
    /** Raw request bodies. */
    bodies,
    headers,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function readSpans({ resourceSpans }: Body): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...span,
        service,
        ms: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
      })),
    )
  })
}
