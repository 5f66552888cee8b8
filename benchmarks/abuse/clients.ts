import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

type Sent = { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal }

/** Sends a request on a new connection: a busy server may close an idle one at the moment of its reuse. Returns the status. */
export function send(url: string, { method = 'GET', headers = {}, body, signal }: Sent = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, ...(signal && { signal }) }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Opens a connection from an address, sends a message and reads nothing. */
export function sendUnread(url: string, from: string, message: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from }).pause()
  socket.on('error', () => {}) // the server may close the connection
  socket.write(message)
  return socket
}

type Flood = { url: string; from: string; message: string; count: number }

const REPLACE_EVERY_MS = 100
/** Connections per interval: each flood opens 100 per second. */
const REPLACED = 10

/** Keeps connections open that have sent the same message, and constantly replaces some of them, because the server closes some. */
export function keepConnections({ url, from, message, count }: Flood): { stop(): void } {
  const sockets = Array.from({ length: count }, () => sendUnread(url, from, message))
  let replaced = 0
  const timer = setInterval(() => {
    for (let n = 0; n < REPLACED; n += 1) {
      const place = replaced % count
      sockets[place]?.destroy()
      sockets[place] = sendUnread(url, from, message)
      replaced += 1
    }
  }, REPLACE_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Requests without a complete response, as the process counts them. */
export async function readInFlight(metricsUrl: string): Promise<number> {
  const text = await fetch(metricsUrl).then((response) => response.text())
  return Number(/^probity_http_requests_in_flight (\d+)/m.exec(text)?.[1] ?? Number.NaN)
}

/** The memory of the API process. */
export function readMemoryMb({ api = 0 }: Record<string, number>): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api}/status`, 'utf8'))?.[1]) / 1_024
}

const LOOK_EVERY_MS = 10

/** Sends requests to /livez continuously; the result is the latency of the slowest, in milliseconds. */
export function watchLiveness(url: string): { stop(): Promise<number> } {
  let isStopped = false
  const watching = (async () => {
    let slowest = 0
    while (!isStopped) {
      const began = performance.now()
      await send(`${url}/livez`).catch(() => 0) // the time counts, whatever the outcome
      slowest = Math.max(slowest, performance.now() - began)
      await sleep(LOOK_EVERY_MS)
    }
    return slowest
  })()
  return {
    stop() {
      isStopped = true
      return watching
    },
  }
}
