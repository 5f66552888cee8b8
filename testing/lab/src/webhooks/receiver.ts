import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../certificates.ts'

/** A received request. */
export type Received = { path: string; headers: Record<string, string>; body: string; at: number }

/** The reply of a receiver: a status, or a function. */
export type Answering = (received: Received, response: ServerResponse) => Promise<number> | number

export type Receiver = {
  address: string
  port: number
  /** The self-signed certificate, which a client has to trust. */
  authority: string
  /** All received requests in order. */
  received: Received[]
  /** Connections so far, and the highest number of concurrent requests. */
  counts: { connections: number; atOnce: number; atOnceMax: number }
  /** Changes the reply from now on. */
  answer(answering: Answering): void
  stop(): Promise<void>
}

type Place = { name: string; address?: string; port?: number; certificate?: { key: string; cert: string } }

/** A webhook receiver with TLS on loopback, which replies 200 by default. */
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
      response.destroy() // the sender has disconnected
    } finally {
      counts.atOnce--
    }
  }
  const server = createServer(certificate, (request, response) => void take(request, response))
  server.on('connection', (socket) => {
    counts.connections += 1
    sockets.add(socket)
    socket.on('error', () => {}) // clients may disconnect at any time
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
