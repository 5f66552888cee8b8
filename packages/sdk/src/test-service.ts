import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { Probity, type ProbityOptions } from './probity.ts'

/** A request as it arrived. */
export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string; at: number }

/** Responds to the nth request, counted from 0. A returned value is sent as JSON. */
type Answer = (n: number, reply: ServerResponse, request: Received) => unknown

/** A fake service for one test, which can also fail in every way that a network can. */
export async function startService(answer: Answer, options: ProbityOptions = {}, { reads = true } = {}) {
  const received: Received[] = []
  async function serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const n = received.length
    const one: Received = { method, path, headers, body: '', at: performance.now() }
    received.push(one)
    if (reads) for await (const chunk of request) one.body += chunk
    const body = await answer(n, reply, one)
    if (body === undefined || reply.writableEnded || reply.destroyed) return
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }
  const server = createServer((request, reply) => {
    serve(request, reply).catch(() => reply.destroy()) // the client has disconnected, or the test fails without a response
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const probity = new Probity({ apiKey: 'pb_test_key', baseUrl: url, ...options })
  return { url, server, received, probity }
}

/** Sends a problem as the service does. */
export function refuse(
  reply: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  const body = {
    type: `/docs/errors#${code}`,
    title: 'A title',
    status,
    detail: 'A detail.',
    advice: 'Some advice.',
    code,
    request_id: 'req_1',
  }
  reply.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(body))
}

/** Returns the error of a rejected promise. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error('expected it to fail')
    },
    (error: unknown) => error,
  )
}
