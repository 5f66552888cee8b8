import { Agent, request } from 'node:http'
import type { WireRequest } from './build-request.ts'

export type Received = {
  status: number
  json: unknown
  ms: number
  headers: Record<string, string | string[] | undefined>
}

/** Longer than any request may take: the longest timeout that a client can set is 30 seconds. */
const HANGS_AFTER_MS = 45_000
/** Only the beginning of an event stream is read. */
const STREAM_READ_MS = 200
const BODY_READ_MAX = 4 * 1024 * 1024

/** Sends over keep-alive connections. `undefined` without a response, which is a defect as well. */
export function openSender(url: string, connectionsMax: number) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax })

  function send({ method, path, headers, body }: WireRequest): Promise<Received | undefined> {
    const began = performance.now()
    const length = body ? { 'content-length': String(body.length) } : {}
    return new Promise((resolve) => {
      const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (response) => {
        const { statusCode: status = 0, headers: answered } = response
        const chunks: Buffer[] = []
        const finish = () => {
          const json = String(answered['content-type']).includes('json') ? parse(Buffer.concat(chunks)) : undefined
          resolve({ status, json, ms: performance.now() - began, headers: answered })
        }
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size <= BODY_READ_MAX) chunks.push(chunk)
        })
        response.on('end', finish)
        response.on('error', finish)
        if (String(answered['content-type']).startsWith('text/event-stream')) {
          setTimeout(() => response.destroy(), STREAM_READ_MS)
          response.on('close', finish)
        }
      })
      sent.setTimeout(HANGS_AFTER_MS, () => sent.destroy())
      sent.on('error', () => resolve(undefined))
      sent.end(body)
    })
  }
  return { send, stop: () => agent.destroy() }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined // truncated JSON, or lines of JSON
  }
}
