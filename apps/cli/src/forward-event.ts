import { randomBytes } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { WEBHOOK_HEADERS } from '@probity/contract/constants/webhooks'
import type { WebhookEvent } from '@probity/sdk'

/** The result of forwarding one event. Either `http_status` or `error` is null. */
export type ForwardResult = {
  forwarded_at: string
  id: string
  type: string
  http_status: number | null
  error: string | null
  duration_ms: number
}

export type ForwardTarget = { url: URL; secret: string; signal: AbortSignal; timeoutMs?: number }

/** The length of the secrets that the service creates. */
const SECRET_BYTES = 32
/** The service waits as long for the response to a delivery. */
const TIMEOUT_MS = 15_000

export function createSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Sends an event as the service sends a delivery, with a `v1` signature. Throws only if `signal` is aborted. */
export async function forwardEvent(event: WebhookEvent, target: ForwardTarget): Promise<ForwardResult> {
  const { url, secret, signal, timeoutMs = TIMEOUT_MS } = target
  const { signWebhook } = await import('@probity/sdk')
  const payload = JSON.stringify(event)
  const headers = { ...WEBHOOK_HEADERS, ...(await signWebhook({ payload, secret, id: event.id })) }
  const forwardedAt = new Date()
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  let status: number | null = null
  let error: string | null = null
  try {
    status = await post(url, { headers, payload, signal: AbortSignal.any([signal, timeout]) })
  } catch (cause) {
    signal.throwIfAborted()
    error = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : describeFailure(cause)
  }
  return {
    forwarded_at: forwardedAt.toISOString(),
    id: event.id,
    type: event.type,
    http_status: status,
    error,
    duration_ms: Math.round(performance.now() - startedAt),
  }
}

type Post = { headers: Record<string, string>; payload: string; signal: AbortSignal }

/** Returns the status. Uses node:http, because fetch adds headers that the service does not send, and redirects are not followed. */
function post(url: URL, { headers, payload, signal }: Post): Promise<number> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(payload)
    // As in a delivery, each request has a connection of its own.
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      agent: false,
      signal,
    })
    let status: number | undefined
    const settle = (error: Error) => (status === undefined ? reject(error) : resolve(status))
    request.once('response', (response) => {
      status = response.statusCode
      // The body is read to its end, so that the receiver can finish, and discarded.
      response.on('error', settle).resume()
    })
    request.on('error', settle)
    request.once('close', () => settle(new Error('connection closed without a response')))
    request.end(payload)
  })
}

function describeFailure(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  return code ?? message
}
