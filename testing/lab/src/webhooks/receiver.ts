import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../certificates.ts'

/** A request as it came in. */
export type Received = { path: string; headers: Record<string, string>; body: string; at: number }

/** How a receiver answers: with a status, or with whatever it does by itself. */
export type Answering = (received: Received, response: ServerResponse) => Promise<number> | number

export type Receiver = {
  address: string
  port: number
  /** The certificate, which signs itself, for whoever is to believe it. */
  authority: string
  /** All that came in, the first one first. */
  received: Received[]
  /** Connections that were ever made, and how many requests were at once. */
  counts: { connections: number; atOnce: number; atOnceMax: number }
  /** Answers otherwise from now on. */
  answer(answering: Answering): void
  stop(): Promise<void>
}

type Place = { name: string; address?: string; port?: number; certificate?: { key: string; cert: string } }

/** Somebody who receives webhooks, by TLS on loopback, and answers 200 until told otherwise. */
export async function startReceiver(place: Place): Promise<Receiver> {
  const { name, address = '127.0.0.1', port = 0, certificate = makeCertificate({ name }) } = place
  const sockets = new Set<Duplex>()
  const received: Received[] = []
  const counts = { connections: 0, atOnce: 0, atOnceMax: 0 }
  let answering: Answering = () => 200

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    counts.atOnceMax = Math.max(counts.atOnceMax, ++counts.atOnce)
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = request.headers as Record<string, string>
      const one = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString(), at: Date.now() }
      received.push(one)
      const status = await answering(one, response)
      if (!response.headersSent) response.writeHead(status).end()
    } catch {
      response.destroy() // whoever sent it went away
    } finally {
      counts.atOnce--
    }
  }
  const server = createServer(certificate, (request, response) => void take(request, response))
  server.on('connection', (socket) => {
    counts.connections += 1
    sockets.add(socket)
    socket.on('error', () => {}) // clients come and go
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, address)
  await once(server, 'listening')
  return {
    address,
    port: (server.address() as AddressInfo).port,
    authority: certificate.cert,
    received,
    counts,
    answer(next) {
      answering = next
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await Promise.race([once(server, 'close'), sleep(2_000)])
    },
  }
}
