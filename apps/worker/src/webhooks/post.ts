import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { DeliveryError } from '@probity/contract/constants/webhooks'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import { dialHost } from '@probity/engine/smtp/protocol/dial'

/** Where webhooks may be sent. An argument when a worker is started; no setting changes it. */
export type WebhookNetwork = {
  policy: AddressPolicy
  /** Trusted certificate authority as PEM, instead of the public ones. */
  authority?: string
}

/** Outcome of a request: the status of the response, or the reason why there is none. */
export type Posted =
  | { kind: 'answered'; status: number; retryAfterS: number }
  | { kind: 'failed'; error: DeliveryError }

export type Post = { url: string; headers: Record<string, string>; body: string }

/** For the whole request, from the DNS query to the last byte of the response. */
const DEADLINE_MS = 15_000

/** Responses are read up to this size and discarded, so that a receiver can complete its response. */
const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Sends one request to a customer's URL. The name is looked up once, its addresses are checked against the policy, the IP address is dialed
 * and checked again after connecting (`dialHost`), and TLS verifies the name. Redirects are not followed and count as failures.
 */
export async function post({ url, headers, body }: Post, around: WebhookNetwork & { dns: MailDns }): Promise<Posted> {
  const deadline = performance.now() + DEADLINE_MS
  const target = URL.parse(url)
  if (target?.protocol !== 'https:' || target.port !== '') return failed('url_refused')
  const dialled = await dialHost(target.hostname, { dns: around.dns, policy: around.policy, egress: {}, deadline })
  if (dialled.kind === 'failed') return failed(dialled.failure === 'proxy_failed' ? 'unreachable' : dialled.failure)

  let late = false
  const timer = setTimeout(() => {
    late = true
    dialled.socket.destroy()
  }, deadline - performance.now())
  try {
    const secured = await secure(dialled.socket, target.hostname, around.authority)
    if (secured.kind === 'failed') return late ? failed('timeout') : secured
    const posted = await exchange(secured.socket, { target, headers, body })
    return late && posted.kind === 'failed' ? failed('timeout') : posted
  } finally {
    clearTimeout(timer)
    dialled.socket.destroy()
  }
}

type Secured = { kind: 'secured'; socket: TLSSocket } | { kind: 'failed'; error: DeliveryError }

function secure(plain: Socket, host: string, authority: string | undefined): Promise<Secured> {
  return new Promise((resolve) => {
    // Explicit, because an environment variable could otherwise disable it.
    const trust = { rejectUnauthorized: true, ...(authority !== undefined && { ca: authority }) }
    const socket = connectTls({
      socket: plain,
      servername: host,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      ...trust,
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(failed(LOST.has(error.code ?? '') ? 'connection_lost' : 'tls_failed'))
    })
    // The socket below can be destroyed, by the deadline or the receiver, without an error on this level.
    plain.once('close', () => {
      socket.destroy()
      resolve(failed('connection_lost'))
    })
    socket.once('secureConnect', () => resolve({ kind: 'secured', socket }))
  })
}

const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'])

type Exchange = { target: URL; headers: Record<string, string>; body: string }

function exchange(socket: TLSSocket, { target, headers, body }: Exchange): Promise<Posted> {
  return new Promise((resolve) => {
    const request = sendRequest({
      createConnection: () => socket,
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, 'content-length': Buffer.byteLength(body), connection: 'close', ...headers },
    })
    // Once there is a status, errors in the rest of the response change nothing.
    let answered: Posted | undefined
    request.on('error', (error: NodeJS.ErrnoException) => {
      resolve(answered ?? failed(error.code?.startsWith('HPE_') ? 'not_http' : 'connection_lost'))
    })
    request.once('close', () => resolve(answered ?? failed('connection_lost')))
    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response
      answered = { kind: 'answered', status, retryAfterS: readRetryAfter(headers['retry-after'], status) }
      readSome(request, response)
    })
    request.end(body)
  })
}

function readSome(request: ClientRequest, response: IncomingMessage): void {
  let heard = 0
  response.on('data', (chunk: Buffer) => {
    heard += chunk.length
    if (heard > ANSWER_BYTES_MAX) request.destroy()
  })
  response.on('error', () => {}) // the response was interrupted; its status is known
}

function failed(error: DeliveryError): { kind: 'failed'; error: DeliveryError } {
  return { kind: 'failed', error }
}

/** Statuses with which a receiver can set Retry-After (RFC 6585 §4, RFC 9110 §15.6.4). */
const ASKS_FOR_TIME = new Set([429, 503])

/** Delay in seconds that a receiver requests (RFC 9110 §10.2.3); 0 if it is missing or invalid. */
export function readRetryAfter(header: string | undefined, status: number, now = Date.now()): number {
  if (header === undefined || !ASKS_FOR_TIME.has(status)) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now) / 1000)
}
